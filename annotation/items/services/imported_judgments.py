"""Judgments that were finished before: a file of answers becomes an imported study."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from uuid import uuid4

from django.conf import settings

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services import imported_totals, jobs
from annotation.core.services.many_rows import RowWriter, large_cache, reserve_keys
from annotation.items.imports import judgments as judgment_files
from annotation.items.imports.judged_items import KnownItem
from annotation.items.imports.parsed_judgments import ParsedJudgment, ParsedJudgments
from annotation.items.services.answer_rows import (
    READ,
    ImportedJudgments,
    analyse,
    assignment_writer,
    check_can_take,
    filling_with_answers,
    make_annotators,
    run_writer,
)
from annotation.kinds.best_worst.queries import answers
from annotation.models import (
    Assignment,
    Block,
    Booklet,
    Context,
    Design,
    Item,
    ItemTuple,
    Judgment,
    Member,
    Phase,
    Place,
    Pool,
    Question,
    Study,
)
from annotation.models.kinds import Source
from annotation.studies.services import imported_studies
from annotation.studies.services.filling import Filling
from shell.messages import message as gettext_noop
from tuples import DesignCertificate

# The items that a study has, by primary key.
Known = list[tuple[int, KnownItem]]


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
        raise StateError(_("The study's items already have pools. Leave this column out."))
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
    """Fill a draft with finished answers from a table of our own: it is imported then."""
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
    run: jobs.Run | None = None,
    left_out: Mapping[str, int] | None = None,
) -> ImportedJudgments:
    """Fill a draft with finished answers: it is imported then, to be scored and not answered.

    The tuples are those of the file, each in a booklet of its own, which has as many places as
    answers. Items are made from the file if the study has none. All or nothing; a job, with its
    `run`, stores them in short transactions.
    """
    known_pks = [pk for pk, _item in known]
    with (
        large_cache(),
        filling_with_answers(study, run, parsed, known_pks, progress) as draft,
    ):
        design = draft.study.design
        draft.delete_design()
        pks = known_pks or _make_items(draft, parsed)
        questions = _make_design(draft, design, parsed, pks)
        _make_judgments(draft, parsed, pks, questions)
        certificate = answers.certificate_of(answers.tuple_table(design))
        totals = imported_totals.of(design)
        totals.left_out = dict(left_out or {})
        with draft.finish() as closed:
            _close(closed, closed.design, parsed, certificate, n_items=len(pks))
            totals.save()
            draft.note(imported={})
    analyse()
    progress(1.0, _("%(n)s answers imported") % {"n": len(parsed)})
    return ImportedJudgments(
        n_judgments=len(parsed),
        n_annotators=parsed.n_annotators,
        n_tuples=len(parsed.tuples),
        n_items=len(pks),
    )


def known_items(study: Study) -> Known:
    items = study.items.without_checks().order_by("number")
    # Values: of objects some hundred thousand would be held beside what is kept of them.
    rows = items.values_list("pk", "key", "pool_id", "candidate_text", "candidate_turn__text")
    return [
        (pk, KnownItem(key, turn if text is None else text, pool))
        for pk, key, pool, text, turn in rows.iterator()
    ]


def _make_items(draft: Filling, parsed: ParsedJudgments) -> Sequence[int]:
    study = draft.study
    # Without a source, a domain or a number of turns a pool needs no context.
    contexts = {
        context.key: context
        for context in draft.insert(
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
    pools = draft.insert(
        Pool,
        (
            Pool(study=study, context=contexts.get(pool.key), key=pool.key, number=number)
            for number, pool in enumerate(parsed.pools, start=1)
        ),
    )
    pks = draft.reserve_keys(Item, len(parsed.items))
    writer = RowWriter(
        Item, ("id", "pool_id", "number", "key", "candidate_text"), study_id=study.pk
    )
    draft.write(
        writer,
        (
            (pk, pools[item.pool].pk, number, item.key, item.text)
            for number, (pk, item) in enumerate(zip(pks, parsed.items, strict=True), start=1)
        ),
    )
    return pks


@dataclass(frozen=True)
class _Questions:
    """What a design asks: primary keys of each tuple's booklet and question."""

    phase: Phase
    booklets: Sequence[int]
    questions: Sequence[int]


def _make_design(
    draft: Filling, design: Design, parsed: ParsedJudgments, item_pks: Sequence[int]
) -> _Questions:
    """Tuples, and for each a booklet with its question."""
    pool_of = dict(
        Item.objects.filter(study=design.study_id).values_list("pk", "pool_id").iterator()
    )
    condition = Phase.Condition.DEPENDENT
    (phase,) = draft.insert(Phase, [Phase(design=design, number=1, condition=condition)])
    (block,) = draft.insert(Block, [Block(phase=phase, number=1, purpose=Block.Purpose.MAIN)])
    n = len(parsed.tuples)
    tuples = draft.reserve_keys(ItemTuple, n)
    draft.write(
        RowWriter(ItemTuple, ("id", "pool_id", "number"), design_id=design.pk),
        (
            (pk, pool_of[item_pks[members[0]]], number)
            for number, (pk, members) in enumerate(zip(tuples, parsed.tuples, strict=True), 1)
        ),
    )
    draft.write(
        RowWriter(Member, ("tuple_id", "item_id", "position")),
        (
            (pk, item_pks[item], position)
            for pk, members in zip(tuples, parsed.tuples, strict=True)
            for position, item in enumerate(members)
        ),
    )
    booklets = draft.reserve_keys(Booklet, n)
    draft.write(
        RowWriter(Booklet, ("id", "number"), design_id=design.pk, n_screens=1),
        ((pk, number) for number, pk in enumerate(booklets, start=1)),
    )
    questions = draft.reserve_keys(Question, n)
    writer = RowWriter(
        Question,
        ("id", "booklet_id", "tuple_id"),
        block_id=block.pk,
        screen=1,
        position=1,
        kind=draft.study.kind,
    )
    draft.write(writer, zip(questions, booklets, tuples, strict=True))
    return _Questions(phase, booklets, questions)


def _make_judgments(
    draft: Filling, parsed: ParsedJudgments, item_pks: Sequence[int], questions: _Questions
) -> None:
    """Annotators, places, assignments, runs and answers, some thousand answers at a time."""
    now = clock.now()
    places = RowWriter(Place, ("id", "booklet_id", "number"), source=Source.IMPORTED)
    assignments = assignment_writer(now)
    runs = run_writer(questions.phase, now)
    judgments = RowWriter(
        Judgment,
        (
            *("assignment_id", "question_id", "best_id", "worst_id", "comment", "active_ms"),
            *("answered_at", "idempotency_key"),
        ),
        kind=draft.study.kind,
    )
    annotator_pks: dict[int, int] = {}
    n_places = array("l", [0]) * len(questions.booklets)

    def write(batch: list[ParsedJudgment]) -> None:
        _make_annotators(draft.study, parsed, batch, annotator_pks)
        booklet_pks = [questions.booklets[judged.tuple] for judged in batch]
        numbers = []
        for judged in batch:
            n_places[judged.tuple] += 1
            numbers.append(n_places[judged.tuple])
        place_pks = reserve_keys(Place, len(batch))
        places.write(zip(place_pks, booklet_pks, numbers, strict=True))
        assignment_pks = reserve_keys(Assignment, len(batch))
        annotators = [annotator_pks[judged.annotator] for judged in batch]
        assignments.write(zip(assignment_pks, annotators, booklet_pks, place_pks, strict=True))
        runs.write(zip(assignment_pks, place_pks, strict=True))
        judgments.write(
            (
                assignment,
                questions.questions[judged.tuple],
                item_pks[judged.best],
                item_pks[judged.worst],
                judged.comment,
                judged.active_ms,
                judged.answered_at,
                uuid4(),
            )
            for judged, assignment in zip(batch, assignment_pks, strict=True)
        )
        if parsed.annotators is None:
            annotator_pks.clear()  # none of them comes again

    draft.in_batches(iter(parsed), write)


def _make_annotators(
    study: Study, parsed: ParsedJudgments, chunk: list[ParsedJudgment], pks: dict[int, int]
) -> None:
    """Those who answer for the first time here."""
    fresh = [n for n in dict.fromkeys(judged.annotator for judged in chunk) if n not in pks]
    pks.update(make_annotators(study, parsed.annotators, fresh))


def _close(
    study: Study,
    design: Design,
    parsed: ParsedJudgments,
    certificate: DesignCertificate | None,
    *,
    n_items: int,
) -> None:
    now = clock.now()
    design.parameters = {
        "imported": True,
        "tuple_size": parsed.tuple_size,
        "factor": len(parsed.tuples) / n_items,
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
            "notes": [
                gettext_noop("The answers were imported. Each tuple is a separate booklet.")
            ],
        },
    }
    design.made_at = design.frozen_at = now
    design.code_version = settings.VERSION
    design.save(
        update_fields=["parameters", "certificate", "made_at", "frozen_at", "code_version"]
    )
    imported_studies.note(study)
