"""What the next round of a study is made of: the contract of what can be continued."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from annotation.basics.errors import StateError
from annotation.core.services.bounded_writes import Insert
from annotation.kinds.services.drawn_groups import Part
from annotation.models import Item, Study, Turn


@dataclass(frozen=True)
class Continued:
    """What was copied, and how many of the items have a rating from the earlier round."""

    n_items: int
    n_rated: int


class Material(Protocol):
    """What was read of an earlier round and shall be written into a draft."""

    @property
    def continued(self) -> Continued: ...

    @property
    def n_rows(self) -> int: ...

    def copy(self, study: Study, insert: Insert) -> None:
        """Write contexts, groups and items."""

    def finish(self, study: Study) -> None:
        """Last, in the transaction from which on the study counts: what its design takes over."""


class EarlierRound(ABC):
    """What a study of ratings can go on with, of a study of one kind."""

    @abstractmethod
    def count_groups(self, earlier: Study) -> int:
        """How many groups there are to draw from."""

    @abstractmethod
    def read(self, study: Study, earlier: Study, part: Part) -> Material:
        """What the part has. Raises StateError if the earlier round has nothing."""

    @abstractmethod
    def nothing_in(self, earlier: Study) -> StateError:
        """Why there is nothing to go on with."""


def n_context_rows(earlier: Study) -> int:
    """Contexts, their groups and their turns."""
    n_turns = Turn.objects.filter(context__study=earlier).count()
    return earlier.context_groups.count() + earlier.contexts.count() + n_turns


def forget_earlier_ratings(items: Sequence[Item]) -> None:
    """Of pairs whose earlier rating is that of one person who withdraws, and of their copies.

    A known answer that was taken from it goes, too. A copy with another value keeps it: that is
    what several people said.
    """
    while items:
        ratings = {item.pk: item.earlier_rating for item in items}
        for item in items:
            if item.expected == item.earlier_rating:
                item.expected = None
            item.earlier_rating = None
            item.save(update_fields=["earlier_rating", "expected"])
        copies = Item.objects.filter(derived_from__in=ratings, earlier_rating__isnull=False)
        items = [
            copy
            for copy in copies
            if copy.derived_from_id and copy.earlier_rating == ratings[copy.derived_from_id]
        ]
