"""The scores of a finished study's items on one scale from 0 to 1, with all their digits."""

from dataclasses import dataclass

from annotation.baselines.queries import measures
from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.kinds.queries.people_scores import RatingRule, ScoredItems
from annotation.kinds.registry import kind_of
from annotation.models import Result, Study

_CHUNK = 5000


@dataclass(frozen=True)
class ComparableScores:
    """People's scores of items, from a result or a column, on two scales.

    `scores` are from 0 to 1; `labels` are the same values as people gave them: on the scale of
    the ratings, or as the column has them. Best-worst scores are from 0 to 1 in both.
    """

    scores: dict[int, float]
    labels: dict[int, float]
    n_without: int
    result: Result | None = None
    phase: int | None = None
    # The column of published labels.
    column: str = ""
    # True if `labels` are labels rather than means or best-worst scores.
    is_labelled: bool = False


def comparable_scores(
    study: Study, *, phase: int | None = None, by: RatingRule = "mean"
) -> ComparableScores:
    """The scores of the latest result; raises as `scored_items` does."""
    scored = scored_items(study, phase=phase, by=by)
    low, high = _range(study) or (0.0, 1.0)
    # Rounding removes the error of dividing by the length of the scale.
    labels = {pk: round(low + (high - low) * score, 12) for pk, score in scored.scores.items()}
    return ComparableScores(
        scored.scores,
        labels,
        scored.n_without,
        scored.result,
        scored.phase,
        is_labelled=scored.is_labelled,
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
    if (ends := _range(study)) and ends[0] <= low and high <= ends[1]:
        low, high = ends
    scores = {pk: (value - low) / (high - low) for pk, value in labels.items()}
    return ComparableScores(scores, labels, n_without, column=column, is_labelled=True)


def scored_items(
    study: Study, *, phase: int | None = None, by: RatingRule = "mean"
) -> ScoredItems:
    """The score of each item in the latest result, from 0 to 1.

    For ratings it is the mean of one phase (by default the first); `by` majority it is the most
    frequent rating, and items with several most frequent ratings have no score.

    Raises StateError, with what to do, if there is no result of the current answers.
    """
    title = {"study": study.title}
    scores = kind_of(study).baselines.scores
    if scores is None:
        raise StateError(
            _("%(study)s has no scores. Choose a best-worst, ranking or rating study.") % title
        )
    if study.is_draft:
        raise StateError(_("%(study)s is a draft and has no answers. Open it first.") % title)
    if study.is_imported_table:
        raise StateError(
            _("%(study)s has imported values but no scores. Choose a column of its items.") % title
        )
    if study.state not in Study.OVER:
        raise StateError(
            _("%(study)s is still open. Close it first, so that its answers are complete.") % title
        )
    result = _latest(study)
    if result is None:
        if not counted_answers.basis(study, "people").n_judgments and (
            counted_answers.basis(study, "simulated").n_judgments
        ):
            raise StateError(
                _("%(study)s has no scores from people. Simulated answers do not count.") % title
            )
        raise StateError(
            _("%(study)s has not been scored yet. Score it on its results page.") % title
        )
    if not counted_answers.basis(result.design, "people").is_of(result):
        raise StateError(
            _("The answers to %(study)s have changed since it was scored. Score it again first.")
            % title
        )
    return scores.read(study, result, phase, by)


def phases(study: Study) -> list[tuple[int, str]]:
    """Number and condition of the phases that have scores of their own."""
    scores = kind_of(study).baselines.scores
    return scores.phases(study) if scores else []


def _range(study: Study) -> tuple[float, float] | None:
    """The ends of the rating scale; None if there is none."""
    scores = kind_of(study).baselines.scores
    return scores.score_range(study) if scores else None


def _latest(study: Study) -> Result | None:
    design = study.designs.order_by("-number").first()
    return study.results.filter(population="people", design=design).order_by("-pk").first()
