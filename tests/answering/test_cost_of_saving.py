"""What saving one choice costs: few statements, the same number in a large study."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Assignment, Judgment, Question
from tests.support import factories
from tests.support.annotating import Participant, watched

# Not transactions of the test, but those of the page: each BEGIN and COMMIT is its own.
pytestmark = pytest.mark.django_db(transaction=True)

# Of a change, which is counted: nobody changes an answer without end.
AT_MOST = 10
# Nor what PostgreSQL is asked once for each connection.
_FRAME = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "PREPARE")


def statements(person: Participant, question: Question, **changes: str) -> list[str]:
    """What the database is asked while one choice is saved."""
    choice = person.choice(question, **changes)
    with watched() as queries:
        assert person.save(question, choice).status_code == 200
    asked = [query["sql"] for query in queries.captured_queries]
    return [sql for sql in asked if not sql.startswith(_FRAME)]


def listed(asked: list[str]) -> str:
    return "\n".join([f"{len(asked)} statements:", *asked])


def answered(person: Participant, question: Question, n: int) -> dict[str, str]:
    """One more answer than those before, with a name of its own."""
    options = [str(item) for item in person.items(question)]
    return {
        "best": options[n % 3],
        "worst": options[(n + 1) % 3],
        "idempotency_key": f"00000000-0000-4000-8000-{n:012}",
    }


@pytest.mark.slow
def test_saving_a_choice_takes_few_statements() -> None:
    mine = Participant(factories.make_open_study())
    question = mine.questions()[0]
    Assignment.objects.update(last_active_at=timezone.now() - timedelta(minutes=5))

    first = statements(mine, question, **answered(mine, question, 1))
    Assignment.objects.update(last_active_at=timezone.now() - timedelta(minutes=5))
    draft = statements(mine, question, **{**answered(mine, question, 2), "worst": ""})
    Assignment.objects.update(last_active_at=timezone.now() - timedelta(minutes=5))
    revision = statements(mine, question, **answered(mine, question, 3))

    assert Judgment.objects.count() == 2
    assert len(first) <= AT_MOST - 3, listed(first)
    assert len(draft) <= AT_MOST - 3, listed(draft)
    assert len(revision) <= AT_MOST, listed(revision)


def test_it_is_written_down_once_a_minute_that_somebody_is_there() -> None:
    mine = Participant(factories.make_open_study())
    question = mine.questions()[0]
    long_ago = timezone.now() - timedelta(minutes=5)
    Assignment.objects.update(last_active_at=long_ago)

    statements(mine, question, **answered(mine, question, 1))
    noted = Assignment.objects.get().last_active_at
    statements(mine, question, **answered(mine, question, 2))

    assert noted > long_ago
    assert Assignment.objects.get().last_active_at == noted


def test_a_large_study_costs_no_more() -> None:
    counts = []
    for dialogues in (2, 12):
        person = Participant(factories.make_open_study(dialogues=dialogues))
        counts.append(len(statements(person, person.questions()[0])))

    assert counts[0] == counts[1]
