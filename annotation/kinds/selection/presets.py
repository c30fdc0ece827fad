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
            "Items are incidents: a summary and the reports that it was made from. For every"
            " sentence of the summary a person chooses three sentences of the reports, the"
            " most similar, one in between and the least similar, and rates each from 0 to 6;"
            " 6 incidents a person. The next round turns what was chosen into pairs."
        ),
        parameters={"incidents_per_booklet": 6, "people_per_incident": 1},
        texts="selection",
        scale=ZERO_TO_SIX,
    ),
)
