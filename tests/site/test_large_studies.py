"""What grows with a study is counted by a worker, found by an index or paged: no page reads it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.basics import clock
from annotation.core.queries import material, progress
from annotation.core.queries.comments import comments
from annotation.core.queries.counted_answers import POPULATIONS
from annotation.core.services import redaction, run_sums
from annotation.kinds.best_worst.label_studio import BestWorstLabelStudio
from annotation.models import (
    Assignment,
    AuditEvent,
    Judgment,
    LiveCount,
    Person,
    PhaseRun,
    Study,
)
from annotation.models.kinds import Source
from annotation.monitoring.services import live
from annotation.people.queries import people_order
from tests.support.checking import make_checked_comparisons, make_checked_ratings
from tests.support.factories import join, make_open_study, make_study
from tests.support.researcher_pages import finish_booklet

pytestmark = pytest.mark.django_db


def test_comments_are_found_without_the_answers_that_have_none() -> None:
    study = make_open_study(dialogues=12)
    for _person in range(4):
        finish_booklet(study)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        if connection.vendor == "postgresql":
            # It reads the whole of a table that is as small as this one.
            cursor.execute("SET LOCAL enable_seqscan = off")

    assert "judgment_commented" in comments(study).explain()


def many_times(monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study of so many answers that their medians are stored."""
    monkeypatch.setattr(progress, "MIN_STORED_TIMES", 1)
    study = make_open_study()
    finish_booklet(study)
    Judgment.objects.update(active_ms=4000)
    # When nobody was at work for a while, the statistics are measured.
    Assignment.objects.update(last_active_at=timezone.now() - timedelta(hours=1))
    return study


@pytest.mark.slow
def test_the_median_time_of_many_answers_is_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    study = many_times(monkeypatch)
    before = progress.progress(study)

    live.watch()
    stored = progress.progress(study)
    Judgment.objects.update(active_ms=9000)

    assert before[0].times.seconds_per_question == 4
    assert stored == before
    # The page sorts no answers: it says what the worker found.
    assert progress.progress(study) == before
    monkeypatch.setattr(progress, "MIN_STORED_TIMES", 10**6)
    assert progress.progress(study)[0].times.seconds_per_question == 9


def test_the_medians_of_a_few_answers_are_not_stored() -> None:
    study = make_open_study()
    finish_booklet(study)
    Assignment.objects.update(last_active_at=timezone.now() - timedelta(hours=1))

    live.watch()

    assert LiveCount.objects.get().times == {}


def test_the_last_answer_is_of_somebody_who_was_at_work_of_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "_N_RECENT", 1)
    study = make_open_study()
    first, second = finish_booklet(study), finish_booklet(study)
    last = clock.now()
    for someone, at in ((first, last - timedelta(days=1)), (second, last)):
        Assignment.objects.filter(annotator=someone).update(last_active_at=at)
        Judgment.objects.filter(assignment__annotator=someone).update(answered_at=at)
    # Who has only claimed was at work later, and has answered nothing.
    Assignment.objects.filter(annotator=join(study).annotator).update(
        last_active_at=last + timedelta(hours=1)
    )

    (real,) = (row for row in progress.progress(study) if row.source == Source.REAL)

    assert real.last_answer_at == last


def people_of(study: Study, n: int) -> list[Person]:
    """Of a platform that has confirmed nobody."""
    people = Person.objects.bulk_create(
        Person(
            platform="mturk", environment=study.slug, platform_id=f"A{i}", name=f"Ada {i} Byron"
        )
        for i in range(n)
    )
    for person in people:
        event(study, f"Excluded {person.name}.")
    return people


def event(study: Study, said: str) -> AuditEvent:
    return AuditEvent.objects.create(
        study=study,
        by=study.owner,
        kind=AuditEvent.Kind.CHANGED,
        about=study.title,
        said=said,
    )


def test_looking_for_names_takes_as_many_queries_for_many_people() -> None:
    def n_queries(n: int) -> int:
        study = make_study()
        people = people_of(study, n)
        with CaptureQueriesContext(connection) as captured:
            places = redaction.find(study, people)
        assert places.n_texts == n
        return len(captured)

    assert n_queries(20) == n_queries(2)


def test_tasks_of_label_studio_take_as_many_queries_for_many_tuples() -> None:
    def n_queries(n_dialogues: int) -> int:
        study = make_open_study(dialogues=n_dialogues)
        finish_booklet(study)
        with CaptureQueriesContext(connection) as captured:
            tasks = list(
                BestWorstLabelStudio().tasks(study.design, study.design.phases.get(), "people")
            )
        assert len(tasks) == Judgment.objects.filter(assignment__annotator__study=study).count()
        assert all(task["data"]["context"] for task in tasks)
        return len(captured)

    assert n_queries(4) == n_queries(1)


def test_a_task_of_label_studio_has_the_items_in_their_stored_order() -> None:
    study = make_open_study(dialogues=1)
    finish_booklet(study)
    design = study.design

    tasks = BestWorstLabelStudio().tasks(design, design.phases.get(), "people")

    rows = design.tuples.order_by("number")
    for task, row in zip(tasks, rows, strict=True):
        keys = list(row.members.order_by("position").values_list("item__key", flat=True))
        assert [task["data"][f"key_of_{n}"] for n in range(1, len(keys) + 1)] == keys


@pytest.mark.parametrize(
    ("words", "text", "left"),
    [
        (("Ada Byron", "Ada"), "Ada Byron, Ada and Adam", "…, … and Adam"),
        (("@ada",), "Ask @ada or x@ada.", "Ask … or x@ada."),
        (("!!!",), "Is it !!! or a!!!b?", "Is it … or a!!!b?"),
        (("Zoe\u0308",), "By Zoe\u0308.", "By …."),
    ],
)
def test_names_are_found_whatever_their_letters(
    words: tuple[str, ...], text: str, left: str
) -> None:
    study = make_study()
    line = event(study, text)

    redaction.erase(study, sorted(words, key=len, reverse=True))

    line.refresh_from_db()
    assert line.said == left


def test_checks_are_no_material() -> None:
    compared, rated, unchecked = make_checked_comparisons(), make_checked_ratings(), make_study()

    n_items = material.n_items_by_study([compared, rated, unchecked])

    for study in (compared, rated, unchecked):
        assert n_items[study.pk] == study.items.without_checks().count()
    assert n_items[compared.pk] < compared.items.count()
    assert n_items[rated.pk] < rated.items.count()
    of_checks = compared.design.tuples.exclude(pool__known_answer=None)
    assert of_checks.exists()
    assert material.n_tuples(compared.design) == compared.design.tuples.count() - of_checks.count()


def test_people_are_sorted_by_the_sums_of_their_parts() -> None:
    study = make_open_study()
    many, few = finish_booklet(study), finish_booklet(study)
    for population in POPULATIONS:
        run_sums.store(study.design, population)
    PhaseRun.objects.filter(assignment__annotator=many).update(n_answers=900)

    def people(sort: str) -> list[int]:
        return people_order.in_order(study, simulated=False, show="all", sort=sort)

    assert people("answered") == [few.pk, many.pk]
    assert people("-answered") == [many.pk, few.pk]
    assert people_order.n_shown(study, simulated=False, show="all") == 2
    assert people_order.n_shown(study, simulated=False, show="held") == 0
