"""The plans of rating studies."""

from django.utils.translation import gettext_lazy as _

from annotation.kinds.presets import ZERO_TO_SIX, Preset, one_phase
from annotation.models.kinds import QuestionKind

PRESETS = (
    Preset(
        key="sts-context",
        kind=QuestionKind.RATING,
        order=55,
        name=_("Sentence pairs alone and in context (Czech news, round 3)"),
        description=_(
            "Ratings from 0 to 6: nine ratings per pair, 50 pairs per person. After 72 hours,"
            " everybody has 14 days to start rating the same pairs again, now in context. In each"
            " phase, everybody rates 5 of the pairs twice. Calibration pairs are optional: choose,"
            " for example, six with known answers on the design page."
        ),
        parameters={
            "ratings_per_item": 9,
            "items_per_booklet": 50,
            "arrangement": "grouped",
            "n_teams": 1,
            "questions_per_screen": 1,
            "phases": [
                {"condition": "context_free", "delay_hours": 0.0, "closes_after_days": None},
                {
                    "condition": "context_dependent",
                    "delay_hours": 72.0,
                    "closes_after_days": 14.0,
                },
            ],
            "calibration": [],
            "n_repeats": 5,
            "repeat_from": "booklet",
            "repeat_distance": 20,
        },
        texts="ratings",
        scale=ZERO_TO_SIX,
    ),
    Preset(
        key="czech-round-2",
        kind=QuestionKind.RATING,
        order=50,
        name=_("Sentence pairs divided among three people (Czech news, round 2)"),
        description=_(
            "Ratings from 0 to 6, one rating per pair. Pairs come in groups of three, and each of"
            " three people rates one pair of every group. With 30 groups, each person rates 30"
            " pairs. Use this to check pairs before more people rate them."
        ),
        parameters=one_phase(ratings_per_item=1, items_per_booklet=30, arrangement="grouped"),
        texts="ratings",
        scale=ZERO_TO_SIX,
    ),
    Preset(
        key="training",
        kind=QuestionKind.RATING,
        order=60,
        name=_("Training data: one rating for each pair"),
        description=_(
            "Ratings from 0 to 6, one rating per pair, 50 pairs per booklet. There is no limit on"
            " booklets per person. Use this for a large training set; agreement cannot be"
            " computed."
        ),
        parameters=one_phase(ratings_per_item=1, items_per_booklet=50),
        max_booklets=0,
        texts="ratings",
        scale=ZERO_TO_SIX,
    ),
    Preset(
        key="stss-131",
        kind=QuestionKind.RATING,
        order=70,
        name=_("Short texts rated from 0.00 to 4.00 (STSS-131)"),
        description=_(
            "As in the English benchmark STSS-131, 32 people rate all 64 pairs of a booklet in"
            " steps of 0.01. Calibration pairs are optional: choose, for example, two with known"
            " answers on the design page; they do not count towards the scores."
        ),
        parameters=one_phase(ratings_per_item=32, items_per_booklet=64),
        texts="ratings",
        scale={"low": "0", "high": "4", "step": "0.01"},
    ),
    Preset(
        key="answer-similarity",
        kind=QuestionKind.RATING,
        order=80,
        name=_("Answer pairs: different, partly the same or the same (0, 1, 2)"),
        description=_(
            "Follows the answer similarity data of SQuAD, GermanQuAD and NQ-open. Three people"
            " sort pairs of answers to the same question into three classes."
        ),
        parameters=one_phase(ratings_per_item=3, items_per_booklet=100, questions_per_screen=5),
        max_booklets=0,
        texts="answers",
        scale={"low": "0", "high": "2", "step": "1"},
    ),
)
