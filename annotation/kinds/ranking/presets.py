"""The plans of ranking studies."""

from django.utils.translation import gettext_lazy as _

from annotation.kinds.presets import Preset
from annotation.models.kinds import QuestionKind

PRESETS = (
    Preset(
        key="ranking",
        kind=QuestionKind.RANKING,
        order=25,
        name=_("Ranking: put a few items in order"),
        description=_(
            "People put 4 items at a time in order. There are twice as many of these tuples as"
            " items, and 5 people answer each. This gives more information than picking the best"
            " and the worst, but takes longer. Each group of items needs at least 6."
        ),
        parameters={
            "tuple_size": 4,
            "factor": 2.0,
            "annotations_per_tuple": 5,
            "questions_per_screen": 1,
            "screens_per_booklet": 20,
            "strata": [],
        },
        texts="ranking",
    ),
)
