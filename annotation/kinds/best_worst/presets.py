"""The plans of best-worst studies."""

from django.utils.translation import gettext_lazy as _

from annotation.kinds.presets import Preset
from annotation.models.kinds import QuestionKind

PRESETS = (
    Preset(
        key="best-worst",
        kind=QuestionKind.BEST_WORST,
        order=10,
        name=_("Best-worst scaling"),
        description=_(
            "For words, sentences or pairs. People see 4 items at a time. There are twice as many"
            " of these tuples as items, and 5 people answer each. Each group of items needs at"
            " least 6."
        ),
        parameters={
            "tuple_size": 4,
            "factor": 2.0,
            "annotations_per_tuple": 5,
            "questions_per_screen": 1,
            "screens_per_booklet": 20,
            "strata": [],
        },
    ),
    Preset(
        key="giccs",
        kind=QuestionKind.BEST_WORST,
        order=20,
        name=_("Dialogues (GiCCS): sentences compared with the last turn"),
        description=_(
            "Follows the German benchmark GiCCS. Each dialogue has 5 candidates. People see 3 of"
            " them at a time, and 5 people answer each of the ten possible tuples. Each screen"
            " shows two dialogues, with 3 and with 5 turns if there are both."
        ),
        parameters={
            "tuple_size": 3,
            "factor": 2.0,
            "annotations_per_tuple": 5,
            "questions_per_screen": 2,
            "screens_per_booklet": 10,
            "strata": ["turns"],
        },
        max_booklets=0,
        texts="dialogues",
    ),
)
