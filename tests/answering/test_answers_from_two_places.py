"""Two devices or tabs with the same question: nothing newer is overwritten, nothing is lost."""

from functools import partial
from uuid import uuid4

import pytest

from annotation.answering.services import judgments
from annotation.kinds.best_worst.answer import BestWorstAnswer
from annotation.models import Assignment, Draft, Judgment, Question
from tests.support import factories
from tests.support.annotating import Participant, read
from tests.support.at_once import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def mine() -> Participant:
    return Participant(factories.make_open_study(dialogues=4))


@pytest.fixture
def question(mine: Participant) -> Question:
    return mine.questions()[0]


def choice(mine: Participant, question: Question, best: int, worst: int | None, **changes: str):
    """What a page sends that was opened now: picks by their place, and a name of its own."""
    items = mine.items(question)
    return mine.choice(
        question,
        best=str(items[best]),
        worst="" if worst is None else str(items[worst]),
        idempotency_key=str(uuid4()),
        **changes,
    )


def picks(said: dict) -> tuple[int | None, int | None]:
    return tuple(int(said[role]) if said[role] else None for role in ("best", "worst"))


def test_an_older_answer_does_not_replace_one_given_elsewhere(mine, question) -> None:
    here, there = choice(mine, question, 0, 1), choice(mine, question, 2, 0, comment="sure")
    mine.save(question, there)

    response = mine.save(question, here)

    assert response.status_code == 409
    told = response.json()
    assert told["error"] == "This question was answered in another tab or on another device."
    assert picks(told["answer"]) == picks(there)
    assert told["answer"]["comment"] == "sure"
    assert told["key"] == there["idempotency_key"]
    assert told["screen"] == mine.url(f"s/{question.screen}/")
    assert "closed" not in told
    assert str(Judgment.objects.get().idempotency_key) == there["idempotency_key"]


def test_it_replaces_it_once_both_were_seen(mine, question) -> None:
    here, there = choice(mine, question, 0, 1), choice(mine, question, 2, 0)
    mine.save(question, there)
    told = mine.save(question, here).json()

    response = mine.save(question, {**here, "idempotency_key": str(uuid4()), "base": told["key"]})

    assert response.status_code == 200
    assert picks(response.json()["answer"]) == picks(here)
    assert Judgment.objects.count() == 2


def test_a_lost_acknowledgement_is_no_conflict(mine, question) -> None:
    first, second = choice(mine, question, 0, 1), choice(mine, question, 2, 0)
    mine.save(question, first)

    response = mine.save(
        question, {**second, "base": f"{first['base']} {first['idempotency_key']}"}
    )

    assert response.status_code == 200
    assert response.json()["key"] == second["idempotency_key"]


def test_the_same_answer_from_two_places_is_one(mine, question) -> None:
    here, there = choice(mine, question, 0, 1), choice(mine, question, 0, 1)
    mine.save(question, there)

    response = mine.save(question, here)

    assert response.status_code == 200
    assert response.json()["key"] == there["idempotency_key"]
    assert Judgment.objects.count() == 1


def test_a_resend_is_answered_and_told_what_stands_since(mine, question) -> None:
    first = choice(mine, question, 0, 1)
    mine.save(question, first)
    elsewhere = choice(mine, question, 2, 0)  # by a page that has seen the first
    mine.save(question, elsewhere)

    response = mine.save(question, first)

    assert (response.status_code, response.json()["state"]) == (200, "saved")
    assert response.json()["key"] == elsewhere["idempotency_key"]
    assert picks(response.json()["answer"]) == picks(elsewhere)


@pytest.mark.parametrize("worst", [0, None], ids=["answer", "draft"])
def test_an_older_draft_does_not_replace_what_was_given_elsewhere(mine, question, worst) -> None:
    here = choice(mine, question, 0, None, sequence="9")
    mine.save(question, choice(mine, question, 2, worst))

    response = mine.save(question, here)

    assert response.status_code == 409
    assert response.json()["answer"]["best"] == mine.items(question)[2]
    assert Draft.objects.filter(payload__best=mine.items(question)[0]).count() == 0


def test_a_draft_that_arrives_after_the_answer_that_followed_it_reopens_nothing(
    mine, question
) -> None:
    late = choice(mine, question, 0, None)
    then = choice(mine, question, 0, 1)
    mine.save(question, {**then, "base": f"{late['base']} {late['idempotency_key']}"})

    response = mine.save(question, late)

    assert response.status_code == 409
    assert not Draft.objects.exists()
    assert Judgment.objects.current().count() == 1


def test_a_choice_taken_back_stays_taken_back(mine, question) -> None:
    chosen = choice(mine, question, 0, None)
    empty = {**choice(mine, question, 0, None), "best": ""}
    mine.save(question, {**empty, "base": f"none {chosen['idempotency_key']}"})

    response = mine.save(question, chosen)

    assert response.status_code == 409
    assert "best" not in Draft.objects.get().payload


def test_a_page_that_names_no_base_is_believed(mine, question) -> None:
    here, there = choice(mine, question, 0, 1), choice(mine, question, 2, 0)
    mine.save(question, there)

    assert mine.save(question, {**here, "base": ""}).status_code == 200
    assert Judgment.objects.count() == 2


def test_a_page_left_open_is_told_that_nothing_more_is_taken(mine, question) -> None:
    late = choice(mine, question, 0, 2)
    mine.answer_everything()
    mine.post("submit/")

    response = mine.save(question, late)

    assert response.status_code == 409
    assert response.json()["closed"] is True


def test_a_lapsed_place_that_was_retaken_does_not_cost_the_answer() -> None:
    study = factories.make_open_study(
        parameters={"annotations_per_tuple": 1, "screens_per_booklet": 100}
    )
    mine = Participant(study)
    question = mine.questions()[0]
    kept = choice(mine, question, 0, 1)
    Assignment.objects.update(state=Assignment.State.LAPSED)
    Participant(study)

    response = mine.save(question, kept)

    mine.assignment.refresh_from_db()
    assert response.status_code == 200
    assert mine.assignment.is_surplus
    assert mine.assignment.state == Assignment.State.ACTIVE


# -- without JavaScript ------------------------------------------------------------------------


def test_the_form_comes_back_with_both_answers(mine, question) -> None:
    stale = mine.filled(best=0, worst=1)
    there = choice(mine, question, 2, 0, comment="from there")
    mine.save(question, there)

    response = mine.post("s/1/", {**stale, "go": "next"})

    assert response.status_code == 409
    html = response.content.decode()
    assert "This question was answered in another tab or on another device." in html
    form = read(response).forms[mine.url("s/1/")]
    prefix = f"q{question.pk}-"
    assert picks({role: form[prefix + role] for role in ("best", "worst")}) == picks(there)
    assert form[prefix + "comment"] == "from there"
    assert form[prefix + "here-best"] == stale[prefix + "best"]
    assert str(Judgment.objects.get(question=question).idempotency_key) == there["idempotency_key"]

    # The other question of the screen was saved, and the form is up to date about it.
    assert mine.post("s/1/", {**form, "go": "next"}).status_code == 303
    assert Judgment.objects.count() == 2


def test_one_button_uses_the_other_answer_instead(mine, question) -> None:
    stale = mine.filled(best=0, worst=1)
    mine.save(question, choice(mine, question, 2, 0))
    form = read(mine.post("s/1/", {**stale, "go": "next"})).forms[mine.url("s/1/")]

    response = mine.post("s/1/", {**form, "use": str(question.pk)})

    assert (response.status_code, response["Location"]) == (303, mine.url("s/1/"))
    current = Judgment.objects.current().get(question=question)
    assert str(current.best_id) == stale[f"q{question.pk}-best"]
    assert Judgment.objects.filter(question=question).count() == 2


def test_going_back_does_not_pass_over_what_was_answered_elsewhere(mine, question) -> None:
    stale = mine.filled(best=0, worst=1)
    mine.save(question, choice(mine, question, 2, 0))

    assert mine.post("s/1/", {**stale, "go": "back"}).status_code == 409


@pytest.mark.parametrize("was_answered", [False, True])
def test_a_form_in_which_nothing_was_chosen_gives_way(mine, question, was_answered) -> None:
    if was_answered:
        mine.post("s/1/", {**mine.filled(best=0, worst=1), "go": "stay"})
    untouched = mine.form()
    there = choice(mine, question, 2, 0)
    mine.save(question, there)

    response = mine.post("s/1/", {**untouched, "go": "back"})

    assert response.status_code == 303
    current = Judgment.objects.current().get(question=question)
    assert str(current.idempotency_key) == there["idempotency_key"]


# -- at the same moment ------------------------------------------------------------------------


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_two_answers_at_once_one_is_stored_and_the_other_told() -> None:
    mine = Participant(factories.make_open_study())
    question = mine.questions()[0]
    for n in range(10):
        choices = [choice(mine, question, best, 2, comment=f"round {n}") for best in (0, 1)]
        answers = at_once([partial(mine.save, question, sent) for sent in choices])

        stored, told = sorted(answers, key=lambda answer: answer.status_code)
        row = Judgment.objects.current().get(question=question)
        stands = judgments.CurrentAnswer.of(row, BestWorstAnswer)
        assert (stored.status_code, told.status_code) == (200, 409)
        assert stored.json()["key"] == told.json()["key"] == stands.key


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_double_click_on_a_slow_network_stores_once() -> None:
    mine = Participant(factories.make_open_study())
    question = mine.questions()[0]
    sent = choice(mine, question, 0, 1)

    answers = at_once([partial(mine.save, question, sent)] * 4)

    assert [answer.status_code for answer in answers] == [200] * 4
    assert Judgment.objects.count() == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_save_and_the_submission_at_once_lose_nothing() -> None:
    for _ in range(5):
        mine = Participant(factories.make_open_study())
        question = mine.questions()[0]
        mine.answer_everything()
        late = choice(mine, question, 2, 0)

        saved, sent = None, None
        answers = at_once([partial(mine.save, question, late), partial(mine.post, "submit/")])
        for answer in answers:
            saved, sent = (answer, sent) if "json" in answer["Content-Type"] else (saved, answer)

        is_stored = Judgment.objects.filter(idempotency_key=late["idempotency_key"]).exists()
        assert sent.status_code == 303
        assert (saved.status_code, is_stored) in {(200, True), (409, False)}
        assert is_stored or saved.json()["closed"]
