"""Many approvals in one call to Prolific: each is paid once, and who is not is named."""

import re
from decimal import Decimal

import pytest

from annotation.crowds.services import bulk_approvals, decisions, outbox, reconciling
from annotation.crowds.tasks import send_intents
from annotation.models import Intent, Listing, Study, Visit
from tests.crowds.platforms.prolific_lab import Lab
from tests.crowds.platforms.prolific_spending import published, set_cap, work
from tests.support.factories import make_user

STATE = Intent.State
N = 3


@pytest.fixture
def visits(lab: Lab, study: Study) -> list[Visit]:
    """Three who wait for their money, and whose approval is planned."""
    set_cap(study, "20.00")
    listing = published(lab, study, "8.00", n_places=4)
    visits = [lab.visit(listing) for _ in range(N)]
    work(lab, n=1)
    for visit in visits:
        decisions.approve(visit=visit, by=make_user())
    return visits


def pass_time(lab: Lab, *, n: int, **units: float) -> None:
    for _ in range(n):
        lab.advance(**units)
        send_intents()
        Listing.objects.update(polled_at=None)
        reconciling.poll_due()


def states(visits: list[Visit]) -> list[str]:
    return [visit.intents.get(kind=Intent.Kind.APPROVE).state for visit in visits]


def n_paid(lab: Lab) -> list[int]:
    """How often each submission was paid its reward."""
    paid = [line["submission"] for line in lab.sim.ledger("reward")]
    return sorted(paid.count(key) for key in set(paid))


def calls(lab: Lab, method: str, path: str) -> int:
    rows = lab.sim.journal(method=method)
    return sum(bool(re.fullmatch(f"/api/v1/{path}", row["path"])) for row in rows)


def test_many_are_approved_in_one_call(lab: Lab, visits: list[Visit]) -> None:
    send_intents()
    told = states(visits)
    pass_time(lab, n=4, minutes=1)

    assert told == [STATE.AMBIGUOUS] * N
    assert states(visits) == [STATE.CONFIRMED] * N
    assert n_paid(lab) == [1] * N
    assert calls(lab, "POST", "submissions/bulk-approve/") == 1
    assert calls(lab, "POST", "submissions/[0-9a-f]+/transition/") == 0
    # What a poll has read is not asked for again, one by one.
    assert calls(lab, "GET", "submissions/[0-9a-f]+/") == 0


@pytest.mark.slow
def test_those_in_progress_are_not_sent_again(lab: Lab, visits: list[Visit]) -> None:
    lab.sim.configure(bulk_delay_s=200)

    send_intents()
    pass_time(lab, n=6, minutes=1)

    assert states(visits) == [STATE.CONFIRMED] * N
    assert calls(lab, "POST", "submissions/[0-9a-f]+/transition/") == 0


@pytest.mark.slow
def test_one_that_was_returned_meanwhile_is_refused_alone(lab: Lab, visits: list[Visit]) -> None:
    gone = visits[1]
    assert gone.person is not None
    lab.sim.bot(gone.person.platform_id).give_back(gone.submission_id)

    send_intents()
    pass_time(lab, n=30, minutes=2)

    assert states(visits) == [STATE.CONFIRMED, STATE.REFUSED, STATE.CONFIRMED]
    assert "can not take the action APPROVE" in gone.intents.get(kind=Intent.Kind.APPROVE).said
    assert n_paid(lab) == [1] * (N - 1)


@pytest.mark.parametrize(
    "fault",
    [
        *("commit_then_500", "commit_then_drop", "truncated_json", "500_before"),
        *("throttle", "wrong_content_type"),
    ],
)
@pytest.mark.slow
def test_a_lost_answer_pays_everybody_once(lab: Lab, visits: list[Visit], fault: str) -> None:
    lab.sim.fault(fault, path="/bulk-approve/")

    send_intents()
    pass_time(lab, n=12, minutes=3)

    assert states(visits) == [STATE.CONFIRMED] * N
    assert n_paid(lab) == [1] * N


@pytest.mark.slow
def test_a_worker_that_dies_in_the_call_pays_everybody_once(
    lab: Lab, visits: list[Visit], monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        pass

    def dies(*_arguments: object) -> None:
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(outbox, "doubt", dies)
        patch.setattr(bulk_approvals, "record_call", lambda *_a, **_o: None)
        with pytest.raises(KilledError):
            bulk_approvals.send_together()
    held = states(visits)
    pass_time(lab, n=12, minutes=3)

    assert held == [STATE.SENDING] * N
    assert states(visits) == [STATE.CONFIRMED] * N
    assert n_paid(lab) == [1] * N


def test_the_date_of_prolifics_own_approval(lab: Lab, visits: list[Visit]) -> None:
    visit = Visit.objects.get(pk=visits[0].pk)
    moment = lab.platform.approves_at(visit)
    assert moment is not None
    lab.sim.set_clock(moment)

    assert lab.status(visit) == "APPROVED"
    assert lab.sim.spent() == 3 * Decimal(200)
