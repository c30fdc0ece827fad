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
            "Each person reads 6 incidents; an incident is a summary with the reports it was"
            " written from. For each sentence of the summary, they choose three sentences from the"
            " reports: the most similar, the least similar and one in between. They rate each of"
            " these from 0 to 6; the next round turns them into pairs."
        ),
        parameters={"incidents_per_booklet": 6, "people_per_incident": 1},
        texts="selection",
        scale=ZERO_TO_SIX,
    ),
)
