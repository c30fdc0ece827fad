"""A large rated study in the database, its rows written in bulk; needs Django's settings."""

import random
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import TypeVar
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import models, transaction

from annotation.basics import clock
from annotation.models import (
    Annotator,
    Assignment,
    Block,
    Booklet,
    Context,
    Item,
    Judgment,
    Phase,
    PhaseRun,
    Place,
    Pool,
    Question,
    Study,
    Turn,
)
from annotation.models.kinds import QuestionKind
from annotation.studies.services import studies

M = TypeVar("M", bound=models.Model)


def insert(model: type[M], rows: Iterable[M]) -> list[M]:
    return model._default_manager.bulk_create(rows, batch_size=2000)


@transaction.atomic
def populate(
    *,
    slug: str,
    per_phase: int,
    per_item: int,
    per_booklet: int,
    text: Callable[[], str],
    n_sentences: int,
    classes: Mapping[str, float],
) -> None:
    """Two phases of so many ratings each; the last stack may be smaller than the others."""
    rng = random.Random(2)
    owner = User.objects.create_user("benchmark", is_staff=True)
    study = studies.create(owner=owner, title="A rated study", slug=slug, seed=1)
    now = clock.now()
    Study.objects.filter(pk=study.pk).update(
        kind=QuestionKind.RATING,
        state=Study.State.OPEN,
        opened_at=now,
        scale={"low": "0", "high": "6", "step": "1", "labels": {"0": "not", "6": "the same"}},
    )
    study.designs.update(made_at=now, frozen_at=now)
    items = _items(study, -(-per_phase // per_item), text, n_sentences, list(classes))
    phases, questions = _design(study, items, per_booklet)
    latent = [classes[item.intended_class] + rng.gauss(0, 1) for item in items]
    _answers(
        study,
        phases,
        questions,
        latent=latent,
        per_phase=per_phase,
        per_item=per_item,
        rng=rng,
    )


def _items(
    study: Study, n: int, text: Callable[[], str], n_sentences: int, classes: list[str]
) -> list[Item]:
    """Each pair joins a sentence of one document with one of another."""
    contexts = insert(
        Context,
        (
            Context(
                study=study,
                key=f"c{c}",
                n_turns=n_sentences,
                domain=("fires", "floods")[c // 2 % 2],
            )
            for c in range(2 * n)
        ),
    )
    turns = insert(
        Turn,
        (
            Turn(context=context, position=position, text=text())
            for context in contexts
            for position in range(1, n_sentences + 1)
        ),
    )
    pool = Pool.objects.create(study=study, key="all", number=1)
    middle = n_sentences // 2
    return insert(
        Item,
        (
            Item(
                study=study,
                pool=pool,
                number=number + 1,
                key=f"pair {number}",
                target_turn=turns[2 * number * n_sentences + middle],
                candidate_turn=turns[(2 * number + 1) * n_sentences + middle],
                intended_class=classes[number % len(classes)],
                earlier_rating=3 * (2 - number % len(classes)),
            )
            for number in range(n)
        ),
    )


def _design(
    study: Study, items: list[Item], per_booklet: int
) -> tuple[list[Phase], list[list[list[Question]]]]:
    """The phases, and the questions of each phase and booklet."""
    design = study.design
    parts = [items[n : n + per_booklet] for n in range(0, len(items), per_booklet)]
    booklets = insert(
        Booklet,
        (
            Booklet(design=design, number=number, n_screens=len(part))
            for number, part in enumerate(parts, start=1)
        ),
    )
    phases, questions = [], []
    for number, condition in enumerate(Phase.Condition, start=1):
        delay = timedelta(hours=72) if number > 1 else None
        phase = Phase.objects.create(
            design=design, number=number, condition=condition, delay=delay
        )
        block = Block.objects.create(phase=phase, number=1, purpose=Block.Purpose.MAIN)
        rows = iter(
            insert(
                Question,
                (
                    Question(
                        block=block,
                        booklet=booklet,
                        screen=screen,
                        position=1,
                        kind=QuestionKind.RATING,
                        item=item,
                    )
                    for booklet, part in zip(booklets, parts, strict=True)
                    for screen, item in enumerate(part, start=1)
                ),
            )
        )
        phases.append(phase)
        questions.append([[next(rows) for _item in part] for part in parts])
    return phases, questions


def _answers(
    study: Study,
    phases: list[Phase],
    questions: list[list[list[Question]]],
    *,
    latent: list[float],
    per_phase: int,
    per_item: int,
    rng: random.Random,
) -> None:
    """So many people for each booklet, who answer it in both phases."""
    now = clock.now()
    begin = now - timedelta(days=30)
    booklets = list(study.design.booklets.order_by("number"))
    seats = [(booklet, n) for booklet in booklets for n in range(1, per_item + 1)]
    people = insert(Annotator, (Annotator(study=study) for _seat in seats))
    places = insert(Place, (Place(booklet=booklet, number=n) for booklet, n in seats))
    assignments = insert(
        Assignment,
        (
            Assignment(
                annotator=annotator,
                booklet=place.booklet,
                place=place,
                state=Assignment.State.SUBMITTED,
                last_active_at=now,
            )
            for annotator, place in zip(people, places, strict=True)
        ),
    )
    first = {item: n for n, item in enumerate(_item_keys(questions[0]))}
    for number, phase in enumerate(phases):
        started = begin + timedelta(hours=80 * number)
        insert(
            PhaseRun,
            (
                PhaseRun(
                    assignment=assignment,
                    phase=phase,
                    opens_at=started,
                    completed_at=started + timedelta(hours=1),
                    place=place,
                    is_counted=True,
                )
                for assignment, place in zip(assignments, places, strict=True)
            ),
        )
        left = per_phase
        rows = []
        for n, assignment in enumerate(assignments):
            for question in questions[number][n // per_item]:
                if not left:
                    break
                left -= 1
                of = latent[first[question.item_id]] + 0.3 * number + rng.gauss(0, 1)
                shown = started + timedelta(seconds=20 * question.screen + rng.randrange(3600))
                rows.append(
                    Judgment(
                        assignment=assignment,
                        question=question,
                        kind=QuestionKind.RATING,
                        rating=min(max(round(of), 0), 6),
                        shown_at=shown,
                        answered_at=shown + timedelta(seconds=10),
                        active_ms=1000 + int(rng.expovariate(1 / 7000)),
                        idempotency_key=uuid4(),
                    )
                )
        insert(Judgment, rows)


def _item_keys(booklets: list[list[Question]]) -> list[int | None]:
    return [question.item_id for booklet in booklets for question in booklet]
