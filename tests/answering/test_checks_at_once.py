"""Two tabs press Next in the same moment: on PostgreSQL they wait for one another's locks."""

import pytest
from django.db import connection

from annotation.answering.services import checks, phases
from annotation.kinds.queries import known_answers
from annotation.kinds.question_rows import AskedQuestion
from annotation.models import Judgment, Telling
from tests.answering.test_answering_checks import rate
from tests.support.annotating import Participant
from tests.support.at_once import at_once
from tests.support.checking import make_checked_ratings, rated_pairs

N_TABS = 8


@pytest.mark.django_db(transaction=True)
def test_tabs_that_press_next_at_once_are_told_once_and_all_of_the_same() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("DATABASE_URL names no PostgreSQL database: row locks are not tested")
    study = make_checked_ratings(rated_pairs(["tutorial"]))
    person = Participant(study)
    form = person.form(1)

    responses = at_once([lambda: rate(person, 1, "0", form=form)] * N_TABS)

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
    known = known_answers.of_questions([AskedQuestion.of(question)], study)[question.pk]

    told = at_once(
        [lambda: checks.tell(run=run, question=question.pk, known=known, seen="")] * N_TABS
    )

    assert told == [True] * N_TABS
    assert Telling.objects.count() == 1
