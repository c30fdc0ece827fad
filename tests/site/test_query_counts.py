"""How many queries the annotator's pages make, whatever the size of study, booklet or dialogue."""

from collections.abc import Callable

import pytest
from django.urls import reverse

from annotation.models import Question
from tests.support import factories
from tests.support.annotating import Participant, watched

pytestmark = pytest.mark.django_db

# PostgreSQL prepares a statement once for each connection.
_BOUNDARIES = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "PREPARE")


def n_queries(request: Callable[[], object]) -> int:
    with watched() as queries:
        request()
    return sum(not q["sql"].startswith(_BOUNDARIES) for q in queries.captured_queries)


@pytest.fixture
def participant() -> Participant:
    return Participant(factories.make_open_study(dialogues=4))


def test_a_screen_of_two_dialogues_takes_eight_queries(participant: Participant) -> None:
    assert len(participant.questions(1)) == 2
    assert n_queries(lambda: participant.get("s/1/")) <= 8


def test_a_screen_takes_no_more_queries_when_it_is_answered(participant: Participant) -> None:
    participant.post("s/1/", {**participant.filled(1), "go": "next"})
    participant.post("s/2/", {**participant.filled(2), "q0-best": "", "go": "stay"})

    assert n_queries(lambda: participant.get("s/1/")) <= 8


def test_a_screen_takes_as_many_queries_in_a_larger_study() -> None:
    small = Participant(factories.make_open_study(dialogues=2))
    large = Participant(
        factories.make_open_study(
            dialogues=8,
            turns=(9, 11),
            parameters={"questions_per_screen": 4, "screens_per_booklet": 20},
        )
    )
    assert len(large.questions(1)) > len(small.questions(1))

    assert n_queries(lambda: large.get("s/1/")) == n_queries(lambda: small.get("s/1/"))


@pytest.mark.parametrize(
    ("address", "at_most"),
    [("", 4), ("overview/", 5), ("instructions/", 2), ("withdraw/", 1)],
)
def test_the_other_pages_take_few_queries(
    participant: Participant, address: str, at_most: int
) -> None:
    assert n_queries(lambda: participant.get(address)) <= at_most


def test_the_last_page_takes_five_queries(participant: Participant) -> None:
    participant.answer_everything()
    participant.post("submit/")

    assert n_queries(participant.get) <= 5


def test_the_consent_page_takes_four_queries(participant: Participant) -> None:
    address = reverse("annotator:join", args=[participant.study.join_token])

    assert n_queries(lambda: participant.client.get(address)) <= 4


def test_saving_takes_no_more_queries_in_a_larger_booklet() -> None:
    saved = []
    for n_screens in (2, 10):
        study = factories.make_open_study(
            dialogues=8, parameters={"screens_per_booklet": n_screens}
        )
        participant = Participant(study)
        question: Question = participant.questions(1)[0]
        choice = participant.choice(question)
        saved.append(n_queries(lambda p=participant, q=question, c=choice: p.save(q, c)))

    assert saved[0] == saved[1]
