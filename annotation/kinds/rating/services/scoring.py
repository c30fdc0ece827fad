"""Scoring a rating study: the statistics of each phase and across phases, as one stored result."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import scoring
from annotation.basics.sentences import translated
from annotation.core.queries import median_times, relabellings
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.rating.queries import answers as rating_answers
from annotation.kinds.rating.queries import repeats as rating_repeats
from annotation.kinds.rating.queries.answer_pools import numbered_pools
from annotation.kinds.rating.queries.answers import ItemTable, PhaseRatings, RatingAnswers
from annotation.kinds.rating.queries.repeats import EarlierRound
from annotation.kinds.rating.services import phase_comparison
from annotation.kinds.scoring_options import ScoringOptions
from annotation.kinds.services import flags_of_people, results
from annotation.models import AnnotatorStatistics, Result
from annotation.models.kinds import QuestionKind
from scoring.aggregation import RULES
from scoring.arrays import FloatArray
from scoring.groups import settled
from scoring.json_values import JsonObject, json_number
from shell.messages import message as _

# A plot of a curve has room for so many classes.
MAX_CURVE_CLASSES = 50
# At most so many classes, domains or sources are compared.
MAX_GROUPS = 100
# A result names at most so many items with a tie; `items.tsv` has all.
MAX_NAMED_TIES = 1000
# What a person or an item has for itself is computed from the answers when it is shown.
_OF_EACH = ("scores", "corrected", "annotators")
_OF_EACH_RATER = ("values", "best_annotator", "worst_annotator")
_DEFINITIONS = {
    "domain": _(
        "Number, mean, standard deviation (n - 1 in the denominator) and histogram of the "
        "items' scores by domain. The context's domain is used if there is one."
    ),
    "source": _(
        "Number, mean, standard deviation (n - 1 in the denominator) and histogram of the "
        "items' scores by source. The context's source is used if there is one."
    ),
}


def score_ratings(run: jobs.Run, population: Population, options: ScoringOptions) -> None:
    """Score one population of a rating study and store the result."""
    study = run.job.study
    design = study.design
    run.progress(0.0, translated(_("reading the answers")))
    # Before the labels are read: a change in between makes the result an outdated one.
    n_relabellings = relabellings.n_splitting(study)
    other_sources = rating_repeats.sources_elsewhere(study, population)
    read = rating_answers.read_ratings(design, population)
    run.progress(0.3, translated(_("%(n)s answers read", n=read.basis.n_judgments)))
    earlier = rating_repeats.earlier_round(study, read, population)
    phases = results.statistics_of_phases(
        run, read.phases, lambda phase: phase_statistics(read, phase, earlier)
    )
    statistics = {
        "scale": study.scale,
        "phases": phases,
        "working_time": median_times.of_counted(design, population).as_dict(),
        **phase_comparison.across_phases(design, read, population, options),
    }
    who = flags_of_people.of_ratings(read)
    statistics["flags"] = results.without(who.flags.as_dict(), "found")
    run.progress(0.95, translated(_("storing the scores")))
    parameters = {
        "n_relabellings": n_relabellings,
        "other_sources": other_sources,
        **options.as_dict(),
    }
    result = results.result_of(
        run,
        kind=QuestionKind.RATING,
        population=population,
        basis=read.basis,
        statistics=statistics,
        parameters=parameters,
    )
    with results.storing(run, result) as rows:
        results.add_people(rows, _people(result, read, who))


def _people(
    result: Result, read: RatingAnswers, who: flags_of_people.PeopleWhoRated
) -> Iterator[AnnotatorStatistics]:
    """How many counted ratings each has, and how they correlate with the others."""
    n_of = sum(
        (np.bincount(p.all.annotator, minlength=len(read.annotator_pks)) for p in read.phases),
        np.zeros(len(read.annotator_pks), dtype=np.int64),
    )
    return (
        AnnotatorStatistics(
            result=result,
            annotator_id=pk,
            n_judgments=int(n),
            compliance=json_number(who.correlations[number]),
            n_pairs=int(who.n_compared[number]),
            n_left_out=0,
            flags=flags_of_people.kept(who.flags, number, read.annotator_pks),
        )
        for number, (pk, n) in enumerate(zip(read.annotator_pks, n_of, strict=True))
    )


def phase_statistics(
    read: RatingAnswers, phase: PhaseRatings, earlier: EarlierRound
) -> dict[str, Any]:
    """All statistics of one phase in plain JSON types; what is of one item or person left out."""
    batch = phase.of_asked(phase.main_and_repeats)
    # Nothing of the calibration block is among them, which the command on the file learns from a
    # column, and gives the same figures.
    summary = scoring.summarise_ratings(
        batch,
        in_calibration=np.zeros(batch.n_ratings, dtype=np.bool_),
        pool=numbered_pools(phase, read.items),
    )
    figures: dict[str, Any] = results.without(summary.as_dict(), *_OF_EACH)
    figures["raters"] = {
        **results.without(figures["raters"], "n", "undefined"),
        "n_raters": int((~np.isnan(summary.raters.pearson)).sum()),
        **{
            name: results.without(figures["raters"][name], *_OF_EACH_RATER)
            for name in ("pearson", "spearman")
        },
    }
    for kind, icc in summary.icc.items():
        if icc.is_incomplete:
            # Its numbers of people and units mean nothing to a reader.
            reason = _("some annotators did not rate every item exactly once")
            figures["icc"][kind]["reason"] = reason
    units = np.flatnonzero(phase.is_asked)
    mean = summary.scores.mean
    return {
        "number": phase.number,
        "condition": phase.phase.condition,
        "summary": figures,
        "generalizability": scoring.generalizability(
            batch.first_answers(), pool=numbered_pools(phase, read.items)
        ).as_dict(),
        "noise_ceiling": scoring.noise_ceiling_of_ratings(batch.first_answers()).as_dict(),
        "practice": _practice(phase),
        "beside_first_round": _beside_first_round(phase, read.items.first),
        "by_class": _by(mean, [read.items.classes[n] for n in units], read),
        "by": {
            name: _by(mean, [labels[n] for n in units], read, splits=name)
            for name, labels in (("domain", read.items.domains), ("source", read.items.sources))
            if len({labels[n] for n in units}) > 1
        },
        "aggregates": _aggregates(phase, [read.items.keys[n] for n in units]),
        "calibration": _calibration(phase, read.items),
        "repeats": _repeats(phase, earlier),
        "earlier_rating": _beside_earlier(mean, read.items.earlier[units]),
    }


def _practice(phase: PhaseRatings) -> JsonObject:
    """Agreement by annotations already made, in so many classes as a plot has room for."""
    return scoring.calibration_curve(phase.main, width=_curve_width(phase)).as_dict()


def _curve_width(phase: PhaseRatings) -> int:
    order = phase.main.order
    last = int(order.max(initial=0)) if order is not None else 0
    return 1 + last // MAX_CURVE_CLASSES


def _beside_first_round(phase: PhaseRatings, first: FloatArray) -> dict[str, JsonObject] | None:
    """Both curves against what the first round said; None if it said nothing."""
    if np.isnan(first[phase.is_asked]).all():
        return None
    return {
        "practice": scoring.calibration_curve(
            phase.main, width=_curve_width(phase), reference=first
        ).as_dict(),
        "error_by_thinking_time": scoring.error_by_thinking_time(
            phase.main, reference=first
        ).as_dict(),
    }


def _by(
    mean: FloatArray, labels: Sequence[str], read: RatingAnswers, *, splits: str = ""
) -> dict[str, Any]:
    """Distribution of the scores in each class, or in each part by domain or source."""
    if len(set(labels)) > MAX_GROUPS:
        # Sources can be names of documents: a figure for each would not be informative.
        reason = _("there are more than %(n)s groups, too many for one figure", n=MAX_GROUPS)
        return {"classes": {}, "edges": [], "n_without_class": 0, "reason": reason}
    low, high = float(read.scale.low), float(read.scale.high)
    figures: dict[str, Any] = scoring.scores_by_class(mean, labels, low=low, high=high).as_dict()
    figures["reason"] = None if figures["classes"] else _("no item has an intended class")
    if splits:
        figures["definition"] = _DEFINITIONS[splits]
        figures["reason"] = None
    return figures


def _aggregates(phase: PhaseRatings, keys: Sequence[str]) -> dict[str, Any]:
    """How far a median or a majority is there, and the items in which several values tie."""
    main = phase.of_asked(phase.main)
    majority = scoring.aggregate(main, by="majority")
    n_rated = int((majority.n > 0).sum())
    assert majority.n_votes is not None  # a majority has votes
    more_than_half = majority.n_votes * 2 > majority.n
    return {
        # Only people's answers: experts' decisions replace single items, and are in no statistic.
        "definition": RULES["majority"],
        "n_rated": n_rated,
        "n_with_majority": int((~np.isnan(majority.value)).sum()),
        "n_more_than_half": int((more_than_half & (majority.n > 0)).sum()),
        "n_ties": len(majority.ties),
        "ties": [keys[n] for n in majority.ties[:MAX_NAMED_TIES].tolist()],
        "reason": None if n_rated else _("there are no ratings"),
    }


def _calibration(phase: PhaseRatings, items: ItemTable) -> dict[str, Any]:
    """How far the ratings of the calibration block lie from what is expected of its items."""
    calibration = phase.of_block(rating_answers.CALIBRATION).first_answers()
    deviation = calibration.value - items.expected[calibration.unit]
    known = deviation[~np.isnan(deviation)]
    scores = scoring.unit_scores(calibration)
    reason = None
    if not len(known):
        reason = (
            _("no item of the calibration block has an expected rating")
            if calibration.n_ratings
            else _("there are no ratings of a calibration block")
        )
    return {
        "definition": _(
            "Differences between calibration ratings and expected ratings: mean, mean absolute "
            "value, and root mean square. They do not count towards any score."
        ),
        "n_ratings": calibration.n_ratings,
        "n": len(known),
        "mean_deviation": json_number(known.mean()) if len(known) else None,
        "mean_absolute_deviation": json_number(np.abs(known).mean()) if len(known) else None,
        "rmse": json_number(np.sqrt((known**2).mean())) if len(known) else None,
        "items": [
            {
                "item": items.keys[n],
                "expected": json_number(items.expected[n]),
                "n": int(scores.n[n]),
                "mean": json_number(scores.mean[n]),
                "sd": json_number(scores.sd[n]),
            }
            for n in np.flatnonzero(scores.n).tolist()
        ],
        "reason": reason,
    }


def _repeats(phase: PhaseRatings, earlier: EarlierRound) -> dict[str, Any]:
    """Of the repeats: how many there are, and those of an earlier round beside it.

    Those of the same booklet are the intra-annotator agreement of the summary.
    """
    repeats = rating_repeats.repeats_of(phase, earlier)
    first, again = rating_repeats.batches_of(phase, repeats)
    agreement: dict[str, Any] = scoring.intra_annotator(first, again).as_dict()
    agreement["definition"] = _(
        "A person's repeated ratings compared with the same person's ratings in the earlier round."
    )
    if not agreement["n"]:
        agreement["reason"] = _("nobody rated an item of the earlier round again")
    return {
        "n": len(repeats.rows),
        "n_of_booklet": int(repeats.is_of_booklet.sum()),
        "n_of_earlier_round": int(repeats.is_of_earlier_round.sum()),
        "earlier_round": agreement,
    }


def _beside_earlier(mean: FloatArray, earlier: FloatArray) -> dict[str, Any]:
    """Correlation of the scores with the ratings that the items brought along."""
    both = ~(np.isnan(mean) | np.isnan(earlier))
    # Equal means have equal ranks.
    x, y = settled(mean[both], mean[both]), earlier[both]
    reason = scoring.why_undefined(x, y)
    if len(x) < phase_comparison.MIN_CORRELATED_ITEMS:
        reason = _("fewer than three items have both a score and an earlier rating")
    if np.isnan(earlier).all():
        reason = _("no item has an earlier rating")
    return {
        "definition": _("Correlation of the items' scores with their earlier ratings."),
        "n": int(both.sum()),
        "pearson": None if reason else json_number(float(scoring.pearson(x, y))),
        "spearman": None if reason else json_number(float(scoring.spearman(x, y))),
        "reason": reason,
    }
