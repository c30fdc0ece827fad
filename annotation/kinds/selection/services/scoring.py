"""Scoring a selection study: ratings by class and by set of pairs, as one stored result."""

from typing import Any

import numpy as np

from annotation.basics.scored_pairs import pair_key
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers, median_times, snapshots
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.rating.queries import later_effects
from annotation.kinds.selection.queries.pick_rows import SelectionRows, training_pairs
from annotation.kinds.services import results
from annotation.models.kinds import QuestionKind
from scoring.arrays import BoolArray
from scoring.ratings.selection_summary import summarise_selection

# A name of this set is followed by the short name of the round that tested its pairs.
SIGNIFICANT = "significant"


def score_selections(run: jobs.Run, population: Population) -> None:
    """Summarise the ratings of one population's selections and store the result."""
    study, design = run.job.study, run.job.study.design
    run.progress(0.0, _("reading the answers"))
    # The rounds and what they test are of one moment.
    with snapshots.snapshot():
        basis = counted_answers.basis(study, population)
        rounds = later_effects.rounds_in_two_phases(study, population)
        stamps = later_effects.stamps(rounds, population)
        pairs = training_pairs(SelectionRows(design, population))
        significant = {
            later.slug: later_effects.significant_keys(later, population) for later in rounds
        }
    run.progress(0.5, _("%(n)s answers read") % {"n": basis.n_judgments})
    keys = [pair_key(*pair.texts) for pair in pairs.pairs] if rounds else []
    selections: dict[str, BoolArray] = {
        f"{SIGNIFICANT}:{slug}": np.array([key in changed for key in keys], dtype=np.bool_)
        for slug, (_test, changed) in significant.items()
    }
    scale = pairs.scale
    summary = summarise_selection(
        pairs.ratings,
        pairs.classes,
        expected=pairs.expected,
        low=float(scale.low),
        high=float(scale.high),
        step=float(scale.step),
        selections=selections,
    )
    statistics: dict[str, Any] = {
        **summary.as_dict(),
        "scale": study.scale,
        "expected": pairs.expected,
        "level": later_effects.LEVEL,
        "rounds": {later.slug: later.title for later in rounds},
        # The t-test of each round that selects its pairs.
        "tests": {slug: test for slug, (test, _changed) in significant.items()},
        "working_time": median_times.of_counted(design, population).as_dict(),
    }
    run.progress(0.95, _("storing the scores"))
    result = results.result_of(
        run,
        kind=QuestionKind.SELECTION,
        population=population,
        basis=basis,
        statistics=statistics,
        parameters={"other_sources": stamps},
    )
    with results.storing(run, result):
        pass  # no rows beside it
