"""What a page shows as buttons of which one is chosen, or several: categories, points in words."""

from collections.abc import Collection
from dataclasses import dataclass

from annotation.basics.categories import Categories
from annotation.kinds.shown_scales import ShownScale

# What chooses the first, the second and so on. Not u, which undoes, nor j and k, which move.
KEYS = "123456789abcdefghilmnopqrstvwxyz"


@dataclass(frozen=True)
class ShownChoice:
    # As it is sent, and as it is read.
    value: str
    name: str
    explanation: str
    key: str
    is_chosen: bool
    # Of a point of a scale.
    number: str = ""


def shown_categories(categories: Categories, chosen: Collection[str]) -> list[ShownChoice]:
    return [
        ShownChoice(
            value=name,
            name=name,
            explanation=categories.explanations.get(name, ""),
            key=key,
            is_chosen=name in chosen,
        )
        for name, key in zip(categories.names, KEYS, strict=False)
    ]


def shown_points(scale: ShownScale, chosen: str | None) -> list[ShownChoice]:
    """The points of a scale in words; `chosen` as it is sent."""
    return [
        ShownChoice(
            value=point.value,
            name=point.label,
            explanation="",
            key=point.key,
            is_chosen=point.value == chosen,
            number=point.number,
        )
        for point in scale.points
    ]
