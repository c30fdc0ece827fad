"""Two tabs press Next in the same moment: on PostgreSQL they wait for one another's locks."""

import threading
from typing import Any

import pytest
from django.db import connection, connections

from annotation.answering.services import checks, phases
from annotation.kinds.queries import known_answers
from annotation.models import Judgment, Telling
from tests.answering.test_answering_checks import rate
from tests.support.annotating import Participant
from tests.support.checking import make_checked_ratings, rated_pairs

N_TABS = 8


def _at_once(work: Any) -> list[Any]:
    """The answers of so many threads that begin in one moment, each with its own connection."""
    gate, answers = threading.Barrier(N_TABS), []

    def one() -> None:
        gate.wait(timeout=30)
        try:
            answers.append(work())
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one) for _tab in range(N_TABS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@pytest.mark.django_db(transaction=True)
def test_tabs_that_press_next_at_once_are_told_once_and_all_of_the_same() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("DATABASE_URL names no PostgreSQL database: row locks are not tested")
    study = make_checked_ratings(rated_pairs(["tutorial"]))
    person = Participant(study)
    form = person.form(1)

    responses = _at_once(lambda: rate(person, 1, "0", form=form))

    assert [r.status_code for r in responses] == [303] * N_TABS
    assert {r["Location"].rpartition("/a/")[2].split("/s/")[1] for r in responses} == {"1/"}
    assert Judgment.objects.count() == Telling.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_several_who_ask_at_once_one_writes_and_all_are_told() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("DATABASE_URL names no PostgreSQL database: row locks are not tested")
    study = make_checked_ratings(rated_pairs(["loud"]))
    person = Participant(study)
    run = phases.latest(person.assignment)
    question = run.questions.select_related("block", "tuple").get(item__key="c1")
    rate(person, question.screen, "0")
    Telling.objects.all().delete()
    known = known_answers.of_questions([question], study)[question.pk]

    told = _at_once(lambda: checks.tell(run=run, question=question.pk, known=known, seen=""))

    assert told == [True] * N_TABS
    assert Telling.objects.count() == 1
