"""The rows that every import of finished answers writes, whatever its answers are."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat

from django.db import connection

from annotation.basics.errors import StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services import jobs
from annotation.core.services.imported_rules import refuse_changing
from annotation.core.services.many_rows import RowWriter, reserve_keys
from annotation.items.imports.foreign.parsed_answers import ParsedAnswers
from annotation.items.imports.parsed_judgments import ParsedJudgments
from annotation.models import (
    Annotator,
    Assignment,
    ItemTuple,
    Judgment,
    Member,
    Person,
    Phase,
    PhaseRun,
    Question,
    Study,
)
from annotation.models.kinds import Source
from annotation.models.people import new_pseudonym
from annotation.studies.services.filling import Filling, filling
from annotation.studies.services.studies import refuse_filling

PLATFORM = "imported"


# How much of the work is done when a file has been read.
READ = 0.3


@dataclass(frozen=True)
class ImportedJudgments:
    n_judgments: int
    n_annotators: int
    n_tuples: int
    n_items: int


@contextmanager
def filling_with_answers(
    study: Study,
    run: jobs.Run | None,
    parsed: ParsedJudgments | ParsedAnswers,
    known: list[int],
    progress: Callable[[float, Said], None],
) -> Iterator[Filling]:
    """Fill a draft with answers to the items that it has, and say how far that is."""
    writing = _("writing %(n)s answers") % {"n": len(parsed)}
    progress(READ, writing)
    n_written = 0

    def begin(study: Study) -> None:
        check_can_take(study)
        if known != item_pks(study):
            raise StateError(_("The items have changed in the meantime. Import the file again."))

    def on_rows(n: int) -> None:
        nonlocal n_written
        n_written += n
        # Items and tuples are written first; together they may be as many as the answers.
        share = min(n_written / (2 * len(parsed)), 0.99)
        progress(READ + (1 - READ) * share, writing)

    with filling(study, run, begin=begin, keeps_material=True, on_rows=on_rows) as draft:
        yield draft


def analyse() -> None:
    """Let PostgreSQL look at the new rows: planned without a look, reading them takes minutes."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for model in (Annotator, Assignment, ItemTuple, Judgment, Member, PhaseRun, Question):
                cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")


def check_can_take(study: Study) -> None:
    refuse_filling(study)
    if study.is_imported:
        refuse_changing(study)
    elif not study.is_draft:
        raise StateError(
            _("You can import existing answers only into a draft. Create a new study for them.")
        )
    if Assignment.objects.filter(booklet__design__study=study).exists():
        raise StateError(
            _("This draft already has answers. Create a new study for the finished ones.")
        )


def item_pks(study: Study) -> list[int]:
    items = study.items.without_checks()
    return list(items.order_by("number").values_list("pk", flat=True))


def assignment_writer(now: datetime) -> RowWriter:
    """Writes submitted assignments: key, annotator, booklet, place."""
    return RowWriter(
        Assignment,
        ("id", "annotator_id", "booklet_id", "place_id"),
        state=Assignment.State.SUBMITTED,
        last_active_at=now,
    )


def run_writer(phase: Phase, now: datetime) -> RowWriter:
    """Writes counted runs: assignment, place."""
    return RowWriter(
        PhaseRun,
        ("assignment_id", "place_id"),
        phase_id=phase.pk,
        opens_at=now,
        completed_at=now,
        is_counted=True,
    )


def make_annotators(
    study: Study, names: list[str] | None, fresh: Sequence[int]
) -> list[tuple[int, int]]:
    """Numbers of annotators with their primary keys; the file's name for them stays apart."""
    people: Iterable[int | None] = repeat(None, len(fresh))
    if names is not None:
        people = reserve_keys(Person, len(fresh))
        RowWriter(Person, ("id", "platform_id"), platform=PLATFORM).write(
            (pk, names[n]) for pk, n in zip(people, fresh, strict=True)
        )
    pks = reserve_keys(Annotator, len(fresh))
    RowWriter(
        Annotator,
        ("id", "person_id", "pseudonym"),
        study_id=study.pk,
        source=Source.IMPORTED,
    ).write((pk, person, new_pseudonym()) for pk, person in zip(pks, people, strict=True))
    return list(zip(fresh, pks, strict=True))
