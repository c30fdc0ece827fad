"""The rows of a design: what making one shares, whatever is asked."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import models, transaction

from annotation.basics.errors import FrozenError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services.bounded_writes import BoundedWrites, Rows
from annotation.models import Booklet, Design, ImportedTotals, Place
from annotation.models.kinds import Source

_BATCH = 2000

M = TypeVar("M", bound=models.Model)


def drop_rows(design: Design) -> None:
    """Forget what was made of a draft design, because its items or numbers change."""
    refuse_frozen(design)
    design.phases.all().delete()
    design.booklets.all().delete()
    design.tuples.all().delete()
    design.made_at = None
    design.certificate = None
    design.save(update_fields=["made_at", "certificate"])


def refuse_frozen(design: Design) -> None:
    if design.is_frozen:
        raise FrozenError(
            _(
                "The study has been opened, so its design is frozen. To use another design, "
                "create a new study."
            )
        )


@dataclass(frozen=True)
class Drawn:
    """A design that is drawn and not stored: of which numbers, how it is written, what it says."""

    # Of the class that the kind of study has, which reads them of a design.
    parameters: Any
    writing: Said
    n_rows: int
    store: Callable[[Design, Rows], None]
    certificate: dict[str, Any]


def places_of(booklets: Iterable[Booklet], n: int) -> Iterator[Place]:
    """So many for people in each booklet of a new design."""
    for booklet in booklets:
        for number in range(1, n + 1):
            yield Place(booklet=booklet, number=number, source=Source.REAL)


def add_places(*, booklets: Iterable[Booklet], source: Source, up_to: int) -> None:
    """Give each booklet places numbered 1..`up_to` for one kind of people.

    In short transactions: where it is interrupted, a second time adds those that are missing.
    """
    booklets = list(booklets)
    designs = {booklet.design_id for booklet in booklets}
    ImportedTotals.objects.filter(design__in=designs).update(has_other_places=True)
    rows = (
        Place(booklet=booklet, number=number, source=source)
        for booklet in booklets
        for number in range(1, up_to + 1)
    )
    BoundedWrites(transaction.atomic).in_batches(
        rows, lambda batch: Place.objects.bulk_create(batch, ignore_conflicts=True)
    )


def insert(model: type[M], rows: Iterable[M]) -> list[M]:
    """Store many rows; they come back with their keys."""
    return model._default_manager.bulk_create(rows, batch_size=_BATCH)
