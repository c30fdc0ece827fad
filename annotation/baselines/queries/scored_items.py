"""The scores of a finished study's items on one scale from 0 to 1, with all their digits."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from annotation.baselines.queries import measures
from annotation.basics.errors import StateError
from annotation.basics.scale import Scale
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.kinds.rating.queries.items import ItemFigures
from annotation.models import Result, Study
from annotation.models.kinds import QuestionKind

_CHUNK = 5000
# How several ratings of an item become one score.
RatingRule: TypeAlias = Literal["mean", "majority"]


@dataclass(frozen=True)
class ScoredItems:
    """Scores by the primary key of the item; an item without one is not among them."""

    result: Result
    # Number of the phase that was rated; None of a best-worst study.
    phase: int | None
    scores: dict[int, float]
    n_without: int


@dataclass(frozen=True)
class ComparableScores:
    """What people say of items, from a result or a column, on two scales.

    `scores` are from 0 to 1; `labels` are the same values as people gave them: on the scale of
    the ratings, or as the column has them. Best-worst scores are from 0 to 1 in both.
    """

    scores: dict[int, float]
    labels: dict[int, float]
    n_without: int
    result: Result | None = None
    phase: int | None = None
    # Of published labels: the column that they stand in.
    column: str = ""
    # Whether `labels` are labels, and no means or best-worst scores.
    is_labelled: bool = False


def comparable_scores(
    study: Study, *, phase: int | None = None, by: RatingRule = "mean"
) -> ComparableScores:
    """What the latest result says, as `scored_items`; raises as that does."""
    scored = scored_items(study, phase=phase, by=by)
    low, high = 0.0, 1.0
    if study.kind == QuestionKind.RATING:
        scale = Scale.of(study.scale)
        low, high = float(scale.low), float(scale.high)
    # Without the digits that dividing by the length of the scale leaves.
    labels = {pk: round(low + (high - low) * one, 12) for pk, one in scored.scores.items()}
    return ComparableScores(
        scored.scores,
        labels,
        scored.n_without,
        scored.result,
        scored.phase,
        is_labelled=by == "majority" and study.kind == QuestionKind.RATING,
    )


def published_labels(study: Study, column: str) -> ComparableScores:
    """Labels that were imported with the items, in a column that holds nothing but numbers.

    They are rescaled by the ends of the study's scale where all of them are on it, else by the
    lowest and the highest of them.

    Raises ImportProblemsError for a value that is no number, StateError where all are the same.
    """
    values = measures.of_column(study, column).values
    keys = study.items.without_checks().values_list("pk", "key")
    labels = {pk: values[key] for pk, key in keys.iterator(chunk_size=_CHUNK) if key in values}
    n_without = study.items.without_checks().count() - len(labels)
    low, high = min(labels.values(), default=0.0), max(labels.values(), default=0.0)
    if low == high:
        raise StateError(
            _("The column %(name)s has fewer than two different values. Choose another.")
            % {"name": column}
        )
    if study.kind == QuestionKind.RATING:
        scale = Scale.of(study.scale)
        if float(scale.low) <= low and high <= float(scale.high):
            low, high = float(scale.low), float(scale.high)
    scores = {pk: (value - low) / (high - low) for pk, value in labels.items()}
    return ComparableScores(scores, labels, n_without, column=column, is_labelled=True)


def scored_items(
    study: Study, *, phase: int | None = None, by: RatingRule = "mean"
) -> ScoredItems:
    """What the latest result says of each item.

    Best-worst scores are rescaled as (score + 1) / 2; of ratings it is the mean of one phase (the
    first, unless another is named), rescaled by the ends of the scale; `by` majority it is the
    most frequent rating, and an item in which several are the most frequent has no score.

    Raises StateError, with what to do, where there is no result of today's answers.
    """
    title = {"study": study.title}
    if not study.is_scored:
        raise StateError(
            _("%(study)s has no scores. Choose a best-worst or a rating study.") % title
        )
    if study.is_draft:
        raise StateError(
            _("%(study)s is a draft, which nobody has answered: open it first.") % title
        )
    if study.is_imported_table:
        raise StateError(
            _("%(study)s has imported values and no scores: choose a column of its items.") % title
        )
    if study.state not in Study.OVER:
        raise StateError(
            _("%(study)s still takes people. Close it first; then its answers are complete.")
            % title
        )
    result = _latest(study)
    if result is None:
        if not counted_answers.basis(study, "people").n_judgments and (
            counted_answers.basis(study, "simulated").n_judgments
        ):
            raise StateError(
                _("%(study)s has no scores from people; simulated answers do not count.") % title
            )
        raise StateError(
            _("%(study)s has not been scored yet. Score it on its results page.") % title
        )
    if not counted_answers.basis(result.design, "people").is_of(result):
        raise StateError(
            _("The answers to %(study)s have changed since it was scored. Score it again first.")
            % title
        )
    if study.kind == QuestionKind.BEST_WORST:
        return _best_worst(result)
    return _ratings(study, result, phase, by)


def phases(study: Study) -> list[tuple[int, str]]:
    """Number and condition of the phases of which a rating study has scores; else none."""
    if study.kind != QuestionKind.RATING:
        return []
    return list(study.design.phases.order_by("number").values_list("number", "condition"))


def _latest(study: Study) -> Result | None:
    design = study.designs.order_by("-number").first()
    return study.results.filter(population="people", design=design).order_by("-pk").first()


def _best_worst(result: Result) -> ScoredItems:
    rows = list(result.item_scores.values_list("item_id", "score"))
    scores = {item: (score + 1) / 2 for item, score in rows if score is not None}
    return ScoredItems(result, None, scores, len(rows) - len(scores))


def _ratings(study: Study, result: Result, number: int | None, by: RatingRule) -> ScoredItems:
    read = read_ratings(result.design, "people")
    place = next(
        (n for n, one in enumerate(read.phases) if number in (None, one.number)),
        None,
    )
    if place is None:
        raise StateError(
            _("%(study)s has no phase %(number)s. Choose one that it has.")
            % {"study": study.title, "number": number}
        )
    figures = ItemFigures(read)
    low, high = float(read.scale.low), float(read.scale.high)
    ratings = figures.majorities[place] if by == "majority" else figures.scores[place].mean
    rescaled = (ratings - low) / (high - low)
    known = np.flatnonzero(np.isfinite(rescaled))
    scores = {read.items.pks[n]: float(rescaled[n]) for n in known.tolist()}
    n_asked = int(figures.is_asked.sum())
    return ScoredItems(result, read.phases[place].number, scores, n_asked - len(scores))
