"""The file of an expert check, or of a review of discrepancies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation import presets
from annotation.exports import review_columns
from annotation.exports.columns import Column
from annotation.exports.expert_check_tex import expert_check_tex
from annotation.models import Study
from annotation.queries import discrepancy_reviews, expert_checks
from annotation.queries.answers import Population
from annotation.queries.discrepancy_reviews import SortedItems
from annotation.queries.expert_checks import CheckedScores
from annotation.queries.exporting import Cell
from annotation.queries.reviewed_answers import ReviewedAnswers
from annotation.reviewed import Review


@dataclass(frozen=True)
class ReviewFile:
    name: str
    # What it is, for the README.
    about: str
    columns: list[Column]
    rows: Iterable[Sequence[Cell]]
    # The figures of the results page, for `study.json`.
    facts: dict[str, Any]
    # Tables for a paper; empty if there are none.
    latex: str = ""


def review_file(study: Study, population: Population) -> ReviewFile | None:
    """None of a study that looks at no scored items."""
    review = presets.review_of(study.preset)
    if review == Review.EXPERTS:
        checked = expert_checks.checked_scores(study, population)
        return _check(checked) if checked else None
    if review == Review.DISCREPANCIES:
        found = discrepancy_reviews.sorted_items(study, population)
        return _discrepancies(found) if found else None
    return None


def _check(checked: CheckedScores) -> ReviewFile:
    answers = checked.answers
    return ReviewFile(
        "expert_check.tsv",
        "Every item that was taken from the scored study, beside what the experts say; contexts"
        " whole. `study.json` has the figures as `review`.",
        review_columns.expert_check(answers.people),
        expert_checks.rows(checked),
        {
            "compared_with": _compared(answers),
            "experts": answers.people,
            "sides": list(checked.sides),
            **checked.check.as_dict(),
        },
        expert_check_tex(checked),
    )


def _discrepancies(found: SortedItems) -> ReviewFile:
    counts, first = found.counts, found.items[0].reviewed
    return ReviewFile(
        "discrepancies.tsv",
        "Every item that was taken from the scored study because a measure differs, and the"
        " categories that people put it into; contexts whole. `study.json` has the counts as"
        " `review`.",
        review_columns.discrepancies(),
        discrepancy_reviews.rows(found),
        {
            "compared_with": _compared(found.answers),
            "measure": first.measure,
            "compared_by": first.by,
            "directions": ["people higher", "measure higher"],
            "n_labelled": counts.n_items.tolist(),
            "categories": {
                name: counts.n_chosen[n].tolist() for n, name in enumerate(found.categories)
            },
            "without_category": counts.n_without.tolist(),
        },
    )


def _compared(answers: ReviewedAnswers) -> list[dict[str, Any]]:
    return [
        {
            "study": one.study.slug,
            "scored_at": one.computed_at.isoformat(),
            "phase": one.phase,
            "has_newer_scores": one.is_old,
        }
        for one in answers.compared
    ]
