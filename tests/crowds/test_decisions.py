"""Decisions about a visit: each by a person, once, and only where the platform's state allows."""

from decimal import Decimal

import pytest

from annotation.basics.errors import AnnotationError, StateError
from annotation.core.platforms.capabilities import Capabilities
from annotation.crowds.services import decisions, outbox
from annotation.crowds.services.intents import AskedAlreadyError
from annotation.models import Exclusion, Intent, Listing, Visit
from tests.support.clock import Clock
from tests.support.factories import join, make_user
from tests.support.remote_side import Fake, Remote, make_listing, make_visit

pytestmark = pytest.mark.django_db

REMOTE = Visit.Remote
REASON = "No question was answered with care."


@pytest.fixture
def listing(remote: Remote) -> Listing:
    return make_listing()


def visit_with_answers(listing: Listing, **columns) -> Visit:
    return make_visit(listing, run=join(listing.study).assignment.runs.get(), **columns)


def pay_more(visit: Visit, **changes) -> Intent:
    arguments = {"amount": Decimal("1.00"), "reason_code": "extra", "message": "Thanks."}
    return decisions.bonus(visit=visit, by=make_user(), **{**arguments, **changes})


def test_approving_asks_once_with_the_platforms_own_ids(listing: Listing, remote: Remote) -> None:
    visit, by = make_visit(listing), make_user()

    first = decisions.approve(visit=visit, by=by)
    assert decisions.approve(visit=visit, by=by) == first
    outbox.send_due()

    first.refresh_from_db()
    assert first.state == Intent.State.CONFIRMED
    assert first.requested_by == by
    assert (first.pays, first.fee, first.commits) == (Decimal("1.50"), Decimal("0.30"), 0)
    ids = {"submission_id": "S1", "person_id": "W-S1", "ticket_id": ""}
    assert first.payload == {**ids, "overturn": False}
    assert len(remote.entries) == 1


@pytest.mark.parametrize("state", [REMOTE.UNSEEN, REMOTE.ACTIVE])
def test_what_the_platform_does_not_show_is_not_decided(listing: Listing, state) -> None:
    visit = make_visit(listing, remote_state=state)

    with pytest.raises(StateError, match="not shown"):
        decisions.approve(visit=visit, by=make_user())
    with pytest.raises(StateError, match="not shown"):
        decisions.reject(visit=visit, reason=REASON, category="no data", by=make_user())


@pytest.mark.parametrize("state", [REMOTE.APPROVED, REMOTE.REJECTED, REMOTE.RETURNED])
def test_what_is_decided_is_not_decided_again(listing: Listing, state) -> None:
    visit = make_visit(listing, remote_state=state)

    with pytest.raises(StateError, match="already decided"):
        decisions.approve(visit=visit, by=make_user())


def test_approved_and_left_out_keeps_the_reason(listing: Listing) -> None:
    visit, by = visit_with_answers(listing), make_user()

    for _ in range(2):
        decisions.approve(visit=visit, by=by, exclude=" Two checks failed. ")

    exclusion = Exclusion.objects.get()
    assert (exclusion.reason, exclusion.by) == ("Two checks failed.", by)
    # As on the page of people, where it is taken back.
    assert exclusion.annotator == visit.run.assignment.annotator
    assert Intent.objects.count() == 1


def test_what_the_platform_approved_by_itself_can_still_be_left_out(listing: Listing) -> None:
    visit = visit_with_answers(listing, remote_state=REMOTE.APPROVED)

    assert decisions.approve(visit=visit, by=make_user(), exclude="Too quick.") is None

    assert Exclusion.objects.count() == 1
    assert not Intent.objects.exists()


def test_nothing_is_left_out_where_there_are_no_answers(listing: Listing) -> None:
    with pytest.raises(StateError, match="no answers"):
        decisions.approve(visit=make_visit(listing), by=make_user(), exclude="Too quick.")

    assert not Intent.objects.exists()


def test_a_rejection_needs_a_reason_that_is_long_enough_and_a_category(listing: Listing) -> None:
    visit, by = make_visit(listing), make_user()

    with pytest.raises(AnnotationError, match="Give a reason"):
        decisions.reject(visit=visit, reason="  ", category="no data", by=by)
    with pytest.raises(AnnotationError, match="at least 20 characters; yours has 4"):
        decisions.reject(visit=visit, reason=" Bad. ", category="no data", by=by)
    with pytest.raises(AnnotationError, match="low effort, no data"):
        decisions.reject(visit=visit, reason=REASON, category="rude", by=by)
    with pytest.raises(AnnotationError, match="Only a person"):
        decisions.reject(visit=visit, reason=REASON, category="no data", by=None)
    intent = decisions.reject(visit=visit, reason=REASON, category="no data", by=by)

    assert intent.payload["message"] == REASON
    assert (intent.commits, intent.pays) == (0, 0)


def test_one_visit_is_not_approved_and_rejected(listing: Listing) -> None:
    approved, rejected, by = make_visit(listing), make_visit(listing, "S2"), make_user()
    decisions.approve(visit=approved, by=by)
    decisions.reject(visit=rejected, reason=REASON, category="no data", by=by)

    with pytest.raises(
        StateError, match="An approval of this submission has already been requested"
    ):
        decisions.reject(visit=approved, reason=REASON, category="no data", by=by)
    with pytest.raises(StateError, match="A rejection of this"):
        decisions.approve(visit=rejected, by=by)


def test_a_rejection_is_taken_back(listing: Listing, remote: Remote, clock: Clock) -> None:
    visit, by = make_visit(listing), make_user()
    decisions.reject(visit=visit, reason=REASON, category="no data", by=by)
    with pytest.raises(StateError, match="Only a rejected"):
        decisions.overturn(visit=visit, by=by)
    outbox.send_due()
    Visit.objects.update(remote_state=REMOTE.REJECTED)

    intent = decisions.overturn(visit=visit, by=by)
    outbox.send_due()

    assert intent.payload["overturn"] is True
    assert [entry["kind"] for entry in remote.entries] == ["reject", "approve"]


def test_a_bonus_is_paid_once_for_each_reason(listing: Listing, remote: Remote) -> None:
    visit = make_visit(listing)

    first = pay_more(visit)
    assert pay_more(visit) == first
    with pytest.raises(
        AskedAlreadyError, match="You have already requested this with another text"
    ):
        pay_more(visit, amount=Decimal("2.00"))
    second = pay_more(visit, reason_code="another")
    outbox.send_due()

    assert (first.commits, first.pays, first.fee) == (
        Decimal("1.20"),
        Decimal("1.00"),
        Decimal("0.20"),
    )
    assert first.payload["amount"] == "1.00"
    assert {entry["token"] for entry in remote.entries} == {first.token, second.token}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"amount": Decimal("0.00")}, "The amount must be above 0."),
        ({"amount": Decimal("-1.00")}, "The amount must be above 0."),
        ({"amount": Decimal("1.001")}, "has too many decimals; write at most two."),
        ({"amount": Decimal("NaN")}, "as a number"),
        ({"reason_code": " "}, "Name the purpose of the bonus"),
        ({"reason_code": "x" * 61}, "at most 60"),
        ({"message": ""}, "Say what it is for"),
        ({"message": "a\x00b"}, "NUL"),
    ],
)
def test_a_bonus_that_cannot_be_paid_is_refused(listing: Listing, changes, sentence: str) -> None:
    with pytest.raises(AnnotationError, match=sentence):
        pay_more(make_visit(listing), **changes)

    assert not Intent.objects.exists()


def test_nobody_is_paid_whom_the_platform_has_not_vouched_for(listing: Listing) -> None:
    with pytest.raises(StateError, match="not confirmed"):
        pay_more(make_visit(listing, verified_at=None))
    with pytest.raises(StateError, match="not shown"):
        pay_more(make_visit(listing, "S2", remote_state=REMOTE.UNSEEN))


def test_whoever_is_not_known_any_more_cannot_be_paid(listing: Listing) -> None:
    with pytest.raises(StateError, match="no longer stored"):
        pay_more(make_visit(listing, person=None))


def test_who_could_not_hand_in_is_paid_by_another_way(listing: Listing) -> None:
    visit = make_visit(listing, remote_state=REMOTE.UNSEEN, verified_at=None)
    arguments = {"amount": Decimal("1.50"), "message": "Sorry.", "by": make_user()}

    intent = decisions.compensate(visit=visit, **arguments)

    assert (intent.commits, intent.kind) == (Decimal("1.80"), "compensate")
    with pytest.raises(StateError, match="approve it instead"):
        decisions.compensate(visit=make_visit(listing, "S2"), **arguments)


def test_nobody_is_paid_twice_for_one_visit_unless_it_is_said(listing: Listing) -> None:
    late = make_visit(listing, remote_state=REMOTE.UNSEEN, verified_at=None)
    rejected = make_visit(listing, "S2", remote_state=REMOTE.REJECTED)
    approved = make_visit(listing, "S3")
    by = make_user()
    sorry = {"amount": Decimal("1.50"), "message": "Sorry.", "by": by}
    for visit in (late, rejected):
        decisions.compensate(visit=visit, **sorry)
    decisions.approve(visit=approved, by=by)
    # Shown late; and returned after its approval was asked for.
    Visit.objects.filter(pk=late.pk).update(remote_state=REMOTE.SUBMITTED)
    Visit.objects.filter(pk=approved.pk).update(remote_state=REMOTE.RETURNED)

    with pytest.raises(StateError, match=r"compensation of 1\.50 USD has already been ordered"):
        decisions.approve(visit=late, by=by)
    with pytest.raises(StateError, match="compensation"):
        decisions.overturn(visit=rejected, by=by)
    with pytest.raises(StateError, match="has already been requested, so its reward is paid"):
        decisions.compensate(visit=approved, **sorry)
    assert Intent.objects.filter(kind="approve").count() == 1

    decisions.approve(visit=late, by=by, although_compensated=True)
    decisions.overturn(visit=rejected, by=by, although_compensated=True)
    assert Intent.objects.filter(kind="approve").count() == 3


def test_a_compensation_that_came_to_nothing_keeps_nobody_from_the_reward(
    listing: Listing, remote: Remote
) -> None:
    visit = make_visit(listing, remote_state=REMOTE.UNSEEN)
    remote.faults = ["refuses"]
    decisions.compensate(visit=visit, amount=Decimal(1), message="x", by=make_user())
    outbox.send_due()
    Visit.objects.update(remote_state=REMOTE.SUBMITTED)

    assert decisions.approve(visit=visit, by=make_user())


def test_what_is_approved_or_rejected_is_not_asked_back(listing: Listing, remote: Remote) -> None:
    approved, rejected, asked = (make_visit(listing, name) for name in ("S1", "S2", "S3"))
    by = make_user()
    decisions.approve(visit=approved, by=by)
    decisions.reject(visit=rejected, reason=REASON, category="no data", by=by)
    decisions.ask_return(visit=asked, message="Please return it.", by=by)

    with pytest.raises(
        StateError, match="An approval of this submission has already been requested"
    ):
        decisions.ask_return(visit=approved, message="Please return it.", by=by)
    with pytest.raises(StateError, match="A rejection of this"):
        decisions.ask_return(visit=rejected, message="Please return it.", by=by)
    with pytest.raises(StateError, match="They are being asked to return"):
        decisions.approve(visit=asked, by=by)
    outbox.send_due()

    # They were asked and have not returned it: they are paid.
    assert decisions.approve(visit=asked, by=by)


def test_asking_to_return_and_writing(listing: Listing) -> None:
    visit, by = make_visit(listing), make_user()

    asked = decisions.ask_return(visit=visit, message="Please return it.", by=by)
    written = [decisions.message(visit=visit, text=text, by=by) for text in ("Hello.", "Hello.")]
    another = decisions.message(visit=visit, text="Hello again.", by=by)

    assert asked.payload["message"] == "Please return it."
    assert written[0] == written[1] != another


def test_a_platform_is_not_asked_for_what_it_cannot_do(listing: Listing, monkeypatch) -> None:
    monkeypatch.setattr(Fake, "capabilities", Capabilities(shows_submissions=True))
    visit, by = make_visit(listing), make_user()

    for decide in (
        lambda: decisions.reject(visit=visit, reason=REASON, category="", by=by),
        lambda: decisions.overturn(visit=visit, by=by),
        lambda: decisions.ask_return(visit=visit, message="Please.", by=by),
        lambda: decisions.message(visit=visit, text="Hello.", by=by),
        lambda: decisions.compensate(visit=visit, amount=Decimal(1), message="x", by=by),
        lambda: pay_more(visit),
    ):
        with pytest.raises(StateError):
            decide()
    assert not Intent.objects.exists()


def test_notes_are_kept_with_who_wrote_them(listing: Listing, clock: Clock) -> None:
    visit = make_visit(listing)

    decisions.note(visit=visit, text="Quick.", by=make_user("ada"))
    decisions.note(visit=visit, text="But right.", by=make_user("bob"))

    visit.refresh_from_db()
    day = f"{clock.time:%Y-%m-%d %H:%M}"
    assert visit.note == f"{day} ada: Quick.\n{day} bob: But right."


def test_a_doubt_is_settled_by_a_person(listing: Listing) -> None:
    visit = make_visit(listing, doubt="Strange.")

    settled = decisions.settle_doubt(visit=visit, by=make_user("ada"))

    assert settled.doubt == ""
    assert "ada" in settled.note
    with pytest.raises(StateError, match="not doubtful"):
        decisions.settle_doubt(visit=visit, by=make_user())


def test_what_was_paid_in_another_way_meanwhile_is_not_asked_for_again(
    listing: Listing, remote: Remote
) -> None:
    approved, compensated, by = make_visit(listing), make_visit(listing, "S2"), make_user()
    Visit.objects.filter(pk=compensated.pk).update(remote_state=REMOTE.TIMED_OUT)
    money = {"amount": Decimal("1.50"), "message": "Thanks.", "by": by}
    remote.faults = ["refuses", "refuses"]
    refused = [
        decisions.approve(visit=approved, by=by),
        decisions.compensate(visit=compensated, **money),
    ]
    outbox.send_due()
    Visit.objects.filter(pk=approved.pk).update(remote_state=REMOTE.TIMED_OUT)
    decisions.compensate(visit=approved, **money)
    Visit.objects.update(remote_state=REMOTE.SUBMITTED)
    decisions.approve(visit=compensated, by=by)

    with pytest.raises(StateError, match="Tick the box if you want to pay"):
        decisions.ask_again(intent=refused[0], by=by)
    with pytest.raises(StateError, match="has submitted this work"):
        decisions.ask_again(intent=refused[1], by=by)


def test_every_decision_can_be_asked_for_again(listing: Listing, remote: Remote) -> None:
    by, money = make_user(), {"amount": Decimal("1.50"), "message": "Thanks.", "by": make_user()}
    visits = [make_visit(listing, f"S{n}") for n in range(7)]
    lost = [REMOTE.TIMED_OUT, REMOTE.REJECTED]
    for visit, state in zip(visits, lost, strict=False):
        Visit.objects.filter(pk=visit.pk).update(remote_state=state)
    refused = [
        decisions.compensate(visit=visits[0], **money),
        decisions.overturn(visit=visits[1], by=by),
        decisions.approve(visit=visits[2], by=by),
        decisions.reject(visit=visits[3], reason=REASON, category="no data", by=by),
        decisions.ask_return(visit=visits[4], message="Please.", by=by),
        decisions.bonus(visit=visits[5], reason_code="extra", **money),
        decisions.message(visit=visits[6], text="Thanks.", by=by),
    ]
    remote.faults = ["refuses"] * len(refused)
    outbox.send_due()

    for intent in refused:
        again = decisions.ask_again(intent=intent, by=by)

        same = ("kind", "reason_code", "payload", "pays", "fee", "commits", "visit")
        assert [getattr(again, name) for name in same] == [getattr(intent, name) for name in same]
        assert again.pk != intent.pk
