"""Ratings and labels that were finished before: a file of answers becomes a closed study."""

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from itertools import groupby, islice
from operator import attrgetter
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from annotation import clock
from annotation.categories import Categories
from annotation.imports.entries import ONE_POOL
from annotation.imports.foreign.rated import Answer, Pair, ParsedAnswers
from annotation.models import (
    Assignment,
    Block,
    Booklet,
    Choice,
    Design,
    Item,
    Judgment,
    Phase,
    PhaseRun,
    Place,
    Pool,
    Question,
    Study,
)
from annotation.models.kinds import QuestionKind, Source
from annotation.sentences import Said
from annotation.sentences import sentence as _
from annotation.services import designs, imported_totals
from annotation.services.design_rows import insert
from annotation.services.imported_judgments import (
    READ,
    ImportedJudgments,
    analyse,
    changed_meanwhile,
    check_can_take,
    item_pks,
    make_annotators,
)
from annotation.services.locks import lock_study
from annotation.services.rating_designs import RatingParameters

_CHUNK = 2000

# The items that a study has, by primary key.
KnownPairs = list[tuple[int, Pair]]


def known_pairs(study: Study) -> KnownPairs:
    items = (
        study.items.without_checks()
        .order_by("number")
        .select_related("candidate_turn", "target_turn")
    )
    return [(item.pk, Pair(item.key, item.target, item.candidate)) for item in items]


def store(
    *,
    study: Study,
    known: KnownPairs,
    parsed: ParsedAnswers,
    progress: Callable[[float, Said], None] = lambda share, message: None,
    keep: Callable[[], None] = lambda: None,
) -> ImportedJudgments:
    """Fill a draft with finished answers and close it: it can be scored, not answered.

    Each person has a booklet with what they answered, in the order of the file. Items are made
    from the file if the study has none, categories if nobody described them. All or nothing.
    """
    progress(READ, _("writing %(n)s answers") % {"n": len(parsed)})
    with transaction.atomic():
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


def _make_items(study: Study, parsed: ParsedAnswers) -> list[int]:
    # One without items may be left of earlier ones.
    pool, _is_new = Pool.objects.get_or_create(study=study, key=ONE_POOL, defaults={"number": 1})
    items = insert(
        Item,
        (
            Item(
                study=study,
                pool=pool,
                number=number,
                key=pair.key,
                target_text=pair.target or None,
                candidate_text=pair.candidate,
            )
            for number, pair in enumerate(parsed.items, start=1)
        ),
    )
    return [item.pk for item in items]


def _make_rows(study: Study, design: Design, parsed: ParsedAnswers, pks: list[int]) -> None:
    """A booklet, a place, an assignment and a run for each person, then the answers in batches."""
    now = clock.now()
    phase = Phase.objects.create(design=design, number=1, condition=Phase.Condition.FREE)
    block = Block.objects.create(phase=phase, number=1, purpose=Block.Purpose.MAIN)
    people = list(range(len(parsed.annotators)))
    annotators = dict(make_annotators(study, parsed.annotators, people))
    n_answers = parsed.answers_per_annotator()
    booklets = insert(
        Booklet,
        (Booklet(design=design, number=n + 1, n_screens=n_answers[n]) for n in people),
    )
    places = insert(
        Place,
        (Place(booklet=booklet, number=1, source=Source.IMPORTED) for booklet in booklets),
    )
    assignments = insert(
        Assignment,
        (
            Assignment(
                annotator_id=annotators[n],
                booklet=booklets[n],
                place=places[n],
                state=Assignment.State.SUBMITTED,
                last_active_at=now,
            )
            for n in people
        ),
    )
    insert(
        PhaseRun,
        (
            PhaseRun(
                assignment=assignment,
                phase=phase,
                opens_at=now,
                completed_at=now,
                place_id=assignment.place_id,
                is_counted=True,
            )
            for assignment in assignments
        ),
    )
    numbered = (
        (screen, answer)
        for _annotator, answers in groupby(parsed, key=attrgetter("annotator"))
        for screen, answer in enumerate(answers, start=1)
    )
    while chunk := list(islice(numbered, _CHUNK)):
        questions = insert(
            Question,
            (
                Question(
                    block=block,
                    booklet=booklets[answer.annotator],
                    screen=screen,
                    position=1,
                    kind=study.kind,
                    item_id=pks[answer.item],
                )
                for screen, answer in chunk
            ),
        )
        answers = [answer for _screen, answer in chunk]
        judgments = insert(
            Judgment,
            (
                _judgment(study, assignments[answer.annotator], question, answer)
                for question, answer in zip(questions, answers, strict=True)
            ),
        )
        if study.kind == QuestionKind.LABEL:
            insert(
                Choice,
                (
                    Choice(judgment=judgment, category=name)
                    for judgment, answer in zip(judgments, answers, strict=True)
                    if isinstance(answer.value, tuple)
                    for name in answer.value
                ),
            )


def _judgment(
    study: Study, assignment: Assignment, question: Question, answer: Answer
) -> Judgment:
    return Judgment(
        assignment=assignment,
        question=question,
        kind=study.kind,
        rating=None if isinstance(answer.value, tuple) else answer.value,
        comment=answer.comment,
        active_ms=answer.active_ms,
        answered_at=answer.answered_at,
        idempotency_key=uuid4(),
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
    study.opened_at = now
    # Closed: nobody joins, and it can be scored and exported.
    study.state = Study.State.CLOSED
    study.save(update_fields=["opened_at", "state"])
