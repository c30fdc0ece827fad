"""Places: one live holder each, given back after idling, counted once."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.answering.services import assignments, open_places, rosters, withdrawal
from annotation.basics import keys
from annotation.basics.errors import AssignmentClosedError, NothingLeftError
from annotation.kinds.services.design_rows import add_places
from annotation.models import Assignment, Judgment, Study
from annotation.models.kinds import Source
from annotation.studies.services import studies
from tests.support.answering import answer_all, answer_one
from tests.support.factories import join, make_open_study

pytestmark = pytest.mark.django_db


def make_tiny_study(*, places: int = 1, **columns) -> Study:
    """One booklet of ten questions with this many places."""
    return make_open_study(
        dialogues=1,
        parameters={"annotations_per_tuple": places, "questions_per_screen": 1},
        **columns,
    )


def let_lapse(assignment: Assignment) -> None:
    """Pretend that its holder was idle for longer than the study allows."""
    Assignment.objects.filter(pk=assignment.pk).update(
        last_active_at=timezone.now() - timedelta(hours=3)
    )


def test_a_place_is_taken_once() -> None:
    study = make_tiny_study()
    join(study)

    with pytest.raises(NothingLeftError, match="All places are taken"):
        join(study)

    assert Assignment.objects.count() == 1


def test_the_same_form_sent_twice_joins_once() -> None:
    study = make_tiny_study(places=5)

    first, second = join(study, nonce="one form"), join(study, nonce="one form")

    assert first.key == second.key
    assert first.assignment == second.assignment
    assert study.annotators.count() == 1


def test_two_forms_have_two_keys_that_do_not_share_a_code() -> None:
    study = make_tiny_study(places=5)

    first, second = join(study), join(study)

    assert keys.code_of(first.key) != keys.code_of(second.key)


def test_the_database_refuses_two_live_holders_of_a_place() -> None:
    study = make_tiny_study(places=2)
    first, second = join(study).assignment, join(study).assignment

    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.filter(pk=second.pk).update(place=first.place)


def test_every_booklet_gets_a_first_annotator_before_any_gets_a_second() -> None:
    study = make_open_study(dialogues=2, parameters={"screens_per_booklet": 2})
    n_booklets = study.design.booklets.count()

    booklets = [join(study).assignment.booklet_id for _ in range(n_booklets)]

    assert n_booklets > 1
    assert len(set(booklets)) == n_booklets


def test_an_idle_holder_gives_the_place_back_without_any_worker() -> None:
    study = make_tiny_study()
    idle = join(study).assignment
    let_lapse(idle)

    taken = join(study).assignment

    idle.refresh_from_db()
    assert taken.place == idle.place
    assert idle.state == Assignment.State.LAPSED
    assert idle.runs.get().lapsed_at is not None


def test_somebody_active_keeps_the_place() -> None:
    study = make_tiny_study()
    holder = join(study).assignment
    let_lapse(holder)
    answer_one(holder, holder.booklet.questions.first())

    with pytest.raises(NothingLeftError):
        join(study)


def test_a_lapsed_holder_who_comes_back_in_time_has_the_place_again() -> None:
    study = make_tiny_study()
    holder = join(study).assignment
    let_lapse(holder)
    open_places.expire_overdue(study, timezone.now())
    holder.refresh_from_db()

    answer_one(holder, holder.booklet.questions.first())

    holder.refresh_from_db()
    assert holder.state == Assignment.State.ACTIVE
    assert not holder.is_surplus
    assert holder.runs.get().lapsed_at is None


def test_whoever_was_let_in_may_finish_and_the_first_to_complete_is_counted() -> None:
    study = make_tiny_study()
    slow = join(study).assignment
    let_lapse(slow)
    replacement = join(study).assignment
    slow.refresh_from_db()

    answer_all(slow)
    assignments.submit(assignment=slow)
    answer_all(replacement)
    assignments.submit(assignment=replacement)

    slow.refresh_from_db()
    assert slow.is_surplus
    assert slow.runs.get().is_counted
    assert not replacement.runs.get().is_counted
    assert Judgment.objects.current().count() == 20


def test_a_place_that_somebody_completed_is_not_given_away_again() -> None:
    study = make_tiny_study()
    slow = join(study).assignment
    let_lapse(slow)
    replacement = join(study).assignment
    slow.refresh_from_db()
    answer_all(slow)
    assignments.submit(assignment=slow)
    let_lapse(replacement)

    with pytest.raises(NothingLeftError):
        join(study)


def test_whoever_lapses_between_the_page_and_the_click_may_finish_too() -> None:
    study = make_tiny_study()
    stale = join(study).assignment
    answer_all(stale)
    let_lapse(stale)
    replacement = join(study).assignment  # `stale` still says "active"

    sent = assignments.submit(assignment=stale)

    assert sent.state == Assignment.State.SUBMITTED
    assert sent.is_surplus
    assert sent.runs.get().is_counted
    assert replacement.place == sent.place


def test_submitting_twice_counts_once() -> None:
    study = make_tiny_study()
    assignment = join(study).assignment
    answer_all(assignment)
    assignments.submit(assignment=assignment)

    with pytest.raises(AssignmentClosedError, match="already sent"):
        assignments.submit(assignment=assignment)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (studies.pause, "paused"),
        (studies.close, "This study is no longer taking new participants"),
        (studies.finish, "finished"),
    ],
)
def test_only_an_open_study_lets_people_in(change, sentence: str) -> None:
    study = make_tiny_study()
    change(study=study)

    with pytest.raises(NothingLeftError, match=sentence):
        join(study)

    assert not study.annotators.exists()


@pytest.mark.parametrize("change", [studies.pause, studies.close])
def test_pausing_and_closing_stop_claims_not_answers(change) -> None:
    study = make_tiny_study()
    assignment = join(study).assignment
    change(study=study)

    answer_all(assignment)
    assignments.submit(assignment=assignment)

    assert assignment.runs.get().is_counted


def test_a_finished_study_takes_no_answer() -> None:
    study = make_tiny_study()
    assignment = join(study).assignment
    studies.finish(study=study)

    with pytest.raises(AssignmentClosedError, match="finished"):
        answer_one(assignment, assignment.booklet.questions.first())

    assert not Judgment.objects.exists()


def test_one_person_answers_as_many_booklets_as_the_study_allows() -> None:
    study = make_open_study(dialogues=2, max_booklets=2, parameters={"screens_per_booklet": 2})
    joined = join(study)
    first = joined.assignment
    answer_all(first)
    assignments.submit(assignment=first)

    second = assignments.claim_another(annotator=joined.annotator)
    answer_all(second)
    assignments.submit(assignment=second)

    assert second.booklet != first.booklet
    with pytest.raises(NothingLeftError, match="There is nothing more for you to do"):
        assignments.claim_another(annotator=joined.annotator)


def test_asking_for_another_booklet_while_one_is_open_gives_the_open_one() -> None:
    study = make_open_study(max_booklets=0, parameters={"screens_per_booklet": 2})
    joined = join(study)

    assert assignments.claim_another(annotator=joined.annotator) == joined.assignment


def test_a_withdrawn_place_is_free_again_and_its_answers_are_empty() -> None:
    study = make_tiny_study()
    joined = join(study)
    answer_all(joined.assignment)
    assignments.submit(assignment=joined.assignment)

    withdrawal.withdraw(annotator=joined.annotator)

    assert join(study).assignment.place == joined.assignment.place
    emptied = joined.assignment.judgments.all()
    assert emptied.count() == 10
    assert {(j.best, j.worst, j.comment, j.shown_order) for j in emptied} == {
        (None, None, "", None)
    }


def test_after_a_withdrawal_the_next_who_completed_the_place_counts() -> None:
    study = make_tiny_study()
    slow_joined = join(study)
    slow = slow_joined.assignment
    let_lapse(slow)
    replacement = join(study).assignment
    slow.refresh_from_db()
    for assignment in (slow, replacement):
        answer_all(assignment)
        assignments.submit(assignment=assignment)

    withdrawal.withdraw(annotator=slow_joined.annotator)

    assert not slow.runs.get().is_counted
    assert replacement.runs.get().is_counted


def test_withdrawing_forgets_who_it_was() -> None:
    study = make_tiny_study()
    [made] = rosters.add_roster(
        study=study, entries=[rosters.RosterEntry("s1", name="Ada", email="ada@example.org")]
    )
    assignments.start(annotator=made.annotator, consent=studies.current_consent(study))

    annotator = withdrawal.withdraw(annotator=made.annotator)

    assert annotator.person is None
    assert not rosters.Person.objects.exists()
    with pytest.raises(AssignmentClosedError, match="withdrawn"):
        answer_one(
            annotator.assignments.get(), annotator.assignments.get().booklet.questions.first()
        )


def test_simulated_people_have_places_of_their_own() -> None:
    study = make_tiny_study()
    add_places(booklets=study.design.booklets.all(), source=Source.SIMULATED, up_to=1)

    simulated = assignments.join(
        study=study,
        nonce="s",
        consent=studies.current_consent(study),
        source=Source.SIMULATED,
    )
    real = join(study)

    assert simulated.assignment.place.source == Source.SIMULATED
    assert real.assignment.place.source == Source.REAL


def test_a_reissued_link_replaces_the_old_one() -> None:
    study = make_tiny_study()
    [made] = rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1")])

    again = rosters.reissue_key(annotator=made.annotator)

    made.annotator.refresh_from_db()
    assert made.annotator.key_hash == keys.key_hash(again.key) != keys.key_hash(made.key)


def test_a_typed_code_finds_its_key_however_it_is_written() -> None:
    key = keys.new_key(study_id=1, nonce="n")
    typed = keys.code_of(key).lower().replace("0", "o").replace("1", "l").replace("-", " ")

    assert list(keys.keys_of_code(study_id=1, code=typed)) == [key]
    assert key not in keys.keys_of_code(study_id=2, code=typed)
    assert list(keys.keys_of_code(study_id=1, code="too short")) == []


@pytest.mark.parametrize(
    "written", ["{}.", "Code: {}", " {}\u00a0", "https://likeness.example/a/{}/", "_{}_"]
)
def test_a_code_is_read_out_of_what_stands_around_it(written: str) -> None:
    key = keys.new_key(study_id=1, nonce="n")
    code = keys.code_of(key).replace("-", "\u2013")  # phones make a dash of it
    typed = written.format(key if "/a/" in written else code)

    found = list(keys.keys_of_code(study_id=1, code=typed))

    # A word in front is not part of the code, and nobody can tell where it ends.
    assert found == ([] if written.startswith("Code") else [key])


def test_a_code_still_works_after_the_secret_was_changed(settings) -> None:
    key = keys.new_key(study_id=1, nonce="n")
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another secret"

    assert key in keys.keys_of_code(study_id=1, code=keys.code_of(key))
