"""The plan of selection studies."""

from django.utils.translation import gettext_lazy as _

from annotation.kinds.presets import ZERO_TO_SIX, Preset
from annotation.models.kinds import QuestionKind

PRESETS = (
    Preset(
        key="czech-round-1",
        kind=QuestionKind.SELECTION,
        order=40,
        name=_("Sentences selected from reports (Czech news, round 1)"),
        description=_(
            "Each item is an incident: a summary and the reports it was written from. For each"
            " sentence of the summary, a person chooses three sentences from the reports: the most"
            " similar, the least similar and one in between. The person rates each of them from 0"
            " to 6. There are 6 incidents per person. The next round turns the chosen sentences"
            " into pairs."
        ),
        parameters={"incidents_per_booklet": 6, "people_per_incident": 1},
        texts="selection",
        scale=ZERO_TO_SIX,
    ),
)
