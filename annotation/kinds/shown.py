"""What a screen showed of one question: signed into the form, so that showing writes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.basics.categories import Categories
from annotation.basics.scale import Scale


@dataclass(frozen=True)
class PresentedQuestion:
    """What an answer is checked against."""

    # The items to choose from, or the turns; none if something else is asked.
    order: Sequence[int]
    at: datetime
    page: str
    # The scale, if ratings are asked for.
    scale: Scale | None = None
    # The run in which it was shown, if the design has several phases.
    run: int | None = None
    # The categories to choose from, if there are any.
    categories: Categories | None = None
