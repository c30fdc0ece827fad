"""Ratings and labels that were finished before: a file of answers becomes an imported study."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import groupby, islice
from operator import attrgetter
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from annotation import clock
from annotation.categories import Categories
from annotation.imports.entries import ONE_POOL
from annotation.imports.foreign.rated import Pair, ParsedAnswers
from annotation.models import (
    Assignment,
    Block,
    Booklet,
    Choice,
    Design,
    Item,
    Judgment,
    Phase,
    Place,
    Pool,
    Question,
    Study,
)
from annotation.models.kinds import QuestionKind, Source
from annotation.sentences import Said
from annotation.sentences import sentence as _
from annotation.services import designs, imported_studies, imported_totals
from annotation.services.imported_judgments import (
    READ,
    ImportedJudgments,
    analyse,
    assignment_writer,
    changed_meanwhile,
    check_can_take,
    item_pks,
    make_annotators,
    run_writer,
)
from annotation.services.locks import lock_study
from annotation.services.many_rows import RowWriter, large_cache, reserve_keys
from annotation.services.rating_designs import RatingParameters

_CHUNK = 2000

# The items that a study has, by primary key.
KnownPairs = list[tuple[int, Pair]]


def known_pairs(study: Study) -> KnownPairs:
    items = study.items.without_checks().order_by("number")
    rows = items.values_list(
        *("pk", "key", "target_text", "target_turn__text"),
        *("candidate_text", "candidate_turn__text"),
    )
    return [
        (
            pk,
            Pair(
                key,
                # An item without a target has neither.
                (target_turn or "") if target is None else target,
                candidate_turn if candidate is None else candidate,
            ),
        )
        for pk, key, target, target_turn, candidate, candidate_turn in rows.iterator()
    ]


def store(
    *,
    study: Study,
    known: KnownPairs,
    parsed: ParsedAnswers,
    progress: Callable[[float, Said], None] = lambda share, message: None,
    keep: Callable[[], None] = lambda: None,
) -> ImportedJudgments:
    """Fill a draft with finished answers: it is imported then, to be scored and not answered.

    Each person has a booklet with what they answered, in the order of the file. Items are made
    from the file if the study has none, categories if nobody described them. All or nothing.
    """
    progress(READ, _("writing %(n)s answers") % {"n": len(parsed)})
    with large_cache(), transaction.atomic():
        keep()
        study = lock_study(study.pk)
        check_can_take(study)
        if [pk for pk, _pair in known] != item_pks(study):
            raise changed_meanwhile()
        if parsed.categories and not study.categories:
            study.categories = Categories(parsed.categories, parsed.is_several).as_json
            study.save(update_fields=["categories"])
        design = study.design
        designs.drop_rows(design)
        pks = [pk for pk, _pair in known] or _make_items(study, parsed)
        _make_rows(study, design, parsed, pks)
        _close(study, design, parsed)
        imported_totals.store(design)
    analyse()
    progress(1.0, _("%(n)s answers imported") % {"n": len(parsed)})
    return ImportedJudgments(
        n_judgments=len(parsed),
        n_annotators=len(parsed.annotators),
        n_tuples=0,
        n_items=len(pks),
    )


def _make_items(study: Study, parsed: ParsedAnswers) -> Sequence[int]:
    # One without items may be left of earlier ones.
    pool, _is_new = Pool.objects.get_or_create(study=study, key=ONE_POOL, defaults={"number": 1})
    pks = reserve_keys(Item, len(parsed.items))
    RowWriter(
        Item,
        ("id", "number", "key", "target_text", "candidate_text"),
        study_id=study.pk,
        pool_id=pool.pk,
    ).write(
        (pk, number, pair.key, pair.target or None, pair.candidate)
        for number, (pk, pair) in enumerate(zip(pks, parsed.items, strict=True), start=1)
    )
    return pks


def _make_rows(study: Study, design: Design, parsed: ParsedAnswers, pks: Sequence[int]) -> None:
    """A booklet, a place, an assignment and a run for each person, then the answers in batches."""
    now = clock.now()
    phase = Phase.objects.create(design=design, number=1, condition=Phase.Condition.FREE)
    block = Block.objects.create(phase=phase, number=1, purpose=Block.Purpose.MAIN)
    n_people = len(parsed.annotators)
    annotators = [pk for _n, pk in make_annotators(study, parsed.annotators, range(n_people))]
    booklets = reserve_keys(Booklet, n_people)
    RowWriter(Booklet, ("id", "number", "n_screens"), design_id=design.pk).write(
        (pk, number, n_answers)
        for number, (pk, n_answers) in enumerate(
            zip(booklets, parsed.answers_per_annotator(), strict=True), start=1
        )
    )
    places = reserve_keys(Place, n_people)
    RowWriter(Place, ("id", "booklet_id"), number=1, source=Source.IMPORTED).write(
        zip(places, booklets, strict=True)
    )
    assignments = reserve_keys(Assignment, n_people)
    assignment_writer(now).write(zip(assignments, annotators, booklets, places, strict=True))
    run_writer(phase, now).write(zip(assignments, places, strict=True))
    numbered = (
        (screen, answer)
        for _annotator, answers in groupby(parsed, key=attrgetter("annotator"))
        for screen, answer in enumerate(answers, start=1)
    )
    questions = RowWriter(
        Question,
        ("id", "booklet_id", "screen", "item_id"),
        block_id=block.pk,
        position=1,
        kind=study.kind,
    )
    judgments = RowWriter(
        Judgment,
        (
            *("id", "assignment_id", "question_id", "rating", "comment", "active_ms"),
            *("answered_at", "idempotency_key"),
        ),
        kind=study.kind,
    )
    choices = RowWriter(Choice, ("judgment_id", "category"))
    while chunk := list(islice(numbered, _CHUNK)):
        question_pks = reserve_keys(Question, len(chunk))
        questions.write(
            (question, booklets[answer.annotator], screen, pks[answer.item])
            for question, (screen, answer) in zip(question_pks, chunk, strict=True)
        )
        answers = [answer for _screen, answer in chunk]
        judgment_pks = reserve_keys(Judgment, len(chunk))
        judgments.write(
            (
                judgment,
                assignments[answer.annotator],
                question,
                None if isinstance(answer.value, tuple) else answer.value,
                answer.comment,
                answer.active_ms,
                answer.answered_at,
                uuid4(),
            )
            for judgment, question, answer in zip(judgment_pks, question_pks, answers, strict=True)
        )
        if study.kind == QuestionKind.LABEL:
            choices.write(
                (judgment, name)
                for judgment, answer in zip(judgment_pks, answers, strict=True)
                if isinstance(answer.value, tuple)
                for name in answer.value
            )


def _close(study: Study, design: Design, parsed: ParsedAnswers) -> None:
    now = clock.now()
    design.parameters = {
        "imported": True,
        **asdict(
            RatingParameters(
                ratings_per_item=max(Counter(parsed.numbers_of_items()).values()),
                items_per_booklet=max(parsed.answers_per_annotator()),
            )
        ),
    }
    # Nothing was drawn, so there is nothing to certify.
    design.certificate = None
    design.made_at = design.frozen_at = now
    design.code_version = settings.VERSION
    design.save(
        update_fields=["parameters", "certificate", "made_at", "frozen_at", "code_version"]
    )
    imported_studies.note(study)
