"""Of two who come in one moment the second waits for the first, and sees what the first did."""

from functools import partial

import pytest

from annotation.answering.services import assignments, consents, phases, reminders, withdrawal
from annotation.answering.services.assignments import Participant
from annotation.basics.errors import StateError
from annotation.models import (
    Assignment,
    Judgment,
    PhaseRun,
    Study,
)
from tests.answering.test_consent_anew import publish
from tests.support import rating
from tests.support.answering import answer_all, answer_one
from tests.support.at_once import waiting
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study, make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


@pytest.fixture
def study() -> Study:
    return make_open_study(dialogues=1, parameters={"annotations_per_tuple": 1})


def two_in_one_place(study: Study, clock: Clock) -> tuple[Participant, Participant]:
    """Somebody, and who got the place while they were away; both have answered everything."""
    away = join(study)
    answer_one(away.assignment, away.assignment.booklet.questions.first())
    clock.move(minutes=study.idle_minutes + 1)
    instead = join(study)
    for somebody in (away, instead):
        answer_all(somebody.assignment)
        somebody.assignment.refresh_from_db()
    assert away.assignment.place == instead.assignment.place
    return away, instead


def test_of_two_who_send_the_same_place_the_first_counts(study: Study, clock: Clock) -> None:
    away, instead = two_in_one_place(study, clock)

    waiting(
        partial(assignments.submit, assignment=away.assignment),
        first=partial(assignments.submit, assignment=instead.assignment),
    )

    assert PhaseRun.objects.filter(completed_at__isnull=False).count() == 2
    assert PhaseRun.objects.get(is_counted=True).assignment == instead.assignment


def test_who_sends_while_the_counted_one_withdraws_counts_instead(
    study: Study, clock: Clock
) -> None:
    away, instead = two_in_one_place(study, clock)
    assignments.submit(assignment=instead.assignment)

    waiting(
        partial(withdrawal.withdraw, annotator=instead.annotator),
        first=partial(assignments.submit, assignment=away.assignment),
    )

    assert PhaseRun.objects.get(is_counted=True).assignment == away.assignment


def test_who_disagrees_in_another_tab_while_they_send_has_sent(study: Study) -> None:
    mine = join(study)
    answer_all(mine.assignment)
    publish(study)
    # The page from before the text; of a person who has not been asked it is taken.

    waiting(
        partial(consents.stop, annotator=mine.annotator, visit=None),
        first=partial(assignments.submit, assignment=mine.assignment),
    )

    mine.assignment.refresh_from_db()
    assert mine.assignment.state == Assignment.State.SUBMITTED
    assert PhaseRun.objects.get().lapsed_at is None


def test_a_comment_that_is_blanked_while_it_is_written_anew_is_blank(study: Study) -> None:
    mine = join(study)
    question = mine.assignment.booklet.questions.first()
    judgment = answer_one(mine.assignment, question, comment="Ask Ada")

    waiting(
        partial(withdrawal.blank_comment, annotator=mine.annotator, judgment=judgment.pk),
        first=partial(answer_one, mine.assignment, question, best=2, comment="Ask Ada Lovelace"),
    )

    assert not Judgment.objects.filter(comment__contains="Ada").exists()


@pytest.fixture
def between_phases(clock: Clock) -> Participant:
    joined = rating.join(rating.make_rating_study(phases=rating.TWICE, pairs=3))
    rating.rate_phase(joined.assignment)
    joined.assignment.refresh_from_db()
    return joined


def test_a_phase_is_opened_early_by_one_researcher(between_phases: Participant) -> None:
    run = phases.latest(between_phases.assignment)
    ada, bert = make_user("ada"), make_user("bert")

    answer = waiting(
        partial(phases.open_now, run=run, reason="Is told so.", by=bert),
        first=partial(phases.open_now, run=run, reason="Flies home.", by=ada),
    )

    assert isinstance(answer, StateError)
    run.refresh_from_db()
    assert (run.opened_early_by, run.reason) == (ada, "Flies home.")


def test_nobody_is_reminded_who_withdraws_while_they_leave_an_address(
    between_phases: Participant, settings
) -> None:
    settings.EMAIL_HOST = "localhost"
    run = phases.latest(between_phases.assignment)

    waiting(
        partial(reminders.remember, run=run, email="ada@example.org", way_back="/"),
        first=partial(withdrawal.withdraw, annotator=between_phases.annotator),
    )

    run.refresh_from_db()
    assert run.reminder_email == ""


def test_an_answer_that_is_being_stored_keeps_somebody_from_lapsing(
    study: Study, clock: Clock
) -> None:
    mine = join(study)
    questions = mine.assignment.booklet.questions.all()
    answer_one(mine.assignment, questions[0])
    clock.move(minutes=study.idle_minutes + 1)

    def store() -> None:
        answer_one(mine.assignment, questions[1])

    answer = waiting(partial(join, study), first=store)

    assert isinstance(answer, Exception)
    assert Assignment.objects.holding().get() == mine.assignment
