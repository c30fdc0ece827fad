"""What a screen showed of one question: signed into the form, so that showing writes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.basics.categories import Categories
from annotation.basics.scale import Scale


@dataclass(frozen=True)
class Shown:
    """What an answer is checked against."""

    # The items to choose from, or the turns; none where something else is asked.
    order: Sequence[int]
    at: datetime
    page: str
    # That of the ratings, if some are asked for.
    scale: Scale | None = None
    # The run it was shown in, where the design has several phases.
    run: int | None = None
    # Those to choose from, if some are asked for.
    categories: Categories | None = None
