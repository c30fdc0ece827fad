"""A leaderboard's table of measures that might answer in place of people."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from annotation.baselines.queries.human_scores import HumanScores
from annotation.baselines.queries.score_sources import ResultSource
from annotation.basics.scale import Scale
from annotation.kinds.queries.people_scores import PeopleAnswers
from annotation.kinds.registry import kind_of
from annotation.models import Baseline, Study
from scoring import alternative_annotator_tests
from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.json_values import json_number


def figures(
    study: Study, people: HumanScores, measures: Sequence[Baseline], counts: BoolArray
) -> list[dict[str, Any]]:
    """The test of each measure that says what a person could say, with each bonus.

    None of people's scores in a column: it is not known who gave them. None of a part of the
    items, for people answered all of them. Of ratings, only uploaded measures whose values lie on
    the scale: no other values are what a person could answer.

    Parameters
    ----------
    counts : bool array, shape (n,)
        Which items count, in the order of the measures' values.
    """
    part = kind_of(study).baselines.scores
    if part is None or not isinstance(people.source, ResultSource) or not counts.all():
        return []
    read = part.answers(study, people.source.phase)
    pks = study.items.without_checks().order_by("number").values_list("pk", flat=True)
    place = {pk: n for n, pk in enumerate(pks)}
    rows = np.array([place.get(pk, -1) for pk in read.item_pks], dtype=np.int64)
    return [
        _figures(measure, values, read)
        for measure in measures
        if (values := _answers_of(measure, rows, read.scale)) is not None
    ]


def _answers_of(measure: Baseline, rows: IntArray, scale: Scale | None) -> FloatArray | None:
    """What the measure says of each item, on the points of the scale; None if no person could.

    Between the points, a model would be closer to people than any of them could be.
    """
    if not len(rows):
        return None
    values = np.where(rows >= 0, measure.array[rows], np.nan)
    if scale is None:
        return values
    low, high, step = (float(end) for end in (scale.low, scale.high, scale.step))
    known = values[np.isfinite(values)]
    is_on_scale = len(known) and low <= known.min() and known.max() <= high
    if measure.measure != Baseline.UPLOADED or not is_on_scale:
        return None
    answers: FloatArray = low + np.rint((values - low) / step) * step
    return answers


def _figures(measure: Baseline, values: FloatArray, read: PeopleAnswers) -> dict[str, Any]:
    """One row; nothing of single people is stored."""
    tests = alternative_annotator_tests(read.answers, values, pool=read.clusters)
    first = tests[0]
    return {
        "baseline": measure.pk,
        "measure": measure.name,
        "reason": first.reason,
        "definition": first.definition,
        "n_tested": first.n_tested,
        "mean_advantage": json_number(first.mean_advantage),
        "is_above_chance": first.is_above_chance,
        "coverage": json_number(first.coverage),
        "is_covering": first.is_covering,
        "tests": [
            {
                "epsilon": test.epsilon,
                "winning_rate": json_number(test.winning_rate),
                "may_stand_in": test.may_stand_in,
            }
            for test in tests
        ],
    }
