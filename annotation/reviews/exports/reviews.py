"""The file of an expert check, or of a review of discrepancies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.basics.reviewed import Review
from annotation.core.exports.columns import Column, lines, rows_of, section
from annotation.core.exports.members import Archive
from annotation.core.queries.counted_answers import Population
from annotation.models import Study
from annotation.reviews.exports import review_columns
from annotation.reviews.exports.expert_check_tex import expert_check_tex
from annotation.reviews.queries import discrepancy_reviews, expert_checks
from annotation.reviews.queries.discrepancy_reviews import SortedItems
from annotation.reviews.queries.expert_checks import CheckedScores
from annotation.reviews.queries.reviewed_answers import ReviewedAnswers
from annotation.studies import presets
from scoring.baselines.latex_writing import booktabs


@dataclass(frozen=True)
class ReviewFile:
    name: str
    # A description for the README.
    about: str
    columns: list[Column]
    # A record for each row.
    rows: Iterable[Any]
    # The figures of the results page, for `study.json`.
    facts: dict[str, Any]
    # Categories and their counts for a review of discrepancies; shares for an expert check.
    counts: "CountsFile | None" = None
    # Tables for a paper; empty if there are none.
    latex: str = ""


@dataclass(frozen=True)
class CountsFile:
    """Counts and shares of items; `latex` is the same as a paper prints it."""

    name: str
    about: str
    columns: list[Column]
    # A record for each row.
    rows: Sequence[Any]
    latex: str

    @property
    def tsv(self) -> str:
        return "".join(lines(self.columns, self.rows))


def sections(archive: Archive) -> list[str]:
    """The sections of an export's README about the files."""
    review = review_file(archive.study, archive.population)
    return [section(file.name, file.about, file.columns) for file in _files(review)]


def write(archive: Archive) -> None:
    """Write the files, if the study is a review of scored items."""
    for file in _files(review_file(archive.study, archive.population)):
        archive.table(file.name, file.columns, file.rows)


def facts(archive: Archive) -> dict[str, Any]:
    """The entry of `study.json` about the review."""
    review = review_file(archive.study, archive.population)
    return {"review": review.facts} if review else {}


def _files(review: "ReviewFile | None") -> "list[ReviewFile | CountsFile]":
    if review is None:
        return []
    return [review, review.counts] if review.counts else [review]


def review_file(study: Study, population: Population) -> ReviewFile | None:
    """The file of a review; None if the study is not a review of scored items."""
    review = presets.review_of(study.preset)
    if review == Review.EXPERTS:
        checked = expert_checks.checked_scores(study, population)
        return _check(checked) if checked else None
    if review == Review.DISCREPANCIES:
        items = discrepancy_reviews.sorted_items(study, population)
        return _discrepancies(items) if items else None
    return None


def _check(checked: CheckedScores) -> ReviewFile:
    answers = checked.answers
    shares = CountsFile(
        "expert_check_shares.tsv",
        "How many scores the experts contradict. `tables.tex` of a release has the same table as"
        " `tab:expert-check`.",
        review_columns.expert_check_shares(),
        expert_checks.share_records(checked),
        expert_check_tex(checked),
    )
    return ReviewFile(
        "expert_check.tsv",
        "In an expert check, experts say of each item whether it belongs above or below the middle"
        " of the scale, without seeing its score. One row for each item: its texts, its score in"
        " the scored study, and what the experts say. The first rows are the contradicted scores,"
        " those farthest from the middle first. `review` in `study.json` has the totals.",
        review_columns.expert_check(answers.people),
        expert_checks.records(checked),
        {
            "compared_with": _compared(answers),
            "experts": answers.people,
            "sides": list(checked.sides),
            **checked.check.as_dict(),
        },
        counts=shares,
        latex=shares.latex,
    )


def _discrepancies(items: SortedItems) -> ReviewFile:
    counts, first = items.counts, items.items[0].reviewed
    of_categories = _counts(items)
    return ReviewFile(
        "discrepancies.tsv",
        "In a review of discrepancies, people say why their scores differ from an automatic"
        " measure. One row for each item whose score differs: its texts, both values, and the"
        " categories that people chose. `review` in `study.json` has the totals.",
        review_columns.discrepancies(),
        discrepancy_reviews.records(items),
        {
            "compared_with": _compared(items.answers),
            "measure": first.measure,
            "compared_by": first.by,
            "rule": first.rule,
            "directions": ["people higher", "measure higher"],
            "n_labelled": counts.n_items.tolist(),
            "categories": {
                name: counts.n_chosen[n].tolist() for n, name in enumerate(items.categories)
            },
            "without_category": counts.n_without.tolist(),
        },
        counts=of_categories,
        latex=of_categories.latex,
    )


def _counts(items: SortedItems) -> CountsFile:
    first = items.items[0].reviewed
    columns = review_columns.discrepancy_categories()
    records = discrepancy_reviews.category_counts(items)
    rule = (
        f"by thresholds ({first.rule})"
        if first.rule
        else f"the largest differences, by {first.by}"
    )
    return CountsFile(
        "discrepancy_categories.tsv",
        "How many items belong to each category. An item belongs to a category if more than half"
        " of the people who labelled it chose the category. One row for each category.",
        columns,
        records,
        booktabs(
            f"Why people and {first.measure} differ: number of items in each category. An item"
            " belongs to a category that more than half of its annotators chose. Selection of"
            f" items: {rule}.",
            "tab:discrepancy-categories",
            ["category", "people higher", "share", f"{first.measure} higher", "share", "all"],
            list(rows_of(columns, records)),
        ),
    )


def _compared(answers: ReviewedAnswers) -> list[dict[str, Any]]:
    return [
        {
            "study": other.study.slug,
            "title": other.study.title,
            "scored_at": other.computed_at.isoformat() if other.computed_at else None,
            "phase": other.phase,
            "has_newer_scores": other.is_old,
            "column": other.column,
        }
        for other in answers.compared
    ]
