"""The next part on a platform: open after its pause to the second, once, and shut at its end."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.answering.services import open_places, phases
from annotation.crowds.services import next_phases, outbox
from annotation.models import Intent, Listing, PhaseRun, Study, Visit
from tests.support import rating
from tests.support.clock import Clock
from tests.support.factories import make_user
from tests.support.remote_side import Remote, make_listing, make_visit

pytestmark = pytest.mark.django_db

KIND = Intent.Kind


@pytest.fixture
def study(remote: Remote, clock: Clock) -> Study:
    study = rating.make_rating_study(phases=rating.TWICE, pairs=3, ratings_per_item=3)
    study.dry_run = False
    study.save()
    return study


def offer(study: Study, **columns) -> Listing:
    """A listing of the second part, published."""
    columns = {"phase_number": 2, "options": {"invitation": "Part two is open."}, **columns}
    state = {"state": Listing.State.PUBLISHED, "published_at": timezone.now()}
    return make_listing(study=study, **{**state, **columns})


def complete(study: Study, submission_id: str = "S1", **columns) -> Visit:
    """Somebody completes the first part, and the platform vouches for them."""
    first = study.listings.filter(phase_number=1).first() or make_listing(study=study)
    joined = rating.join(study)
    rating.rate_phase(joined.assignment)
    run = joined.assignment.runs.get(phase__number=1)
    ended = {"state": Visit.State.ENDED, "outcome": "completed", "ended_at": timezone.now()}
    return make_visit(first, submission_id, run=run, **{**ended, **columns})


def asked(kind: Intent.Kind) -> list[str]:
    return [one.payload["submission_id"] for one in Intent.objects.filter(kind=kind)]


def sweep() -> int:
    n_new = next_phases.grant_due()
    outbox.send_due()
    return n_new


def test_who_waits_is_let_in_at_72_hours_and_not_a_second_before(
    study: Study, clock: Clock, remote: Remote
) -> None:
    listing, visit = offer(study), complete(study)

    clock.move(hours=71, minutes=59, seconds=59)
    assert sweep() == 0
    clock.move(seconds=1)
    assert sweep() == 1

    grant = Intent.objects.get()
    assert (grant.kind, grant.visit, grant.listing) == (KIND.GRANT, visit, listing)
    assert grant.state == Intent.State.CONFIRMED
    assert grant.payload["person_id"] == "W-S1"
    assert grant.requested_by is None


def test_each_is_let_in_and_written_to_once(study: Study, clock: Clock, remote: Remote) -> None:
    offer(study)
    complete(study, "S1")
    complete(study, "S2")
    clock.move(hours=72)

    assert [sweep() for _ in range(4)] == [2, 2, 0, 0]

    assert sorted(asked(KIND.GRANT)) == sorted(asked(KIND.MESSAGE)) == ["S1", "S2"]
    assert sorted(remote.calls) == ["grant", "grant", "message", "message"]
    assert Intent.objects.filter(kind=KIND.MESSAGE)[0].payload["message"] == "Part two is open."


def test_nobody_is_written_to_before_they_are_let_in(
    study: Study, clock: Clock, remote: Remote
) -> None:
    offer(study)
    complete(study)
    clock.move(hours=72)
    remote.faults = ["drops before"]

    sweep()
    sweep()
    assert remote.calls == ["grant"]
    for _ in range(6):
        clock.move(minutes=31)
        sweep()

    assert remote.calls == ["grant", "grant", "message"]


def test_without_an_invitation_nobody_is_written_to(study: Study, clock: Clock) -> None:
    offer(study, options={})
    complete(study)
    clock.move(hours=72)

    assert [sweep() for _ in range(3)] == [1, 0, 0]


def test_a_refused_grant_is_not_asked_for_every_minute(
    study: Study, clock: Clock, remote: Remote
) -> None:
    offer(study)
    complete(study)
    clock.move(hours=72)
    remote.faults = ["refuses"]

    assert [sweep() for _ in range(3)] == [1, 0, 0]
    assert remote.calls == ["grant"]


@pytest.mark.parametrize(
    "columns",
    [
        {"verified_at": None},
        {"state": Visit.State.CLOSED},
        {"remote_state": Visit.Remote.REJECTED},
        {"outcome": "failed_checks"},
        {"person": None},
    ],
)
def test_only_verified_work_opens_the_next_part(study: Study, clock: Clock, columns) -> None:
    offer(study)
    complete(study, **columns)

    clock.move(hours=72)

    assert sweep() == 0


@pytest.mark.parametrize(
    "columns", [{"state": Listing.State.DRAFT}, {"environment": "production"}]
)
def test_a_listing_that_is_not_theirs_or_not_published_lets_nobody_in(
    study: Study, clock: Clock, columns
) -> None:
    offer(study, **columns)
    complete(study)

    clock.move(hours=72)

    assert sweep() == 0


def test_a_dry_run_lets_nobody_in(study: Study, clock: Clock) -> None:
    offer(study)
    complete(study)
    Study.objects.update(dry_run=True)

    clock.move(hours=72)

    assert sweep() == 0


def test_the_part_is_shut_at_its_end_but_for_who_works_on_it(
    study: Study, clock: Clock, remote: Remote
) -> None:
    listing = offer(study, options={})
    complete(study, "S1")
    busy = complete(study, "S2")
    clock.move(hours=72)
    sweep()
    run = phases.latest(busy.run.assignment)
    working = make_visit(listing, "S3", person=busy.person, run=run, remote_state="active")

    clock.move(days=14, seconds=-1)
    assert sweep() == 0
    clock.move(seconds=1)
    assert (sweep(), sweep()) == (1, 0)
    assert asked(KIND.REVOKE) == ["S1"]

    Visit.objects.filter(pk=working.pk).update(state=Visit.State.CLOSED)
    assert (sweep(), asked(KIND.REVOKE)) == (1, ["S1", "S2"])


def test_an_opening_by_hand_is_one_on_the_platform(study: Study, clock: Clock) -> None:
    offer(study)
    visit = complete(study)
    PhaseRun.objects.filter(assignment=visit.run.assignment, phase__number=2).update(
        opens_at=clock.time + timedelta(hours=1)
    )

    clock.move(hours=1)

    assert sweep() == 1


def open_again(visit: Visit) -> PhaseRun:
    run = visit.run.assignment.runs.get(phase__number=2)
    return phases.open_now(run=run, reason="They were ill.", by=make_user("ada"))


def test_who_is_let_in_early_by_a_person_is_let_in_on_the_platform_at_once(
    study: Study, clock: Clock
) -> None:
    offer(study)
    early, _other = complete(study, "S1"), complete(study, "S2")
    clock.move(hours=5)
    open_again(early)

    assert (sweep(), asked(KIND.GRANT)) == (1, ["S1"])
    clock.move(hours=67)
    sweep()

    assert asked(KIND.GRANT) == ["S1", "S2"]


def test_who_was_shut_out_is_let_in_again_where_a_person_opens_it(
    study: Study, clock: Clock, remote: Remote
) -> None:
    offer(study, options={})
    visit = complete(study)
    clock.move(hours=72)
    assert [sweep() for _ in range(2)] == [1, 0]
    clock.move(days=14)
    assert [sweep() for _ in range(2)] == [1, 0]
    # Somebody else's arrival takes the overdue out of their places.
    open_places.expire_overdue(study, clock.time)

    open_again(visit)

    assert [sweep() for _ in range(2)] == [1, 0]
    clock.move(days=14)
    assert [sweep() for _ in range(2)] == [1, 0]
    assert remote.calls == ["grant", "revoke", "grant", "revoke"]


def test_nobody_is_let_in_again_before_they_were_shut_out(
    study: Study, clock: Clock, remote: Remote
) -> None:
    offer(study, options={})
    visit = complete(study)
    clock.move(hours=72)
    sweep()
    clock.move(days=14)
    remote.is_down = True
    sweep()
    open_again(visit)

    assert sweep() == 0
    remote.is_down = False
    clock.move(hours=1)
    assert [sweep() for _ in range(3)] == [0, 1, 0]

    assert [c for c in remote.calls if c != "revoke"] == ["grant", "grant"]
