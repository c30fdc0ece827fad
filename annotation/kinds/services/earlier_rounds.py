"""What the next round of a study is made of: the contract of what can be continued."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from django.db.models import Q, QuerySet

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.core.services import computed, release_events
from annotation.core.services.bounded_writes import Insert
from annotation.core.services.locks import lock_study
from annotation.core.services.many_rows import update_rows
from annotation.core.signals import data_erased
from annotation.kinds.services.drawn_groups import Part
from annotation.models import (
    Annotator,
    Assignment,
    Item,
    Study,
    Turn,
)


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


def renew_scores_of(means: Mapping[int, Decimal | None]) -> Counter[int]:
    """Give whatever keeps the score of an item another one, after somebody withdrew whose it was.

    `means`: by the key of the item, the mean of those who are left; None if nobody is. Returns how
    many pairs of each study had an old one, by its key; these studies are held.
    """

    def mean(origin: int | None, value: Decimal | None) -> Decimal | None:
        return means[origin] if origin is not None and origin in means else value

    n_changed: Counter[int] = Counter()
    changed = []
    copies = Item.objects.filter(Q(score_of__in=means) | Q(expected_of__in=means))
    for item in hold_with_studies(copies):
        before = item.earlier_rating, item.expected
        # A review has a score without having a rating.
        if item.earlier_rating is not None:
            item.earlier_rating = mean(item.score_of_id, item.earlier_rating)
        item.expected = mean(item.expected_of_id, item.expected)
        if (item.earlier_rating, item.expected) != before:
            changed.append(item)
            n_changed[item.study_id] += 1
    update_rows(changed, ["earlier_rating", "expected"])
    return n_changed


def hold_with_studies(items: "QuerySet[Item]") -> list[Item]:
    """The items as they are once their studies are held, these in the order of their keys."""
    for study_id in sorted(set(items.order_by().values_list("study", flat=True))):
        lock_study(study_id)
    return list(items.select_related("pool").order_by("pk"))


def hold(studies: Iterable[int]) -> None:
    """Lock studies by their keys, in their order."""
    for study_id in sorted(studies):
        lock_study(study_id)


def tell_later_rounds(annotator: Annotator, n_changed: Mapping[int, int]) -> None:
    """Say of studies, by their keys, in how many of their pairs were answers that are withdrawn.

    Their releases tell it; files that wait to be fetched go, and so does what was computed with
    the answers. The caller holds the studies.
    """
    computed.forget_of(n_changed)
    for study in Study.objects.filter(pk__in=n_changed):
        release_events.source_withdrawn(
            study, annotator.pseudonym, n_judgments=n_changed[study.pk], now=clock.now()
        )
        data_erased.send(Assignment, study_id=study.pk)
