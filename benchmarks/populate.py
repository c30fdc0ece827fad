"""Fill a database with an open study of many tuples, and with people who have just begun.

    python -m benchmarks.populate TUPLES PEOPLE SCREENS

Dialogues as in GiCCS: five turns, five candidates in all ten 3-tuples, one question on a screen.
Every tuple has been answered once by somebody else already. Rows are written in bulk; the study is
what import, design and joining would have made of it. The last line printed is JSON: each person's
key and number of screens.
"""

import json
import os
import random
import sys
from collections.abc import Iterable
from datetime import timedelta
from itertools import combinations
from typing import TypeVar
from uuid import uuid4

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402 - models need the settings
from django.core.management import call_command  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.basics import keys  # noqa: E402
from annotation.models import (  # noqa: E402
    Annotator,
    Assignment,
    Block,
    Booklet,
    Context,
    Item,
    ItemTuple,
    Judgment,
    Member,
    Phase,
    PhaseRun,
    Place,
    Pool,
    Question,
    Study,
    Turn,
)
from annotation.models.kinds import QuestionKind  # noqa: E402
from annotation.studies.services import studies  # noqa: E402
from benchmarks.import_export import sentence  # noqa: E402

TUPLES_PER_DIALOGUE = 10
M = TypeVar("M", bound=models.Model)


def insert(model: type[M], rows: Iterable[M]) -> list[M]:
    return model._default_manager.bulk_create(rows, batch_size=2000)


def add_dialogues(study: Study, n_dialogues: int) -> list[list[Item]]:
    """Contexts, turns, pools and items; the items of each pool."""
    rng = random.Random(1)
    contexts = insert(
        Context,
        (
            Context(study=study, key=f"d{d}", source="written", domain="travel", n_turns=5)
            for d in range(n_dialogues)
        ),
    )
    turns = insert(
        Turn,
        (
            Turn(context=context, position=t + 1, speaker="AB"[t % 2], text=sentence(rng))
            for context in contexts
            for t in range(5)
        ),
    )
    pools = insert(
        Pool,
        (
            Pool(study=study, context=context, key=context.key, number=number)
            for number, context in enumerate(contexts, start=1)
        ),
    )
    items = insert(
        Item,
        (
            Item(
                study=study,
                pool=pool,
                number=5 * p + c + 1,
                key=f"{pool.key}-{c + 1}",
                target_turn=turns[5 * p + 4],
                candidate_text=sentence(rng),
            )
            for p, pool in enumerate(pools)
            for c in range(5)
        ),
    )
    return [items[5 * p : 5 * p + 5] for p in range(n_dialogues)]


def add_design(
    study: Study, pools: list[list[Item]], n_screens: int, n_places: int
) -> tuple[list[Booklet], list[Question], list[list[Item]]]:
    """Tuples in booklets of `n_screens` screens; the questions and the items each shows."""
    design = study.design
    phase = Phase.objects.create(design=design, number=1, condition=Phase.Condition.DEPENDENT)
    block = Block.objects.create(phase=phase, number=1, purpose=Block.Purpose.MAIN)
    members = [list(three) for pool in pools for three in combinations(pool, 3)]
    # One booklet has few tuples of the same dialogue.
    random.Random(2).shuffle(members)
    tuples = insert(
        ItemTuple,
        (
            ItemTuple(design=design, pool_id=three[0].pool_id, number=number)
            for number, three in enumerate(members, start=1)
        ),
    )
    insert(
        Member,
        (
            Member(tuple=row, item=item, position=position)
            for row, three in zip(tuples, members, strict=True)
            for position, item in enumerate(three)
        ),
    )
    booklets = insert(
        Booklet,
        (
            Booklet(design=design, number=number + 1, n_screens=n_screens)
            for number in range(len(tuples) // n_screens)
        ),
    )
    questions = insert(
        Question,
        (
            Question(
                block=block,
                booklet=booklets[n // n_screens],
                screen=n % n_screens + 1,
                position=1,
                kind=QuestionKind.BEST_WORST,
                tuple=row,
            )
            for n, row in enumerate(tuples)
        ),
    )
    insert(
        Place,
        (Place(booklet=b, number=n + 1) for b in booklets for n in range(n_places)),
    )
    return booklets, questions, members


def add_people(study: Study, booklets: list[Booklet], n_people: int) -> tuple[list[str], int]:
    """People past the instructions, each in a place of their own, and one more per booklet."""
    now = timezone.now()
    everybody = n_people + len(booklets)
    their_keys = [keys.new_key(study_id=study.pk, nonce=f"{n}") for n in range(everybody)]
    annotators = insert(
        Annotator,
        (
            Annotator(study=study, key_hash=keys.key_hash(key), instructed_at=now)
            for key in their_keys
        ),
    )
    places: dict[int, list[Place]] = {}
    for place in Place.objects.filter(booklet__in=booklets).order_by("pk"):
        places.setdefault(place.booklet_id, []).append(place)
    assignments = insert(
        Assignment,
        (
            Assignment(
                annotator=annotator,
                booklet=booklets[n % len(booklets)],
                place=places[booklets[n % len(booklets)].pk].pop(),
                last_active_at=now,
            )
            for n, annotator in enumerate(annotators)
        ),
    )
    phase = study.design.phases.get()
    insert(PhaseRun, (PhaseRun(assignment=a, phase=phase, opens_at=now) for a in assignments))
    return their_keys[len(booklets) :], assignments[0].pk


def add_judgments(
    study: Study, questions: list[Question], members: list[list[Item]], first: int
) -> None:
    """One answer to every question, by the person who came first to its booklet."""
    now = timezone.now()
    holder: dict[int | None, int] = {
        a.booklet_id: a.pk
        for a in Assignment.objects.filter(annotator__study=study, pk__gte=first).order_by("-pk")
    }
    insert(
        Judgment,
        (
            Judgment(
                assignment_id=holder[question.booklet_id],
                question=question,
                kind=QuestionKind.BEST_WORST,
                best=shown[0],
                worst=shown[1],
                shown_order=[item.pk for item in shown],
                shown_at=now - timedelta(seconds=5),
                answered_at=now,
                active_ms=4000,
                idempotency_key=uuid4(),
            )
            for question, shown in zip(questions, members, strict=True)
        ),
    )


def populate(n_tuples: int, n_people: int, n_screens: int) -> list[tuple[str, int]]:
    n_booklets = n_tuples // n_screens
    owner = User.objects.create_user("benchmark", is_staff=True)
    study = studies.create(
        owner=owner, title=f"A study of {n_tuples} tuples", preset="giccs", seed=1
    )
    with transaction.atomic():
        pools = add_dialogues(study, n_tuples // TUPLES_PER_DIALOGUE)
        n_places = -(-n_people // n_booklets) + 1
        booklets, questions, members = add_design(study, pools, n_screens, n_places)
        now = timezone.now()
        study.designs.update(made_at=now, frozen_at=now)
        Study.objects.filter(pk=study.pk).update(state=Study.State.OPEN, opened_at=now)
        people, first = add_people(study, booklets, n_people)
        add_judgments(study, questions, members, first)
    return [(key, n_screens) for key in people]


if __name__ == "__main__":
    call_command("migrate", verbosity=0, interactive=False)
    people = populate(*map(int, sys.argv[1:]))
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")  # as autovacuum does within a minute
    print(json.dumps(people))
