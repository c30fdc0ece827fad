"""Which answers count: told apart exactly, and told to releases when it changes by itself."""

import pytest
from django.utils import timezone

from annotation.answering.services import assignments, open_places, rosters, visits, withdrawal
from annotation.basics.errors import NothingLeftError
from annotation.core.queries import counted_answers
from annotation.core.queries.withdrawals import n_withdrawn
from annotation.core.services import jobs
from annotation.crowds.services import decisions
from annotation.models import Assignment, PhaseRun, ReleaseEvent, ReleaseShare, Study
from annotation.models.kinds import Outcome
from annotation.people.services import exclusions, places
from annotation.results.queries import outdated
from annotation.results.services import scoring
from tests.support.answering import answer_one
from tests.support.factories import join, make_open_study, make_user
from tests.support.remote_side import Remote, make_listing, make_visit
from tests.support.researcher_pages import finish_booklet, make_release, signed_in, url

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _in_one_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    # SQLite writes its log back outside a transaction only, and a test is in one.
    monkeypatch.setattr(rosters.wiping, "wipe", lambda: None)


def score(study: Study):
    job = scoring.request(study=study, population="people", by=study.owner)
    jobs.run(job.pk)
    return study.results.latest("pk")


@pytest.mark.slow
def test_two_people_who_answered_side_by_side_are_not_taken_for_each_other() -> None:
    """Their keys have the same number, the same sum, and the same last one is a third person's."""
    study = make_open_study(parameters={"annotations_per_tuple": 3})
    first, second, third = (join(study) for _person in range(3))
    questions = [
        list(one.assignment.booklet.questions.order_by("screen", "position"))
        for one in (first, second, third)
    ]
    for number in range(len(questions[0])):
        # A B, B A, A B …: an even number of pairs gives both the same sum.
        order = (0, 1) if number % 2 == 0 else (1, 0)
        for person in order:
            joined = (first, second)[person]
            answer_one(joined.assignment, questions[person][number], best=person * 2, worst=1)
    for question in questions[2]:
        answer_one(third.assignment, question, best=0, worst=1)
    for joined in (first, second, third):
        assignments.submit(assignment=joined.assignment)
    sums = [
        sum(joined.assignment.judgments.values_list("pk", flat=True)) for joined in (first, second)
    ]
    assert sums[0] == sums[1]
    exclusions.exclude(annotator=first.annotator, reason="the wrong one", by=study.owner)
    result = score(study)

    exclusions.include_again(annotator=first.annotator, reason="oops", by=study.owner)
    exclusions.exclude(annotator=second.annotator, reason="the right one", by=study.owner)

    assert outdated.since(result, "people")


def test_a_release_is_told_of_who_counts_once_a_place_became_free() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 1})
    clicker = finish_booklet(study)
    exclusions.exclude_all(
        annotators=[clicker], reason="a robot", by=study.owner, gives_place_back=True
    )
    instead = finish_booklet(study)
    exclusions.include_again(annotator=clicker, reason="by mistake", by=study.owner)
    release = make_release(study)
    for who in (clicker, instead):
        ReleaseShare.objects.create(
            release=release, assignment=who.assignments.get(), n_judgments=10
        )

    withdrawal.withdraw(annotator=instead)

    assert clicker.assignments.get().runs.get().is_counted
    told = [(event.kind, event.pseudonym) for event in release.events.all()]
    assert (ReleaseEvent.Kind.PROMOTED, clicker.pseudonym) in told


def test_who_came_and_went_without_an_answer_stops_no_scoring() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 3})
    stranger, person = join(study).annotator, finish_booklet(study)

    withdrawal.withdraw(annotator=stranger)
    # Files have their consent.
    assert (n_withdrawn(study.pk), n_withdrawn(study.pk, with_unanswered=True)) == (0, 1)

    withdrawal.withdraw(annotator=person)
    assert (n_withdrawn(study.pk), n_withdrawn(study.pk, with_unanswered=True)) == (1, 2)


@pytest.mark.slow
def test_older_scores_that_are_left_after_a_withdrawal_are_said_to_be_older() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 3})
    finish_booklet(study)
    older = score(study)
    going = finish_booklet(study)
    score(study)
    client = signed_in(study.owner)
    assert not client.get(url(study, "results")).context["is_forgotten"]

    withdrawal.withdraw(annotator=going)
    response = client.get(url(study, "results"))

    assert response.context["result"] == older
    assert response.context["is_forgotten"]
    assert 'id="forgotten"' in response.content.decode()


def test_who_is_approved_and_left_out_is_excluded_as_on_the_page_of_people(
    remote: Remote,
) -> None:
    listing = make_listing()
    study = listing.study
    person = finish_booklet(study)
    visit = make_visit(listing, run=person.assignments.get().runs.get())
    release = make_release(study)
    ReleaseShare.objects.create(
        release=release, assignment=person.assignments.get(), n_judgments=10
    )
    before = counted_answers.basis(study, "people")

    decisions.approve(visit=visit, by=make_user(), exclude="Too quick.")

    assert counted_answers.basis(study, "people").n_judgments < before.n_judgments
    assert [event.kind for event in release.events.all()] == [ReleaseEvent.Kind.EXCLUDED]
    exclusions.include_again(annotator=person, reason="mistaken", by=study.owner)
    assert counted_answers.basis(study, "people") == before


def test_a_rejected_submission_takes_no_place_back(remote: Remote) -> None:
    listing = make_listing()
    study = listing.study
    person = finish_booklet(study)
    run = person.assignments.get().runs.get()
    visit = make_visit(
        listing,
        run=run,
        state="ended",
        ended_at=timezone.now(),
        receipt_hash="x" * 64,
        outcome=Outcome.COMPLETED,
        verified_at=timezone.now(),
        remote_state="rejected",
    )
    PhaseRun.objects.filter(pk=run.pk).update(is_held=True, is_counted=False)
    visits.recount(visit=visit)
    free = open_places.unfilled(open_places.real_places(study)).count()

    places.let_count(annotators=[person])

    assert open_places.unfilled(open_places.real_places(study)).count() == free
    assert not PhaseRun.objects.get(pk=run.pk).is_counted


def test_who_is_excluded_takes_no_further_place() -> None:
    parameters = {"annotations_per_tuple": 1, "screens_per_booklet": 1, "questions_per_screen": 2}
    study = make_open_study(dialogues=4, parameters=parameters)
    Study.objects.filter(pk=study.pk).update(max_booklets=0)
    robot = finish_booklet(study)
    exclusions.exclude(annotator=robot, reason="a robot", by=study.owner)

    with pytest.raises(NothingLeftError):
        assignments.claim_another(annotator=robot)

    assert not assignments.may_claim_another(robot)
    exclusions.include_again(annotator=robot, reason="none", by=study.owner)
    assert assignments.claim_another(annotator=robot).is_open


def test_a_freed_place_goes_to_somebody_who_counts() -> None:
    study = make_open_study(dialogues=1, max_booklets=1, parameters={"annotations_per_tuple": 1})
    first = finish_booklet(study)
    place = first.assignments.get().place
    # Two who finished late, in the place of the first.
    late = []
    for _number in range(2):
        Assignment.objects.filter(place=place).update(state=Assignment.State.LAPSED)
        PhaseRun.objects.filter(place=place).update(is_counted=False)
        late.append(finish_booklet(study))
    PhaseRun.objects.filter(place=place).update(is_counted=False)
    Assignment.objects.filter(place=place).update(
        state=Assignment.State.SUBMITTED, is_surplus=True
    )
    PhaseRun.objects.filter(assignment__annotator=first).update(is_counted=True)
    Assignment.objects.filter(annotator=first).update(is_surplus=False)
    robot, honest = late
    exclusions.exclude(annotator=robot, reason="a robot", by=study.owner)

    withdrawal.withdraw(annotator=first)

    counted = PhaseRun.objects.filter(is_counted=True)
    assert [run.assignment.annotator for run in counted] == [honest]
