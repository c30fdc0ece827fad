"""The incidents of a selection study, and how many of them each booklet has."""

from dataclasses import dataclass

from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.kinds.design_parameters import ImpossibleParametersError, SelectionParameters
from annotation.models import ContextGroup, Study, Turn

# The summary of an incident is the context with this ending; all others are reports.
SUMMARY = "/summary"
# The smallest number of sentences: one for each role.
MIN_REPORT_SENTENCES = 3
MAX_QUESTIONS = 2_000_000


@dataclass(frozen=True)
class Incident:
    """An incident of a study, as far as its design goes."""

    key: str
    # Primary keys of the summary's sentences, in their order: each is asked about.
    summary: list[int]
    n_report_sentences: int


@dataclass(frozen=True)
class Layout:
    """The incidents of each booklet, by their place in the list; not drawn yet."""

    incidents: list[Incident]
    sizes: list[int]

    @property
    def n_questions(self) -> int:
        return sum(len(incident.summary) for incident in self.incidents)


def lay_out(study: Study, parameters: SelectionParameters) -> Layout:
    """Read the incidents, and part them evenly among as few booklets as the numbers allow.

    Raises ImpossibleParametersError if an incident has nothing to choose from.
    """
    parameters.check()
    incidents = incidents_of(study)
    if not incidents:
        raise StateError(_("There are no incidents yet. Import them first."))
    for incident in incidents:
        if not incident.summary:
            raise ImpossibleParametersError(
                _("The incident %(key)s has no summary. Import it again with a summary.")
                % {"key": incident.key}
            )
        if incident.n_report_sentences < MIN_REPORT_SENTENCES:
            raise ImpossibleParametersError(
                _(
                    "The reports of the incident %(key)s have %(n)s sentences in total, "
                    "but at least three are needed. Leave it out, or add reports."
                )
                % {"key": incident.key, "n": incident.n_report_sentences}
            )
    n_booklets = -(-len(incidents) // parameters.incidents_per_booklet)
    each, more = divmod(len(incidents), n_booklets)
    layout = Layout(incidents, [each + (number < more) for number in range(n_booklets)])
    if layout.n_questions > MAX_QUESTIONS:
        raise ImpossibleParametersError(
            _(
                "That makes %(n)s questions, but a study can have at most %(most)s. "
                "Split the incidents into several studies."
            )
            % {"n": layout.n_questions, "most": MAX_QUESTIONS}
        )
    return layout


def incidents_of(study: Study) -> list[Incident]:
    """The incidents of a study in the order of their import."""
    groups = {
        pk: Incident(key, [], 0)
        for pk, key in ContextGroup.objects.filter(study=study)
        .order_by("pk")
        .values_list("pk", "key")
    }
    n_sentences = dict.fromkeys(groups, 0)
    rows = (
        Turn.objects.filter(context__group__study=study)
        .order_by("context_id", "position")
        .values_list("pk", "context__group_id", "context__key")
    )
    for turn, group, context in rows.iterator():
        if context == f"{groups[group].key}{SUMMARY}":
            groups[group].summary.append(turn)
        else:
            n_sentences[group] += 1
    return [
        Incident(incident.key, incident.summary, n_sentences[pk])
        for pk, incident in groups.items()
    ]
