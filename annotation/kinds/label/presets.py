"""The plans of label studies, and of those that look at scored items again."""

from django.utils.translation import gettext_lazy as _

from annotation.basics.reviewed import Review
from annotation.kinds.presets import Preset, one_phase
from annotation.models.kinds import QuestionKind

PRESETS = (
    Preset(
        key="labels",
        kind=QuestionKind.LABEL,
        order=90,
        name=_("Labels: sort pairs into your categories"),
        description=_(
            "Three people assign each pair to one of your categories, or to several if you allow "
            "it. The majority choice becomes the label; if there is none, an expert can decide."
        ),
        parameters=one_phase(ratings_per_item=3, items_per_booklet=50),
        max_booklets=0,
        texts="labels",
    ),
    Preset(
        key="expert-check",
        kind=QuestionKind.LABEL,
        order=100,
        name=_("Expert check of a scored study"),
        description=_(
            "As in GiCCS, two experts who do not see the scores judge whether each pair's"
            " similarity is above or below the middle of the scale. The results list the items"
            " whose score contradicts the experts."
        ),
        parameters=one_phase(ratings_per_item=2, items_per_booklet=100),
        texts=Review.EXPERTS,
        review=Review.EXPERTS,
    ),
    Preset(
        key="discrepancy-review",
        kind=QuestionKind.LABEL,
        order=110,
        name=_("Review disagreements between a measure and people"),
        description=_(
            "Annotators assign your categories to the items on which a measure and people disagree"
            " most. The results show what the measure missed and where people were wrong. The"
            " measure can be a baseline of the scored study, a numeric column of its items, or a"
            " table of values."
        ),
        parameters=one_phase(ratings_per_item=2, items_per_booklet=100),
        texts=Review.DISCREPANCIES,
        review=Review.DISCREPANCIES,
    ),
)


def review_of(preset: str) -> Review | None:
    """Why a label study made from a preset looks at scored items again; None if it does not."""
    return next((chosen.review for chosen in PRESETS if chosen.key == preset), None)
