"""What the next round of a study is made of: the contract of what can be continued."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.core.services import release_events
from annotation.core.services.bounded_writes import Insert
from annotation.core.services.locks import lock_study
from annotation.core.signals import data_erased
from annotation.kinds.services.drawn_groups import Part
from annotation.models import Annotator, Assignment, Item, Study, Turn


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


def change_earlier_ratings(ratings: Mapping[Item, Decimal | None]) -> Counter[int]:
    """Give pairs another earlier rating, after somebody withdrew whose answer was in it.

    Known answers that were taken from it follow, and so do copies that had the same value; another
    one is what people said in a round between. Returns how many pairs each study has of them, by
    its key; the studies are held then, each after the round it was made of.
    """
    n_changed: Counter[int] = Counter()
    while ratings:
        for study_id in sorted({item.study_id for item in ratings}):
            lock_study(study_id)
        before = {item.pk: (item.earlier_rating, rating) for item, rating in ratings.items()}
        for item, rating in ratings.items():
            if item.expected == item.earlier_rating:
                item.expected = rating
            item.earlier_rating = rating
            item.save(update_fields=["earlier_rating", "expected"])
            n_changed[item.study_id] += 1
        copies = Item.objects.filter(derived_from__in=before, earlier_rating__isnull=False)
        ratings = {
            copy: before[copy.derived_from_id][1]
            for copy in copies
            if copy.derived_from_id and copy.earlier_rating == before[copy.derived_from_id][0]
        }
    return n_changed


def tell_later_rounds(annotator: Annotator, n_changed: Mapping[int, int]) -> None:
    """Say of studies, by their keys, in how many of their pairs were answers that are withdrawn.

    Their releases tell it, and files that wait to be fetched go. The caller holds the studies.
    """
    for study in Study.objects.filter(pk__in=n_changed):
        release_events.source_withdrawn(
            study, annotator.pseudonym, n_judgments=n_changed[study.pk], now=clock.now()
        )
        data_erased.send(Assignment, study_id=study.pk)
