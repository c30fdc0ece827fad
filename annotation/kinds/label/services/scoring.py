"""Scoring a label study: the statistics of each phase and the change between them, stored."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import scoring
from annotation.basics.sentences import translated
from annotation.core.queries import median_times, relabellings
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.label.queries import annotator_models
from annotation.kinds.label.queries.answers import LabelAnswers, PhaseLabels, read_labels
from annotation.kinds.rating.queries.answer_pools import numbered_pools
from annotation.kinds.services import flags_of_people, results
from annotation.models import AnnotatorStatistics, Result
from annotation.models.kinds import QuestionKind
from scoring.arrays import BoolArray, IntArray
from scoring.json_values import JsonObject, json_number
from scoring.labels.changes import BOWKER, STUART
from scoring.ratings.ratings import number_names
from shell.messages import message as _

# At most so many domains or sources are compared.
MAX_GROUPS = 100
# A result names at most so many items without a label; `item_labels.tsv` has all.
MAX_NAMED_ITEMS = 1000
# What a person or an item has for itself is computed from the answers when it is shown.
_OF_EACH_PERSON = ("share", "n", "n_left_out")


def score_labels(run: jobs.Run, population: Population) -> None:
    """Score one population of a label study and store the result."""
    study = run.job.study
    design = study.design
    run.progress(0.0, translated(_("reading the answers")))
    # Before the domains are read: a change in between makes the result an outdated one.
    n_relabellings = relabellings.n_splitting(study)
    read = read_labels(design, population)
    run.progress(0.3, translated(_("%(n)s answers read", n=read.basis.n_judgments)))
    phases = results.statistics_of_phases(
        run, read.phases, lambda phase: phase_statistics(read, phase)
    )
    statistics = {
        "categories": read.categories.as_json,
        "phases": phases,
        "change": change_statistics(read),
        "working_time": median_times.of_counted(design, population).as_dict(),
    }
    flags = flags_of_people.of_labels(read)
    statistics["flags"] = results.without(flags.as_dict(), "found")
    run.progress(0.95, translated(_("storing the scores")))
    parameters = {"n_relabellings": n_relabellings}
    result = results.result_of(
        run,
        kind=QuestionKind.LABEL,
        population=population,
        basis=read.basis,
        statistics=statistics,
        parameters=parameters,
    )
    with results.storing(run, result) as rows:
        results.add_people(rows, _people(result, read, flags))


def phase_statistics(read: LabelAnswers, phase: PhaseLabels) -> dict[str, Any]:
    """All statistics of one phase in plain JSON types; what is of one item or person left out."""
    summary = scoring.summarise_labels(
        phase.of_asked(phase.main_and_repeats),
        pool=numbered_pools(phase, read.items),
    )
    figures: dict[str, Any] = results.without(summary.as_dict(), "units")
    figures["others"] = results.without(figures["others"], *_OF_EACH_PERSON)
    units = np.flatnonzero(phase.is_asked)
    undecided = [read.items.keys[units[n]] for n in summary.counts.without_label]
    main = phase.of_asked(phase.main)
    return {
        "number": phase.number,
        "condition": phase.phase.condition,
        "summary": figures,
        "models": _models(phase),
        # Only people's answers: an expert's decision is stored separately, and is in no statistic.
        "without_label": undecided[:MAX_NAMED_ITEMS],
        "by": {
            name: _by(main, summary.counts.label, [labels[n] for n in units])
            for name, labels in (("domain", read.items.domains), ("source", read.items.sources))
            if len({labels[n] for n in units}) > 1
        },
    }


def _models(phase: PhaseLabels) -> dict[str, Any]:
    """What models of annotators find, by name; none where answers may name several categories."""
    main = phase.of_asked(phase.main)
    if main.is_several:
        return {}
    return annotator_models.figures(scoring.label_models(main), scoring.count_labels(main))


def _by(main: scoring.Labels, label: BoolArray, groups: list[str]) -> dict[str, Any]:
    """How often each category is named, and is a label, in each domain or source."""
    names, of_unit = number_names(groups)
    if len(names) > MAX_GROUPS:
        # Sources can be names of documents: a figure for each would not be informative.
        reason = _("there are more than %(n)s groups, too many for one figure", n=MAX_GROUPS)
        return {"groups": {}, "reason": reason}
    by_group: dict[str, Any] = {}
    for number, name in enumerate(names):
        is_of = of_unit == number
        answers = main.chosen[is_of[main.unit]]
        by_group[name] = {
            "n_items": int(is_of.sum()),
            "n_answers": len(answers),
            "answers": answers.sum(axis=0).tolist(),
            "labels": label[is_of].sum(axis=0).tolist(),
        }
    return {"groups": by_group, "reason": None}


def change_statistics(read: LabelAnswers) -> dict[str, Any]:
    """What context changes: labels of items, and answers of those who labelled them twice."""
    pair = read.conditions()
    if pair is None:
        return {"reason": _("the design lacks a phase without context or a phase in context")}
    free, dependent = pair
    if read.categories.is_several:
        return {
            "reason": _(
                "people may choose several categories, so a change of label is not defined"
            )
        }
    counts = [scoring.count_labels(phase.main) for phase in pair]
    of_items = scoring.transitions(counts[0].label, counts[1].label)
    before, after = _of_the_same(free.main, dependent.main)
    of_answers = scoring.transitions(before, after)
    return {
        "reason": None,
        "free": free.number,
        "dependent": dependent.number,
        "items": {
            **_table(of_items),
            # One item tells nothing of another; answers of one person do.
            "bowker": scoring.bowker_test(of_items).as_dict(BOWKER),
            "stuart_maxwell": scoring.stuart_maxwell_test(of_items).as_dict(STUART),
            "reason": None if of_items.any() else _("no item has a label in both phases"),
        },
        "answers": {
            **_table(of_answers),
            "reason": None if of_answers.any() else _("nobody labelled an item in both phases"),
        },
    }


def _table(matrix: IntArray) -> JsonObject:
    n, same = int(matrix.sum()), int(np.trace(matrix))
    return {
        "table": matrix.tolist(),
        "n": n,
        "n_changed": n - same,
        "share_changed": json_number((n - same) / n) if n else None,
    }


def _of_the_same(free: scoring.Labels, dependent: scoring.Labels) -> tuple[BoolArray, BoolArray]:
    """What the same person said of the same item in both phases, row by row."""
    first, second = (batch.annotator * batch.n_units + batch.unit for batch in (free, dependent))
    # Each person's first answer to each item: repeats are not among them.
    _cells, before, after = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    return free.chosen[before], dependent.chosen[after]


def _people(
    result: Result, read: LabelAnswers, flags: scoring.Flags
) -> Iterator[AnnotatorStatistics]:
    """How far each agrees with the others over all phases."""
    n_people = len(read.annotator_pks)
    n_judgments, n, n_left_out = (np.zeros(n_people, dtype=np.int64) for _place in range(3))
    agreeing = np.zeros(n_people)
    for phase in read.phases:
        others = scoring.labelers_against_others(phase.main)
        n_judgments += np.bincount(phase.all.annotator, minlength=n_people)
        n += others.n
        n_left_out += others.n_left_out
        agreeing += np.nan_to_num(others.share) * others.n
    return (
        AnnotatorStatistics(
            result=result,
            annotator_id=pk,
            n_judgments=int(n_judgments[number]),
            compliance=float(agreeing[number] / n[number]) if n[number] else None,
            n_pairs=int(n[number]),
            n_left_out=int(n_left_out[number]),
            flags=flags_of_people.kept(flags, number, read.annotator_pks),
        )
        for number, pk in enumerate(read.annotator_pks)
    )
