"""An open study of which each person joined here, with everything that comes with people.

Somebody answers one booklet of a hundred questions, by way of a platform that pays or of a roster.
Rows are written in bulk; the study is what joining, answering and paying would have made of it.
"""

import random
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from itertools import islice
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation.basics import keys
from annotation.models import (
    Annotator,
    Assignment,
    AuditEvent,
    Consent,
    Exclusion,
    Intent,
    Job,
    Judgment,
    LinkMessage,
    Listing,
    Person,
    PhaseRun,
    Place,
    PlatformEvent,
    Question,
    QuestionnaireReply,
    Study,
    Visit,
)
from annotation.models.kinds import Outcome, QuestionKind
from annotation.monitoring.services import live
from annotation.studies.services import studies
from benchmarks.populate import TUPLES_PER_DIALOGUE, add_design, add_dialogues, insert

ANSWERS_PER_TUPLE = 5
ANSWERS_PER_PERSON = 100
# Of the places; the others are still free.
DONE = 0.98
DAYS = 30
# Judgments that are in memory at once.
N_AT_ONCE = 50_000
# One of so many people or answers.
EXCLUDED, HELD, COMMENTED = 100, 100, 20


def make(owner: User, *, slug: str, n_people: int) -> Study:
    n_booklets = round(n_people / DONE / ANSWERS_PER_TUPLE) or 1
    n_tuples = n_booklets * ANSWERS_PER_PERSON
    study = studies.create(owner=owner, title="A joined study", preset="giccs", seed=1)
    with transaction.atomic():
        pools = add_dialogues(study, -(-n_tuples // TUPLES_PER_DIALOGUE))
        _booklets, questions, members = add_design(
            study, pools, ANSWERS_PER_PERSON, ANSWERS_PER_TUPLE
        )
        begun = timezone.now() - timedelta(days=DAYS)
        study.designs.update(made_at=begun, frozen_at=begun)
        Study.objects.filter(pk=study.pk).update(
            slug=slug,
            state=Study.State.OPEN,
            opened_at=begun,
            questionnaires={
                "before": {"questions": [{"key": "age", "kind": "number", "text": "Your age?"}]}
            },
        )
        study.refresh_from_db()
        runs = _add_people(study, n_people)
        of_booklet: dict[int | None, list[tuple[Question, list[int]]]] = {}
        for question, three in zip(questions, members, strict=True):
            shown = (question, [item.pk for item in three])
            of_booklet.setdefault(question.booklet_id, []).append(shown)
        judgments = _judgments(runs, of_booklet)
        while some := list(islice(judgments, N_AT_ONCE)):
            insert(Judgment, some)
        _add_crowd(study, runs)
        _add_history(study, runs)
    # What the worker does every minute: counts, sums and medians.
    live.watch()
    return study


def _add_people(study: Study, n_people: int) -> list[PhaseRun]:
    """Their runs; the first half came by a platform, the others stood on a roster."""
    now = timezone.now()
    persons = insert(
        Person,
        (
            Person(platform="prolific", environment="production", platform_id=f"worker{n}")
            if n < n_people // 2
            else Person(
                platform="roster",
                platform_id=f"{study.pk}-s{n}",
                name=f"Student {n}",
                email=f"s{n}@example.org",
            )
            for n in range(n_people)
        ),
    )
    people = insert(
        Annotator,
        (
            Annotator(
                study=study,
                person=person,
                key_hash=keys.key_hash(f"{study.pk} {n}"),
                instructed_at=now,
                consent_version=1,
            )
            for n, person in enumerate(persons)
        ),
    )
    consent = studies.current_consent(study)
    insert(Consent, (Consent(annotator=person, text=consent, given_at=now) for person in people))
    insert(
        QuestionnaireReply,
        (
            QuestionnaireReply(
                annotator=person,
                moment="before",
                values={"age": 18 + n % 60},
                saved_at=now,
                completed_at=now,
            )
            for n, person in enumerate(people)
        ),
    )
    places = list(Place.objects.filter(booklet__design=study.design).order_by("number", "pk"))
    assignments = insert(
        Assignment,
        (
            Assignment(
                annotator=person,
                booklet_id=place.booklet_id,
                place=place,
                state=Assignment.State.SUBMITTED,
                last_active_at=now - timedelta(minutes=2 * n),
            )
            for n, (person, place) in enumerate(zip(people, places, strict=False))
        ),
    )
    phase = study.design.phases.get()
    runs = insert(
        PhaseRun,
        (
            PhaseRun(
                assignment=assignment,
                phase=phase,
                opens_at=now - timedelta(days=DAYS),
                place=assignment.place,
                completed_at=assignment.last_active_at,
                is_counted=n % HELD > 0,
                is_held=n % HELD == 0,
            )
            for n, assignment in enumerate(assignments)
        ),
    )
    insert(
        Exclusion,
        (
            Exclusion(annotator=person, reason="too quick", by=study.owner)
            for person in people[1::EXCLUDED]
        ),
    )
    return runs


def _judgments(
    runs: list[PhaseRun], of_booklet: dict[int | None, list[tuple[Question, list[int]]]]
) -> Iterator[Judgment]:
    rng = random.Random(5)
    for run in runs:
        end = run.completed_at or timezone.now()
        for n, (question, items) in enumerate(of_booklet[run.assignment.booklet_id]):
            shown = rng.sample(items, len(items))
            # Those that come first in the pool are rather the best of it.
            order = sorted(shown) if rng.random() < 0.7 else shown
            at = end - timedelta(seconds=12 * n)
            yield Judgment(
                assignment=run.assignment,
                question=question,
                kind=QuestionKind.BEST_WORST,
                best_id=order[0],
                worst_id=order[-1],
                shown_order=shown,
                shown_at=at - timedelta(seconds=10),
                answered_at=at,
                active_ms=rng.randrange(3000, 20_000),
                n_away=rng.random() < 0.05,
                n_pasted=0,
                idempotency_key=uuid4(),
                comment="not sure" if rng.randrange(COMMENTED) == 0 else "",
            )


def _add_crowd(study: Study, runs: list[PhaseRun]) -> None:
    """Sittings on a platform, each paid by an approval and a bonus."""
    now = timezone.now()
    listing = Listing.objects.create(
        study=study,
        number=1,
        platform="prolific",
        environment="production",
        state=Listing.State.PUBLISHED,
        published_at=study.opened_at,
        n_places=len(runs),
        reward=Decimal("3.00"),
        currency="GBP",
    )
    study.budgets.create(currency="GBP", cap=1_000_000)
    visits = insert(
        Visit,
        (
            Visit(
                run=run,
                listing=listing,
                person=run.assignment.annotator.person,
                platform="prolific",
                environment="production",
                submission_id=f"submission{n}",
                state=Visit.State.ENDED,
                remote_state=Visit.Remote.APPROVED,
                outcome=Outcome.COMPLETED,
                ended_at=now,
                submitted_at=now,
                doubt="" if n % 100 else "The code is another one.",
            )
            for n, run in enumerate(runs[: len(runs) // 2])
        ),
    )
    insert(
        Intent,
        (
            Intent(
                listing=listing,
                visit=visit,
                kind=kind,
                currency="GBP",
                pays=Decimal("3.00"),
                fee=Decimal("1.00"),
                commits=Decimal("4.00"),
                state=Intent.State.CONFIRMED,
                planned_at=now,
                first_sent_at=now,
                settled_at=now,
                attempts=1,
                requested_by=study.owner,
            )
            for visit in visits
            for kind in (Intent.Kind.APPROVE, Intent.Kind.BONUS)
        ),
    )
    insert(
        PlatformEvent,
        (
            PlatformEvent(
                listing=listing, visit=visit, source="poll", kind="submission", seen_at=now
            )
            for visit in visits
        ),
    )


def _add_history(study: Study, runs: list[PhaseRun]) -> None:
    """Personal links that were sent, and what has been done to the study."""
    now = timezone.now()
    sending = Job.objects.create(
        study=study, kind=Job.Kind.SEND_LINKS, state=Job.State.DONE, finished_at=now
    )
    insert(
        LinkMessage,
        (
            LinkMessage(
                job=sending,
                annotator=run.assignment.annotator,
                state=LinkMessage.State.SENT,
                sent_at=now,
            )
            for run in runs[len(runs) // 2 :]
        ),
    )
    insert(
        Job,
        (
            Job(
                study=study,
                kind=Job.Kind.EXPORT,
                state=Job.State.FAILED,
                finished_at=now,
            )
            for _n in range(len(runs) // 20)
        ),
    )
    insert(
        AuditEvent,
        (
            AuditEvent(
                by=study.owner,
                kind=AuditEvent.Kind.CHANGED,
                study=study,
                about=study.title,
                said=f"Excluded somebody ({n}).",
            )
            for n in range(len(runs))
        ),
    )
