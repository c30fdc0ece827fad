"""The score of each item as the API tells it: what every kind has to say of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Item

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Scores:
    """Items with their scores, which are read as they are asked for."""

    n: int
    # Those from a place to another one, in their order.
    between: Callable[[int, int], Rows]

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, part: slice) -> Rows:
        start, stop, _step = part.indices(self.n)
        return self.between(start, stop)

    def all(self, chunk: int = 2000) -> Iterator[dict[str, Any]]:
        for start in range(0, self.n, chunk):
            yield from self[start : start + chunk]


NO_SCORES = Scores(0, lambda start, stop: [])


def by_place(places: list[int], pks: Sequence[int], phases: Callable[[int], Rows]) -> Scores:
    """Items by their places among those that were read, with what is said in each phase."""

    def between(start: int, stop: int) -> Rows:
        some = places[start:stop]
        named = dict[int, tuple[str, int]]()
        items = Item.objects.filter(pk__in=[pks[place] for place in some])
        for pk, key, number in items.values_list("pk", "key", "number"):
            named[pk] = key, number
        return [
            {
                "id": named[pks[place]][0],
                "number": named[pks[place]][1],
                "phases": phases(place),
            }
            for place in some
        ]

    return Scores(len(places), between)
