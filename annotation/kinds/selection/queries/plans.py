"""What the numbers of a selection design lead to, and what a design that was made says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import grouped
from annotation.kinds.design_parameters import SelectionParameters
from annotation.kinds.selection.queries.layouts import MIN_REPORT_SENTENCES, lay_out
from annotation.models import Study


@dataclass(frozen=True)
class SelectionPlan:
    """Counts that follow from the incidents and the numbers alone."""

    n_incidents: int
    n_questions: int
    n_booklets: int
    people_per_incident: int

    @property
    def n_places(self) -> int:
        return self.n_booklets * self.people_per_incident

    @property
    def n_pairs(self) -> int:
        """Pairs that the next round has."""
        return self.n_questions * self.people_per_incident * MIN_REPORT_SENTENCES


def plan(study: Study, parameters: SelectionParameters) -> SelectionPlan:
    """Count what a design would have.

    Raises ImpossibleParametersError if an incident has nothing to choose from.
    """
    layout = lay_out(study, parameters)
    return SelectionPlan(
        n_incidents=len(layout.incidents),
        n_questions=layout.n_questions,
        n_booklets=len(layout.sizes),
        people_per_incident=parameters.people_per_incident,
    )


def sentences(certificate: Mapping[str, Any]) -> list[str]:
    """The certificate of a design in the reader's language, said from its numbers."""
    return [
        ngettext(
            "%(n)s incident with %(questions)s sentences in its summary. Each person "
            "answers one question per sentence.",
            "%(n)s incidents with %(questions)s sentences in their summaries. Each "
            "person answers one question per sentence.",
            certificate["n_incidents"],
        )
        % {
            "n": grouped(certificate["n_incidents"]),
            "questions": grouped(certificate["n_questions"]),
        },
        _(
            "Incidents per person: %(incidents)s. Questions per person: "
            "%(questions)s. The incidents come in random order, drawn with the seed; "
            "the sentences of a summary stay in order."
        )
        % {
            "incidents": _span(certificate["incidents_min"], certificate["incidents_max"]),
            "questions": _span(certificate["questions_min"], certificate["questions_max"]),
        },
        ngettext(
            "%(n)s person per incident. For every question, they choose three "
            "sentences from the reports and rate them.",
            "%(n)s people per incident. For every question, they choose three "
            "sentences from the reports and rate them.",
            certificate["people_per_incident"],
        )
        % {"n": grouped(certificate["people_per_incident"])},
    ]


def _span(low: int, high: int) -> str:
    if low == high:
        return grouped(low)
    return _("%(low)s to %(high)s") % {"low": grouped(low), "high": grouped(high)}
