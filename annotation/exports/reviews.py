"""The file of an expert check, or of a review of discrepancies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation import presets
from annotation.exports import review_columns
from annotation.exports.columns import Column
from annotation.models import Study
from annotation.queries import discrepancy_reviews, expert_checks
from annotation.queries.answers import Population
from annotation.queries.exporting import Cell
from annotation.reviewed import Review


@dataclass(frozen=True)
class ReviewFile:
    name: str
    columns: list[Column]
    rows: Iterable[Sequence[Cell]]


def review_file(study: Study, population: Population) -> ReviewFile | None:
    """None of a study that looks at no scored items."""
    review = presets.review_of(study.preset)
    if review == Review.EXPERTS:
        checked = expert_checks.checked_scores(study, population)
        if checked:
            columns = review_columns.expert_check(checked.answers.people)
            return ReviewFile("expert_check.tsv", columns, expert_checks.rows(checked))
    if review == Review.DISCREPANCIES:
        found = discrepancy_reviews.sorted_items(study, population)
        if found:
            rows = discrepancy_reviews.rows(found)
            return ReviewFile("discrepancies.tsv", review_columns.discrepancies(), rows)
    return None
