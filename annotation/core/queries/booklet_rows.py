"""What is taken of each booklet."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.core.queries.progress import Places, places_by
from annotation.models import (
    Booklet,
    Study,
)
from annotation.models.kinds import Source


@dataclass(frozen=True)
class BookletRow:
    number: int
    n_screens: int
    places: Places
    simulated: Places


def booklet_rows(study: Study, booklets: Iterable[Booklet]) -> list[BookletRow]:
    """What is taken of each booklet, for one page of the table."""
    rows = list(booklets)
    if not rows:
        return []
    counted = places_by(
        [rows[0].design_id], by="booklet", idle_minutes={study.pk: study.idle_minutes}
    )
    return [
        BookletRow(
            number=booklet.number,
            n_screens=booklet.n_screens,
            places=counted.get((booklet.pk, Source.REAL), Places()),
            simulated=counted.get((booklet.pk, Source.SIMULATED), Places()),
        )
        for booklet in rows
    ]
