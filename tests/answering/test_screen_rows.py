"""What somebody has answered on a screen: what stands, and of nobody else."""

import pytest

from annotation.answering.queries import screen_rows
from annotation.models import Draft, Judgment
from tests.support import factories
from tests.support.annotating import Participant
from tests.support.answering import answer_one

pytestmark = pytest.mark.django_db


@pytest.fixture
def mine() -> Participant:
    return Participant(factories.make_open_study(dialogues=2))


def test_answers_and_drafts_of_others_are_not_read(mine: Participant) -> None:
    other = Participant(mine.study)
    first, second = mine.questions()[:2]
    answer_one(other.assignment, first)
    other.save(second, other.choice(second, worst=""))
    both = [first.pk, second.pk]

    assert screen_rows.answers(mine.assignment, both) == ([], [])
    judgments, drafts = screen_rows.answers(other.assignment, both)
    assert [answer.question_id for answer in (*judgments, *drafts)] == both


def test_an_answer_that_was_changed_is_not_read(mine: Participant) -> None:
    question = mine.questions()[0]
    for n, (best, worst) in enumerate([(0, 1), (1, 2)], start=1):
        items = [str(item) for item in mine.items(question)]
        key = f"00000000-0000-4000-8000-{n:012}"
        choice = {"best": items[best], "worst": items[worst], "idempotency_key": key}
        assert mine.save(question, mine.choice(question, **choice)).status_code == 200

    judgments, drafts = screen_rows.answers(mine.assignment, [question.pk])

    assert Judgment.objects.count() == 2
    assert judgments == [Judgment.objects.get(superseded_at=None)]
    assert drafts == list(Draft.objects.none())


def test_an_answer_that_is_being_changed_is_not_counted(mine: Participant) -> None:
    first, second = mine.questions()[:2]
    for question in (first, second):
        answer_one(mine.assignment, question)
    assignment, phase = mine.assignment.pk, first.block.phase_id

    def counts() -> set[tuple[int, int]]:
        """Each way of counting gives the same in a study of one phase."""
        return {
            screen_rows.counts(assignment),
            screen_rows.counts_of_phase(assignment, phase),
            screen_rows.counts_around(assignment, second.pk),
        }

    n_questions = mine.assignment.booklet.questions.count()
    assert counts() == {(n_questions, 2)}
    mine.save(first, mine.choice(first, worst=""))
    assert counts() == {(n_questions, 1)}
