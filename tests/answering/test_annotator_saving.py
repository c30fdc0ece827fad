"""Saving one choice in the background."""

from uuid import uuid4

import pytest

from annotation.answering.services import withdrawal
from annotation.models import Draft, Judgment
from annotation.studies.services import studies
from tests.support import factories
from tests.support.annotating import Participant
from tests.support.researcher_pages import in_one_line

pytestmark = pytest.mark.django_db


@pytest.fixture
def mine() -> Participant:
    return Participant(factories.make_open_study(dialogues=4))


def test_a_complete_choice_is_saved_and_the_progress_answered(mine: Participant) -> None:
    question = mine.questions()[0]

    response = mine.save(question, mine.choice(question, comment="sure"))

    judgment = Judgment.objects.get()
    assert response.status_code == 200
    assert response.json() == {
        "state": "saved",
        "complete": True,
        "answered": 1,
        "questions": mine.assignment.booklet.questions.count(),
        "key": str(judgment.idempotency_key),
        "answer": {"best": judgment.best_id, "worst": judgment.worst_id, "comment": "sure"},
    }
    assert (judgment.comment, judgment.active_ms) == ("sure", 1200)


def test_a_partial_choice_is_a_draft(mine: Participant) -> None:
    question = mine.questions()[0]

    response = mine.save(question, mine.choice(question, worst=""))

    assert response.json()["state"] == "draft"
    assert response.json()["complete"] is False
    assert Draft.objects.get().payload["best"]
    assert not Judgment.objects.exists()


def test_an_older_draft_that_comes_late_changes_nothing(mine: Participant) -> None:
    question = mine.questions()[0]
    newer = mine.choice(question, worst="", sequence="5")
    mine.save(question, newer)

    mine.save(question, {**newer, "best": "", "sequence": "4"})

    assert Draft.objects.get().payload["best"] == int(newer["best"])


def test_sent_again_it_is_answered_with_the_stored_one_also_after_the_submission(
    mine: Participant,
) -> None:
    question = mine.questions()[0]
    choice = mine.choice(question)
    mine.save(question, choice)
    mine.answer_everything()
    mine.post("submit/")
    before = Judgment.objects.count()

    again = mine.save(question, choice)
    swapped = {"best": choice["worst"], "worst": choice["best"]}
    new = mine.save(question, {**choice, **swapped, "idempotency_key": str(uuid4())})

    assert (again.status_code, again.json()["state"]) == (200, "saved")
    assert new.status_code == 409
    assert new.json() == {
        "error": "You have already sent these answers. They are safe.",
        "closed": True,
    }
    assert Judgment.objects.count() == before


@pytest.fixture
def acknowledged(mine: Participant) -> dict[str, str]:
    """An answer that was taken back in part and chosen again: no row has the last one's key."""
    question = mine.questions()[0]
    first = mine.choice(question)
    partial = {"worst": "", "idempotency_key": str(uuid4()), "base": first["idempotency_key"]}
    last = {"idempotency_key": str(uuid4()), "base": partial["idempotency_key"]}
    for changes in ({}, partial, last):
        assert mine.save(question, {**first, **changes}).status_code == 200
    return {**first, **last}


def test_an_acknowledged_answer_that_changed_nothing_is_acknowledged_after_the_end_too(
    mine: Participant, acknowledged: dict[str, str]
) -> None:
    question = mine.questions()[0]
    studies.finish(study=mine.study)

    again = mine.save(question, acknowledged)
    other = mine.save(
        question, {**acknowledged, "comment": "late", "idempotency_key": str(uuid4())}
    )

    assert (again.status_code, again.json()["state"]) == (200, "saved")
    assert other.status_code == 409
    assert Judgment.objects.get().comment == ""


def test_an_acknowledged_answer_that_a_draft_changes_is_not_said_to_stand(
    mine: Participant, acknowledged: dict[str, str]
) -> None:
    question = mine.questions()[0]
    standing = str(Judgment.objects.get().idempotency_key)
    partial = {"worst": "", "idempotency_key": str(uuid4()), "base": standing}
    assert mine.save(question, {**acknowledged, **partial}).status_code == 200
    studies.finish(study=mine.study)

    assert mine.save(question, acknowledged).status_code == 409


def test_a_resend_from_an_earlier_booklet_is_still_answered(mine: Participant) -> None:
    question = mine.questions()[0]
    choice = mine.choice(question)
    mine.save(question, choice)
    mine.answer_everything()
    mine.post("submit/")
    mine.post("more/")

    assert mine.save(question, choice).status_code == 200


def test_a_key_opens_no_other_persons_question(mine: Participant) -> None:
    theirs = Participant(mine.study)
    question = theirs.questions()[0]
    choice = theirs.choice(question)

    response = mine.save(question, choice)

    assert response.status_code == 404
    assert response.json() == {"error": "This question is not in your booklet."}
    assert not Judgment.objects.exists()


def test_the_note_of_what_was_shown_is_the_persons_own() -> None:
    study = factories.make_open_study(parameters={"screens_per_booklet": 100})
    mine, theirs = Participant(study), Participant(study)
    question = mine.questions()[0]
    assert mine.assignment.booklet_id == theirs.assignment.booklet_id

    response = mine.save(question, theirs.choice(question))

    assert response.status_code == 400
    assert response.json()["error"] == (
        "This page is out of date. Reload it; your answers are kept."
    )
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"shown": "forged"}, "This page is out of date."),
        ({"best": "1000000"}, "Choose from the options of this question."),
        ({"best": "x"}, "This answer is incomplete."),
        ({"idempotency_key": "x"}, "This answer is incomplete."),
        ({"idempotency_key": ""}, "This answer is incomplete."),
        ({"sequence": "x"}, "This answer is incomplete."),
        ({"comment": "x" * 2001}, "Please keep the comment under 2000 characters."),
    ],
)
def test_what_does_not_fit_is_refused(mine: Participant, changes, sentence: str) -> None:
    question = mine.questions()[0]

    response = mine.save(question, mine.choice(question, **changes))

    assert response.status_code == 400
    assert sentence in response.json()["error"]
    assert not Judgment.objects.exists()
    assert not Draft.objects.exists()


def test_best_and_worst_differ(mine: Participant) -> None:
    question = mine.questions()[0]
    choice = mine.choice(question)

    response = mine.save(question, {**choice, "worst": choice["best"]})

    assert response.status_code == 400
    assert "Choose two different options" in response.json()["error"]
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("count", ["", "x", "-5", "1e9"])
@pytest.mark.parametrize("name", ["active_ms", "n_away", "n_pasted"])
def test_a_wrong_count_does_not_cost_the_answer(mine: Participant, name: str, count: str) -> None:
    question = mine.questions()[0]

    response = mine.save(question, mine.choice(question, **{name: count}))

    assert response.status_code == 200
    assert getattr(Judgment.objects.get(), name) is None


def test_a_page_counts_on_from_what_a_draft_has(mine: Participant) -> None:
    question = mine.questions()[0]
    mine.save(question, mine.choice(question, worst="", n_away="3", n_pasted="1"))
    page = in_one_line(mine.get(f"s/{question.screen}/").content.decode())
    assert 'data-active="1200" data-away="3" data-pasted="1"' in page

    mine.save(question, mine.choice(question, n_away="9" * 20, n_pasted="2", sequence="2"))

    judgment = Judgment.objects.get()
    assert (judgment.n_away, judgment.n_pasted) == (1000, 2)


def test_a_body_that_is_too_large_is_refused(mine: Participant) -> None:
    question = mine.questions()[0]

    response = mine.save(question, mine.choice(question, comment="x" * 140_000))

    assert response.status_code == 413
    assert "That is too long." in response.json()["error"]


def test_a_key_used_for_another_question_is_no_answer_to_it(mine: Participant) -> None:
    first, second = mine.questions()
    mine.save(first, mine.choice(first))

    response = mine.save(second, mine.choice(second))

    assert response.status_code == 400
    assert Judgment.objects.get().question == first


def test_after_the_study_is_finished_or_left_nothing_is_saved(mine: Participant) -> None:
    other = Participant(mine.study)
    question, theirs = mine.questions()[0], other.questions()[0]
    choice, their_choice = mine.choice(question), other.choice(theirs)
    withdrawal.withdraw(annotator=other.annotator)
    studies.finish(study=mine.study)

    finished, left = mine.save(question, choice), other.save(theirs, their_choice)

    assert (finished.status_code, left.status_code) == (409, 409)
    assert "This study is finished." in finished.json()["error"]
    assert left.json()["error"] == "You have withdrawn from this study."
    assert not Judgment.objects.exists()


def test_people_get_a_page_and_scripts_get_json(mine: Participant) -> None:
    question = mine.questions()[0]

    response = mine.post(f"q/{question.pk}/", {}, headers={"accept": "text/html,*/*;q=0.8"})

    assert response.status_code == 400
    assert response["Content-Type"].startswith("text/html")
    assert "This answer is incomplete." in response.content.decode()
