"""One key cannot fill the disk with changes of an answer, and the person is told why."""

from typing import Any

import pytest

from annotation.models import Judgment
from tests.answering.test_cost_of_saving import answered
from tests.support.annotating import Participant
from tests.support.clock import Clock
from tests.support.factories import make_open_study

pytestmark = pytest.mark.django_db


def change(person: Participant, n: int) -> int:
    """Save the first question once more; the status."""
    question = person.questions()[0]
    choice = person.choice(question, **answered(person, question, n))
    return int(person.save(question, choice).status_code)


@pytest.mark.slow
def test_one_answer_is_changed_so_often_and_then_stands(settings: Any, clock: Clock) -> None:
    settings.REVISIONS_PER_QUESTION = 5
    person = Participant(make_open_study())
    statuses = []
    for n in range(8):
        clock.move(minutes=1)
        statuses.append(change(person, n))

    assert statuses == [200] * 6 + [400] * 2
    assert Judgment.objects.count() == 6
    # The last one that was stored stands, and other questions are answered as before.
    assert Judgment.objects.current().get().idempotency_key.hex.endswith("5")
    other = person.questions()[1]
    assert person.save(other, person.choice(other)).status_code == 200


@pytest.mark.slow
def test_a_program_that_changes_answers_without_end_is_slowed_down(
    settings: Any, clock: Clock
) -> None:
    settings.ANSWERS_PER_MINUTE = 5
    person = Participant(make_open_study())

    statuses = [change(person, n) for n in range(7)]
    clock.move(minutes=1, seconds=1)

    assert statuses == [200] * 5 + [429] * 2
    assert change(person, 7) == 200
