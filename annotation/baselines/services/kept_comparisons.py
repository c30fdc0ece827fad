"""Comparisons of correlations that somebody keeps beside a leaderboard, for its files."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction

from annotation.baselines.queries.leaderboards import latest_report
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import error_message, translated
from annotation.basics.sentences import sentence as _
from annotation.core.services.locks import lock_study
from annotation.models import BaselineReport, Study
from scoring.baselines.compared import Comparison, compare
from scoring.baselines.questions import Question

# A table for a paper has fewer rows.
MAX_KEPT = 200


def answered(report: BaselineReport, question: Question) -> Comparison:
    """The comparison, from the stored figures. Raises AnnotationError for what cannot be."""
    try:
        return compare(report.figures, question)
    except ValueError as error:
        raise AnnotationError(error_message(error)) from error


def keep(*, report: BaselineReport, question: Question) -> Comparison:
    """Store a comparison with its leaderboard; a comparison is stored only once.

    Raises AnnotationError if the values cannot be compared, or if there is no test for them.
    """
    comparison = answered(report, question)
    if comparison.reason:
        raise StateError(
            _("The comparison was not saved, because it cannot be computed: %(reason)s.")
            % {"reason": translated(comparison.reason)}
        )
    row = question.as_dict()

    def added(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if row in rows:
            return rows
        if len(rows) >= MAX_KEPT:
            raise StateError(
                _("%(n)s comparisons are already saved. Remove some first.") % {"n": len(rows)}
            )
        return [*rows, row]

    _change(report, added)
    return comparison


def remove(*, report: BaselineReport, number: int) -> None:
    """Remove the stored comparison of this number, from 0; unknown numbers are ignored."""
    _change(report, lambda rows: [row for n, row in enumerate(rows) if n != number])


def carried_over(study: Study, figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Comparisons of the newest leaderboard that the figures of the next one can answer, too."""
    before = latest_report(study)
    rows = before.parameters.get("comparisons", []) if before else []
    subsets = {subset["name"] for subset in figures["subsets"]}
    measures = {*figures["measures"]}
    return [
        row
        for row in rows
        if row["subset"] in subsets
        and {name for name in (row["first"], row["second"]) if isinstance(name, str)} <= measures
    ]


@transaction.atomic
def _change(
    report: BaselineReport, changed: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
) -> None:
    lock_study(report.study_id)
    stored = BaselineReport.objects.defer("figures").get(pk=report.pk)
    before = stored.parameters.get("comparisons", [])
    stored.parameters["comparisons"] = changed(before)
    if stored.parameters["comparisons"] == before:
        return
    # A prepared download compares this number to notice that it is outdated.
    stored.parameters["comparisons_revision"] = (
        stored.parameters.get("comparisons_revision", 0) + 1
    )
    stored.save(update_fields=["parameters"])
    report.parameters = stored.parameters
