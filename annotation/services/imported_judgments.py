"""Judgments that were finished before: a file of answers becomes a closed study."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO
from uuid import uuid4

from django.conf import settings
from django.db import connection, transaction

from annotation import clock
from annotation.errors import StateError
from annotation.imports import judgments as judgment_files
from annotation.imports.judged_items import KnownItem
from annotation.imports.judgments import Judged, ParsedJudgments
from annotation.models import (
    Annotator,
    Assignment,
    Block,
    Booklet,
    Context,
    Design,
    Item,
    ItemTuple,
    Judgment,
    Member,
    Person,
    Phase,
    PhaseRun,
    Place,
    Pool,
    Question,
    Study,
)
from annotation.models.kinds import QuestionKind, Source
from annotation.queries import answers
from annotation.sentences import Said
from annotation.sentences import sentence as _
from annotation.services import designs, imported_totals
from annotation.services.design_rows import insert
from annotation.services.locks import lock_study

PLATFORM = "imported"
_CHUNK = 2000
# How much of the work is done when a file has been read.
READ = 0.3

# The items that a study has, by primary key.
Known = list[tuple[int, KnownItem]]


@dataclass(frozen=True)
class ImportedJudgments:
    n_judgments: int
    n_annotators: int
    n_tuples: int
    n_items: int


def read(
    study: Study,
    path: str | Path | IO[bytes],
    *,
    pool_column: str = "",
    progress: Callable[[float, Said], None] = lambda share, message: None,
) -> tuple[Known, ParsedJudgments]:
    """The items that a draft has, and answers to them in a table of our own.

    Raises ImportProblemsError with every problem of the file.
    """
    known = known_items(study)
    if known and pool_column:
        raise StateError(
            _("The study has items, and they have their pools: leave the column out.")
        )
    return known, judgment_files.read(
        path,
        limit_bytes=settings.IMPORT_LIMIT_BYTES,
        known=[item for _pk, item in known],
        pool_column=pool_column,
        progress=progress,
    )


def import_judgments(
    *,
    study: Study,
    path: str | Path | IO[bytes],
    pool_column: str = "",
    progress: Callable[[float, Said], None] = lambda share, message: None,
) -> ImportedJudgments:
    """Fill a draft with finished answers from a table of our own and close it."""
    check_can_take(study)
    known, parsed = read(
        study,
        path,
        pool_column=pool_column,
        progress=lambda share, message: progress(READ * share, message),
    )
    return store(study=study, known=known, parsed=parsed, progress=progress)


def store(
    *,
    study: Study,
    known: Known,
    parsed: ParsedJudgments,
    progress: Callable[[float, Said], None] = lambda share, message: None,
    keep: Callable[[], None] = lambda: None,
) -> ImportedJudgments:
    """Fill a draft with finished answers and close it: it can be scored, not answered.

    The tuples are those of the file, each in a booklet of its own, which has as many places as
    answers. Items are made from the file if the study has none. All or nothing.
    """
    progress(READ, _("writing %(n)s answers") % {"n": len(parsed)})
    with transaction.atomic():
        keep()
        study = lock_study(study.pk)
        check_can_take(study)
        if [pk for pk, _item in known] != item_pks(study):
            raise changed_meanwhile()
        design = study.design
        designs.drop_rows(design)
        pks = [pk for pk, _item in known] or _make_items(study, parsed)
        questions = _make_design(design, parsed, pks)
        _make_judgments(study, parsed, pks, questions)
        _close(study, design, parsed)
        imported_totals.store(design)
    analyse()
    progress(1.0, _("%(n)s answers imported") % {"n": len(parsed)})
    return ImportedJudgments(
        n_judgments=len(parsed),
        n_annotators=parsed.n_annotators,
        n_tuples=len(parsed.tuples),
        n_items=len(pks),
    )


def changed_meanwhile() -> StateError:
    return StateError(_("The items were changed meanwhile: import the file again."))


def analyse() -> None:
    """Let PostgreSQL look at the new rows: planned without a look, reading them takes minutes."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for model in (Annotator, Assignment, ItemTuple, Judgment, Member, PhaseRun, Question):
                cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")


def check_can_take(study: Study) -> None:
    if not study.is_draft:
        raise StateError(
            _(
                "Finished answers can only be imported into a draft: an opened study has a design"
                " and answers of its own. Make a new study for them."
            )
        )
    if Assignment.objects.filter(booklet__design__study=study).exists():
        raise StateError(
            _("This draft has answers already. Make a new study for the finished ones.")
        )


def known_items(study: Study) -> Known:
    items = (
        study.items.without_checks()
        .order_by("number")
        .select_related("candidate_turn")
        .only("key", "pool_id", "candidate_text", "candidate_turn__text")
    )
    return [(item.pk, KnownItem(item.key, item.candidate, item.pool_id)) for item in items]


def item_pks(study: Study) -> list[int]:
    items = study.items.without_checks()
    return list(items.order_by("number").values_list("pk", flat=True))


def _make_items(study: Study, parsed: ParsedJudgments) -> list[int]:
    # Without a source, a domain or a number of turns a pool needs no context.
    contexts = {
        context.key: context
        for context in insert(
            Context,
            (
                Context(
                    study=study,
                    key=pool.key,
                    source=pool.source,
                    domain=pool.domain,
                    n_turns=pool.n_turns,
                )
                for pool in parsed.pools
                if pool.source or pool.domain or pool.n_turns
            ),
        )
    }
    pools = insert(
        Pool,
        (
            Pool(study=study, context=contexts.get(pool.key), key=pool.key, number=number)
            for number, pool in enumerate(parsed.pools, start=1)
        ),
    )
    items = insert(
        Item,
        (
            Item(
                study=study,
                pool=pools[item.pool],
                number=number,
                key=item.key,
                candidate_text=item.text,
            )
            for number, item in enumerate(parsed.items, start=1)
        ),
    )
    return [item.pk for item in items]


def _make_design(design: Design, parsed: ParsedJudgments, item_pks: list[int]) -> list[Question]:
    """Tuples, and for each a booklet with its question."""
    pool_of = dict(Item.objects.filter(study=design.study_id).values_list("pk", "pool_id"))
    phase = Phase.objects.create(design=design, number=1, condition=Phase.Condition.DEPENDENT)
    block = Block.objects.create(phase=phase, number=1, purpose=Block.Purpose.MAIN)
    tuples = insert(
        ItemTuple,
        (
            ItemTuple(design=design, pool_id=pool_of[item_pks[members[0]]], number=number)
            for number, members in enumerate(parsed.tuples, start=1)
        ),
    )
    insert(
        Member,
        (
            Member(tuple=row, item_id=item_pks[item], position=position)
            for row, members in zip(tuples, parsed.tuples, strict=True)
            for position, item in enumerate(members)
        ),
    )
    booklets = insert(
        Booklet, (Booklet(design=design, number=row.number, n_screens=1) for row in tuples)
    )
    return insert(
        Question,
        (
            Question(
                block=block,
                booklet=booklet,
                screen=1,
                position=1,
                kind=QuestionKind.BEST_WORST,
                tuple=row,
            )
            for row, booklet in zip(tuples, booklets, strict=True)
        ),
    )


def _make_judgments(
    study: Study, parsed: ParsedJudgments, item_pks: list[int], questions: list[Question]
) -> None:
    """Annotators, places, assignments, runs and answers, some thousand answers at a time."""
    now = clock.now()
    phase_id = Phase.objects.values_list("pk", flat=True).get(blocks=questions[0].block_id)
    annotator_pks: dict[int, int] = {}
    n_places = [0] * len(questions)
    for chunk in _chunks(iter(parsed)):
        _make_annotators(study, parsed, chunk, annotator_pks)
        places = []
        for judged in chunk:
            n_places[judged.tuple] += 1
            places.append(
                Place(
                    booklet=questions[judged.tuple].booklet,
                    number=n_places[judged.tuple],
                    source=Source.IMPORTED,
                )
            )
        places = insert(Place, places)
        assignments = insert(
            Assignment,
            (
                Assignment(
                    annotator_id=annotator_pks[judged.annotator],
                    booklet_id=place.booklet_id,
                    place=place,
                    state=Assignment.State.SUBMITTED,
                    last_active_at=now,
                )
                for judged, place in zip(chunk, places, strict=True)
            ),
        )
        PhaseRun.objects.bulk_create(
            PhaseRun(
                assignment=assignment,
                phase_id=phase_id,
                opens_at=now,
                completed_at=now,
                place_id=assignment.place_id,
                is_counted=True,
            )
            for assignment in assignments
        )
        Judgment.objects.bulk_create(
            Judgment(
                assignment=assignment,
                question=questions[judged.tuple],
                kind=QuestionKind.BEST_WORST,
                best_id=item_pks[judged.best],
                worst_id=item_pks[judged.worst],
                comment=judged.comment,
                active_ms=judged.active_ms,
                answered_at=judged.answered_at,
                idempotency_key=uuid4(),
            )
            for judged, assignment in zip(chunk, assignments, strict=True)
        )
        if parsed.annotators is None:
            annotator_pks.clear()  # none of them comes again


def _make_annotators(
    study: Study, parsed: ParsedJudgments, chunk: list[Judged], pks: dict[int, int]
) -> None:
    """Those who answer for the first time here."""
    fresh = [n for n in dict.fromkeys(judged.annotator for judged in chunk) if n not in pks]
    pks.update(make_annotators(study, parsed.annotators, fresh))


def make_annotators(
    study: Study, names: list[str] | None, fresh: list[int]
) -> list[tuple[int, int]]:
    """Numbers of annotators with their primary keys; the file's name for them stays apart."""
    people: list[Person | None] = [None] * len(fresh)
    if names is not None:
        people = [
            *insert(Person, (Person(platform=PLATFORM, platform_id=names[n]) for n in fresh))
        ]
    annotators = insert(
        Annotator,
        (Annotator(study=study, person=person, source=Source.IMPORTED) for person in people),
    )
    return list(zip(fresh, (annotator.pk for annotator in annotators), strict=True))


def _close(study: Study, design: Design, parsed: ParsedJudgments) -> None:
    now = clock.now()
    table = answers.tuple_table(design)
    certificate = answers.certificate_of(table)
    design.parameters = {
        "imported": True,
        "tuple_size": parsed.tuple_size,
        "factor": len(parsed.tuples) / len(table.item_pks),
        "annotations_per_tuple": max(parsed.answers_per_tuple()),
        "questions_per_screen": 1,
        "screens_per_booklet": 1,
        "strata": [],
    }
    design.certificate = certificate and {
        **certificate.as_dict(),
        "sentences": list(certificate.sentences()),
        "booklets": {
            "n_booklets": len(parsed.tuples),
            "questions_per_screen": 1,
            "screens_per_booklet": 1,
            "strata": [],
            "notes": ["The answers were imported: each tuple is a booklet of its own."],
        },
    }
    design.made_at = design.frozen_at = now
    design.code_version = settings.VERSION
    design.save(
        update_fields=["parameters", "certificate", "made_at", "frozen_at", "code_version"]
    )
    study.opened_at = now
    # Closed: nobody joins, and it can be scored and exported.
    study.state = Study.State.CLOSED
    study.save(update_fields=["opened_at", "state"])


def _chunks(rows: Iterator[Judged]) -> Iterator[list[Judged]]:
    while chunk := list(islice(rows, _CHUNK)):
        yield chunk
