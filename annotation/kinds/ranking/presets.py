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
            "4 items a tuple, twice as many tuples as items, 5 annotations a tuple. People put"
            " all items of a tuple in order, which says more than the best and the worst, and"
            " takes longer."
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
