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
            "4 items per tuple, twice as many tuples as items, 5 annotators per tuple. People put"
            " all items of a tuple in order. This gives more information than picking the best and"
            " the worst, but takes longer."
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
