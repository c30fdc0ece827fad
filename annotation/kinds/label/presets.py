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
        name=_("Pairs put into named categories"),
        description=_(
            "Three people put every pair into a category of yours, or into several. What most"
            " of them say is the label; where they are torn, an expert can decide."
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
            "As in GiCCS: two experts say of every item whether its similarity is above or"
            " below the middle. They see no scores; the result lists the items whose score"
            " contradicts them."
        ),
        parameters=one_phase(ratings_per_item=2, items_per_booklet=100),
        texts=Review.EXPERTS,
        review=Review.EXPERTS,
    ),
    Preset(
        key="discrepancy-review",
        kind=QuestionKind.LABEL,
        order=110,
        name=_("Review of where a measure and people differ"),
        description=_(
            "The items of a scored study in which a measure and the people differ most, put"
            " into categories of yours: what did the measure miss, where did people err?"
            " The measure is a column of the items, or a table."
        ),
        parameters=one_phase(ratings_per_item=2, items_per_booklet=100),
        texts=Review.DISCREPANCIES,
        review=Review.DISCREPANCIES,
    ),
)


def review_of(preset: str) -> Review | None:
    """Why a label study made from a preset looks at scored items again; None if it does not."""
    return next((chosen.review for chosen in PRESETS if chosen.key == preset), None)
