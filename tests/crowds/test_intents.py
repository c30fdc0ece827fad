"""What is asked of a platform: written down, asked for once, settled whatever answer came."""

import logging
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import read
from annotation.core.platforms.base import Again, Planned
from annotation.core.queries import commitments
from annotation.crowds.services import decisions, intents, manual_settlement, outbox, publishing
from annotation.models import Intent, Listing, PlatformEvent, Study, Ticket
from tests.support.clock import Clock
from tests.support.factories import make_user
from tests.support.remote_side import Remote, make_listing, make_visit

pytestmark = pytest.mark.django_db

KIND, STATE = Intent.Kind, Intent.State


def plan(listing: Listing, reason_code: str = "", **columns) -> Intent:
    planned = Planned(
        KIND.PUBLISH,
        reason_code=reason_code,
        payload={"n_places": 4},
        commits=Decimal("7.20"),
    )
    return intents.plan(listing=listing, planned=planned, by=make_user(), **columns)


def pass_on(clock: Clock, *, n: int = 40, **units: float) -> None:
    """Let a worker sweep again and again."""
    for _ in range(n):
        clock.move(**(units or {"hours": 1}))
        outbox.send_due()


def state_of(intent: Intent) -> str:
    intent.refresh_from_db()
    return intent.state


def test_what_goes_well_is_confirmed_once(remote: Remote) -> None:
    listing = make_listing()
    intent = plan(listing)

    n_first, n_second = outbox.send_due(), outbox.send_due()

    assert (n_first, n_second) == (1, 0)
    assert state_of(intent) == STATE.CONFIRMED
    assert [entry["token"] for entry in remote.entries] == [intent.token]
    ticket = Ticket.objects.get()
    assert (ticket.remote_id, ticket.n_places, ticket.listing) == ("publish-1", 4, listing)
    assert intent.remote_id == "publish-1"
    [event] = PlatformEvent.objects.all()
    assert (event.kind, event.payload["answer"]) == ("send: sent", {"id": "publish-1"})


def test_what_is_asked_for_twice_is_the_first_one(remote: Remote) -> None:
    listing = make_listing()

    assert plan(listing) == plan(listing)
    assert Intent.objects.count() == 1


def test_the_same_with_another_amount_is_refused(remote: Remote) -> None:
    listing = make_listing()
    plan(listing)
    other = Planned(KIND.PUBLISH, payload={"n_places": 5}, commits=Decimal("9.00"))

    with pytest.raises(StateError, match="already requested this"):
        intents.plan(listing=listing, planned=other)


def test_a_dry_run_asks_for_nothing(remote: Remote) -> None:
    listing = make_listing()
    Study.objects.update(dry_run=True)

    with pytest.raises(StateError, match="dry run"):
        plan(listing)

    assert not Intent.objects.exists()


def test_nothing_is_asked_for_once_more_in_a_dry_run(remote: Remote, clock: Clock) -> None:
    intent = plan(make_listing())
    remote.faults = ["drops before"]
    outbox.send_due()
    Study.objects.update(dry_run=True)

    pass_on(clock)
    assert (state_of(intent), len(remote.calls)) == (STATE.PLANNED, 1)
    assert "dry run" in intent.said

    # By now its token is forgotten: a person looks.
    Study.objects.update(dry_run=False)
    pass_on(clock)
    assert (state_of(intent), len(remote.calls)) == (STATE.NEEDS_PERSON, 1)


def test_what_was_planned_before_a_dry_run_waits_for_its_end(remote: Remote, clock: Clock) -> None:
    intent = plan(make_listing())
    Study.objects.update(dry_run=True)
    pass_on(clock, n=3)
    assert (state_of(intent), remote.calls) == (STATE.PLANNED, [])
    assert "dry run" in intent.said

    Study.objects.update(dry_run=False)
    pass_on(clock, n=1)

    assert state_of(intent) == STATE.CONFIRMED


def test_a_definite_no_to_the_first_try_is_the_end_of_it(remote: Remote, clock: Clock) -> None:
    remote.faults = ["refuses"]
    intent = plan(make_listing())

    pass_on(clock)

    assert state_of(intent) == STATE.REFUSED
    assert intent.said == "There is not enough money."
    assert (remote.calls, remote.entries) == (["publish"], [])


def test_a_busy_platform_is_asked_again_later(remote: Remote, clock: Clock) -> None:
    remote.faults = ["unavailable", "unavailable", "refuses"]
    intent = plan(make_listing())

    outbox.send_due()
    assert (state_of(intent), intent.attempts) == (STATE.PLANNED, 0)
    outbox.send_due()
    assert remote.calls == ["publish"]
    pass_on(clock)

    # Nothing was done before, so the no is as definite as that to a first try.
    assert state_of(intent) == STATE.REFUSED
    assert len(remote.calls) == 3


def test_a_platform_that_stays_away_is_left_to_a_person(remote: Remote, clock: Clock) -> None:
    remote.is_down = True
    intent = plan(make_listing())

    pass_on(clock)

    assert state_of(intent) == STATE.NEEDS_PERSON
    assert remote.entries == []
    assert len(remote.calls) > 10


@pytest.mark.parametrize("fault", ["commits then drops", "hangs", "duplicates"])
def test_a_lost_answer_is_found_by_asking(remote: Remote, clock: Clock, fault: str) -> None:
    remote.faults = [fault]
    intent = plan(make_listing())

    outbox.send_due()
    assert state_of(intent) == STATE.AMBIGUOUS
    pass_on(clock)

    assert state_of(intent) == STATE.CONFIRMED
    assert (len(remote.calls), len(remote.entries)) == (1, 1)
    assert Ticket.objects.get().remote_id == "publish-1"


def test_a_lost_request_is_sent_again_with_its_token(remote: Remote, clock: Clock) -> None:
    remote.faults = ["drops before"]
    intent = plan(make_listing())

    pass_on(clock)

    assert state_of(intent) == STATE.CONFIRMED
    assert intent.attempts == 2
    assert [entry["token"] for entry in remote.entries] == [intent.token]


def test_a_stale_read_settles_nothing(remote: Remote, clock: Clock) -> None:
    remote.faults = ["commits then drops", "stale read", "stale read"]
    intent = plan(make_listing())

    pass_on(clock)

    assert state_of(intent) == STATE.CONFIRMED
    assert remote.calls == ["publish"]


def test_what_must_not_be_sent_twice_is_left_to_a_person(remote: Remote, clock: Clock) -> None:
    remote.again = Again.NEVER
    remote.faults = ["drops before"]
    intent = plan(make_listing())

    pass_on(clock)

    assert state_of(intent) == STATE.NEEDS_PERSON
    assert "might do it twice" in intent.said
    assert (remote.calls, remote.entries) == (["publish"], [])


def test_a_token_that_the_platform_has_forgotten_is_not_sent(remote: Remote, clock: Clock) -> None:
    remote.faults = ["drops before"]
    intent = plan(make_listing())
    outbox.send_due()

    clock.move(hours=23)
    pass_on(clock, n=5)

    assert state_of(intent) == STATE.NEEDS_PERSON
    assert remote.calls == ["publish"]


def test_a_second_try_that_waited_too_long_is_not_made(remote: Remote, clock: Clock) -> None:
    remote.faults = ["drops before"]
    intent = plan(make_listing())
    outbox.send_due()
    clock.move(minutes=10)
    outbox.settle(intent.pk)
    assert state_of(intent) == STATE.PLANNED

    # The worker is away until the platform knows the token no more.
    clock.move(hours=30)
    outbox.send_due()

    assert state_of(intent) == STATE.NEEDS_PERSON
    assert remote.calls == ["publish"]


def test_a_no_to_a_second_try_is_believed_after_asking(remote: Remote, clock: Clock) -> None:
    remote.faults = ["drops before", "none", "refuses"]
    intent = plan(make_listing())
    outbox.send_due()
    clock.move(minutes=10)
    outbox.settle(intent.pk)

    clock.move(minutes=30)
    outbox.send(intent.pk)
    assert state_of(intent) == STATE.AMBIGUOUS
    pass_on(clock)

    assert state_of(intent) == STATE.REFUSED
    assert (len(remote.calls), remote.entries) == (2, [])


def test_a_mistake_of_ours_is_in_doubt_and_keeps_nobody_waiting(
    remote: Remote, clock: Clock, caplog
) -> None:
    caplog.set_level(logging.CRITICAL)
    remote.faults = ["fails"]
    first = plan(make_listing())
    clock.move(seconds=1)
    second = plan(make_listing())

    outbox.send_due()
    assert (state_of(first), state_of(second)) == (STATE.AMBIGUOUS, STATE.CONFIRMED)
    pass_on(clock)

    assert state_of(first) == STATE.CONFIRMED
    assert len(remote.entries) == 2


def test_a_platform_that_cannot_be_asked_for_a_day_is_left_to_a_person(
    remote: Remote, clock: Clock
) -> None:
    remote.faults = ["commits then drops"]
    intent = plan(make_listing())
    outbox.send_due()
    remote.is_down = True

    pass_on(clock)

    assert state_of(intent) == STATE.NEEDS_PERSON
    assert len(remote.entries) == 1


def test_what_a_dead_worker_held_is_asked_about_and_not_sent(remote: Remote, clock: Clock) -> None:
    intent = plan(make_listing())
    assert outbox.take(intent.pk, intent.pk)
    remote.carry_out(intent)

    clock.move(minutes=2)
    outbox.send_due()
    assert state_of(intent) == STATE.SENDING
    clock.move(minutes=2)
    outbox.send_due()

    assert state_of(intent) == STATE.CONFIRMED
    assert (remote.calls, len(remote.entries)) == ([], 1)


def test_an_answer_that_comes_after_the_lease_is_still_an_answer(
    remote: Remote, clock: Clock, monkeypatch
) -> None:
    intent = plan(make_listing())
    slow = remote.carry_out

    def carry_out(*arguments, **options) -> str:
        done = slow(*arguments, **options)
        clock.move(minutes=4)
        outbox.find_dead()
        assert state_of(intent) == STATE.AMBIGUOUS
        return done

    monkeypatch.setattr(remote, "carry_out", carry_out)
    outbox.send(intent.pk)

    assert state_of(intent) == STATE.CONFIRMED


def test_steps_of_publishing_follow_one_another(remote: Remote, clock: Clock) -> None:
    listing = make_listing()
    first, second = plan(listing, "1"), plan(listing, "2")
    remote.faults = ["commits then drops"]

    outbox.send_due()
    assert (state_of(first), state_of(second)) == (STATE.AMBIGUOUS, STATE.PLANNED)
    pass_on(clock)

    assert {state_of(first), state_of(second)} == {STATE.CONFIRMED}
    assert [entry["token"] for entry in remote.entries] == [first.token, second.token]


def test_after_a_refused_step_the_others_are_not_asked_for(remote: Remote, clock: Clock) -> None:
    listing = make_listing()
    first, second, third = (plan(listing, code) for code in "123")
    remote.faults = ["none", "refuses"]

    pass_on(clock)

    assert [state_of(i) for i in (first, second, third)] == ["confirmed", "refused", "refused"]
    assert "The previous step failed, so this one was not" in third.said
    assert len(remote.calls) == 2


def test_a_person_settles_what_waits_for_one(remote: Remote, clock: Clock) -> None:
    remote.again = Again.NEVER
    remote.faults = ["drops before"]
    intent = plan(make_listing())
    pass_on(clock)
    by = make_user("ada")

    with pytest.raises(AnnotationError, match="Explain how you know"):
        manual_settlement.settle_by_hand(intent=intent, happened=False, note=" ", by=by)
    with pytest.raises(AnnotationError, match="Give the id"):
        manual_settlement.settle_by_hand(intent=intent, happened=True, note="It is there.", by=by)
    settled = manual_settlement.settle_by_hand(
        intent=intent, happened=False, note="Not there.", by=by
    )

    assert (settled.state, settled.note) == (STATE.GIVEN_UP, "ada: Not there.")
    with pytest.raises(StateError, match="This step no longer needs a decision"):
        manual_settlement.settle_by_hand(
            intent=intent, happened=True, note="It is.", by=by, remote_id="x"
        )


def test_what_a_person_found_published_is_a_ticket_as_any_other(
    remote: Remote, clock: Clock
) -> None:
    remote.again = Again.NEVER
    remote.faults = ["drops before"]
    listing = make_listing()
    publishing.publish(listing=listing, typed=Decimal("7.20"), by=make_user())
    pass_on(clock)
    [intent] = Intent.objects.all()
    by = make_user("ada")

    manual_settlement.settle_by_hand(
        intent=intent, happened=True, note="It is there.", by=by, remote_id="HIT7"
    )

    listing.refresh_from_db()
    [ticket] = listing.tickets.all()
    assert (ticket.remote_id, ticket.n_places, listing.state) == ("HIT7", 4, "published")
    publishing.close(listing=listing, by=by)
    assert Intent.objects.get(kind=KIND.CLOSE).ticket == ticket


def test_one_publication_is_not_settled_by_the_id_of_another(remote: Remote, clock: Clock) -> None:
    listing = make_listing()
    publishing.publish(listing=listing, typed=Decimal("7.20"), by=make_user())
    outbox.send_due()
    remote.again = Again.NEVER
    remote.faults = ["drops before"]
    lost = plan(listing, "another")
    pass_on(clock)

    with pytest.raises(AnnotationError, match="publish-1 already belongs to another entry"):
        manual_settlement.settle_by_hand(
            intent=lost, happened=True, note="x", by=make_user("ada"), remote_id="publish-1"
        )

    assert state_of(lost) == STATE.NEEDS_PERSON


def test_what_was_given_up_can_be_asked_for_again_as_another(remote: Remote, clock: Clock) -> None:
    remote.faults = ["refuses"]
    intent = plan(make_listing())
    outbox.send_due()
    intent.refresh_from_db()

    again = intents.plan_again(intent=intent, by=make_user())
    pass_on(clock)

    assert again.pk != intent.pk
    assert (state_of(again), state_of(intent)) == (STATE.CONFIRMED, STATE.REFUSED)
    with pytest.raises(StateError, match="You can repeat only a step that was refused or"):
        intents.plan_again(intent=again, by=make_user())


def given_up_while_it_hangs(
    remote: Remote, clock: Clock, monkeypatch, intent: Intent, then
) -> None:
    """A worker asks, and hears of it only after a person said that it did not happen."""
    slow = remote.carry_out

    def carry_out(*arguments, **options) -> str:
        monkeypatch.setattr(remote, "carry_out", slow)
        remote.is_down = True
        pass_on(clock)
        remote.is_down = False
        assert state_of(intent) == STATE.NEEDS_PERSON
        manual_settlement.settle_by_hand(
            intent=intent, happened=False, note="No.", by=make_user("ada")
        )
        intent.refresh_from_db()
        then()
        return slow(*arguments, **options)

    monkeypatch.setattr(remote, "carry_out", carry_out)
    outbox.send(intent.pk)


def pay_more(remote: Remote) -> Intent:
    visit = make_visit(make_listing())
    return decisions.bonus(
        visit=visit, amount=Decimal(1), reason_code="x", message="Thanks.", by=make_user()
    )


def test_an_answer_that_comes_after_it_was_given_up_counts_as_spent(
    remote: Remote, clock: Clock, monkeypatch
) -> None:
    intent = pay_more(remote)

    given_up_while_it_hangs(remote, clock, monkeypatch, intent, lambda: None)

    assert (state_of(intent), intent.note) == (STATE.CONFIRMED, "ada: No.")
    assert commitments.committed(intent.listing.study, "USD") == Decimal("1.20")


def test_what_was_planned_again_is_not_asked_for_once_the_first_has_happened(
    remote: Remote, clock: Clock, monkeypatch
) -> None:
    intent = pay_more(remote)
    again: list[Intent] = []

    given_up_while_it_hangs(
        remote,
        clock,
        monkeypatch,
        intent,
        lambda: again.append(intents.plan_again(intent=intent, by=make_user("eve"))),
    )

    assert (state_of(intent), state_of(again[0])) == (STATE.CONFIRMED, STATE.REFUSED)
    assert "confirmed the earlier request late" in again[0].said
    pass_on(clock, n=2)
    assert len(remote.entries) == 1


def test_what_happened_twice_is_in_the_ledger_twice_and_a_person_is_told(
    remote: Remote, clock: Clock, monkeypatch
) -> None:
    intent = pay_more(remote)
    again: list[Intent] = []

    def ask_again() -> None:
        again.append(intents.plan_again(intent=intent, by=make_user("eve")))
        outbox.send(again[0].pk)

    given_up_while_it_hangs(remote, clock, monkeypatch, intent, ask_again)

    assert (state_of(intent), state_of(again[0])) == (STATE.CONFIRMED, STATE.CONFIRMED)
    assert "happened twice" in intent.said
    assert intent.visit is not None
    intent.visit.refresh_from_db()
    assert "happened twice" in read(intent.visit.doubt)
    assert commitments.committed(intent.listing.study, "USD") == Decimal("2.40")


def test_an_approval_that_was_asked_for_again_is_one(
    remote: Remote, clock: Clock, monkeypatch
) -> None:
    intent = decisions.approve(visit=make_visit(make_listing()), by=make_user())
    assert intent is not None
    again: list[Intent] = []

    def ask_again() -> None:
        again.append(intents.plan_again(intent=intent, by=make_user("eve")))
        Intent.objects.filter(pk=again[0].pk).update(
            state=STATE.CONFIRMED, first_sent_at=clock.time, settled_at=clock.time
        )

    given_up_while_it_hangs(remote, clock, monkeypatch, intent, ask_again)

    assert (state_of(intent), state_of(again[0])) == (STATE.GIVEN_UP, STATE.CONFIRMED)


def test_what_is_published_after_it_was_given_up_takes_people_in(
    remote: Remote, clock: Clock, monkeypatch
) -> None:
    listing = make_listing()
    publishing.publish(listing=listing, typed=Decimal("7.20"), by=make_user())
    [intent] = Intent.objects.all()

    given_up_while_it_hangs(
        remote,
        clock,
        monkeypatch,
        intent,
        lambda: listing.refresh_from_db() or listing.state == "draft" or pytest.fail("no draft"),
    )

    listing.refresh_from_db()
    assert (listing.state, listing.tickets.count()) == ("published", 1)


def test_a_person_may_have_the_platform_asked_again(remote: Remote, clock: Clock) -> None:
    remote.faults = ["commits then drops"]
    intent = plan(make_listing())
    outbox.send_due()
    remote.is_down = True
    pass_on(clock)
    assert state_of(intent) == STATE.NEEDS_PERSON
    remote.is_down = False

    manual_settlement.look_again(intent=intent, by=make_user("ada"))
    outbox.send_due()

    assert state_of(intent) == STATE.CONFIRMED


def test_the_database_refuses_a_second_one_that_stands(remote: Remote) -> None:
    intent = plan(make_listing())
    columns = {"listing": intent.listing, "kind": intent.kind, "planned_at": intent.planned_at}

    with pytest.raises(IntegrityError), transaction.atomic():
        Intent.objects.create(**columns, currency="USD")
