"""Bonuses: paid to the cent, and once, whatever answer comes and wherever the process ends."""

from decimal import Decimal
from typing import Any

import pytest

from annotation.core.platforms.base import Again, LookUpResult, keep_nowhere
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.crowds.platforms.prolific import bonuses as prolific_bonuses
from annotation.crowds.platforms.prolific.http import Client
from annotation.models import Intent, Listing, Visit
from tests.crowds.platforms.prolific_lab import Lab, make_listing
from tests.simulators.prolific.researcher import Researcher

LOST = ["commit_then_500", "commit_then_drop", "commit_then_hang", "truncated_json"]
NOT_DONE = ["500_before", "timeout_before", "wrong_content_type"]
PAY, DRAW_UP = "/pay/", "/submissions/bonus-payments/"


@pytest.fixture
def listing(lab: Lab) -> Listing:
    listing = make_listing()
    lab.publish(listing)
    return listing


@pytest.fixture
def visit(lab: Lab, listing: Listing) -> Visit:
    return lab.visit(listing)


def later(lab: Lab) -> None:
    """Until money has left the wallet and the submission shows it."""
    lab.advance(minutes=8)


def n_paid(lab: Lab) -> int:
    return len(lab.sim.journal(PAY, "POST"))


@pytest.mark.parametrize("amount", ["0.01", "1.50", "2.07", "30.00"])
def test_a_bonus_is_paid_to_the_cent(lab: Lab, visit: Visit, amount: str) -> None:
    intent = lab.bonus(visit, amount)
    lab.send(intent)
    later(lab)

    assert lab.sim.bonuses(submission=visit.submission_id) == [int(Decimal(amount) * 100)]
    fee = lab.platform.fee(visit.listing, Decimal(amount), is_bonus=True)
    assert Decimal(lab.sim.spent()) / 100 == Decimal(amount) + fee
    assert intent.remote_id in lab.sim.world.state["batches"]
    # A batch has no text of ours.
    assert not lab.platform.is_marked(intent)


@pytest.mark.slow
@pytest.mark.parametrize("fault", LOST)
def test_a_payment_whose_answer_was_lost_is_found_and_not_repeated(
    lab: Lab, visit: Visit, fault: str
) -> None:
    intent = lab.bonus(visit)
    lab.sim.fault(fault, path=PAY, method="POST", seconds=3)

    with pytest.raises(DoubtfulError):
        lab.send(intent)
    assert lab.platform.again(intent) is Again.NEVER
    # The money takes minutes, and so does the list of what was paid.
    assert lab.look_up(intent).result is LookUpResult.UNKNOWN
    later(lab)

    assert lab.look_up(intent).result is LookUpResult.DONE
    assert lab.sim.bonuses() == [150]


@pytest.mark.slow
@pytest.mark.parametrize("fault", NOT_DONE)
def test_a_payment_that_never_shows_stays_unknown_and_is_never_sent_again(
    lab: Lab, visit: Visit, fault: str
) -> None:
    intent = lab.bonus(visit)
    lab.sim.fault(fault, path=PAY, method="POST", seconds=3)
    with pytest.raises(DoubtfulError):
        lab.send(intent)

    lab.advance(hours=48)

    assert lab.look_up(intent).result is LookUpResult.UNKNOWN
    assert lab.platform.again(intent) is Again.NEVER
    assert lab.sim.bonuses() == []


@pytest.mark.slow
@pytest.mark.parametrize("fault", [*LOST, *NOT_DONE])
def test_a_batch_whose_name_was_lost_was_not_paid(lab: Lab, visit: Visit, fault: str) -> None:
    intent = lab.bonus(visit)
    lab.sim.fault(fault, path=DRAW_UP, method="POST", seconds=3)

    with pytest.raises(UnavailableError):
        lab.send(intent)
    assert n_paid(lab) == 0
    lab.send(intent)
    later(lab)

    assert lab.sim.bonuses() == [150]


def test_a_busy_platform_is_paid_by_the_same_batch_later(lab: Lab, visit: Visit) -> None:
    intent = lab.bonus(visit)
    lab.sim.fault("throttle", path=PAY, method="POST")

    with pytest.raises(UnavailableError):
        lab.send(intent)
    lab.send(intent)
    later(lab)

    assert lab.sim.bonuses() == [150]
    assert len(lab.sim.world.state["batches"]) == 1


def test_without_money_it_is_refused(lab: Lab, visit: Visit) -> None:
    lab.sim.set_wallet(600)

    with pytest.raises(RefusedError, match="not enough money"):
        lab.send(lab.bonus(visit))

    assert lab.sim.bonuses() == []


class Killed(BaseException):
    """The process ends here."""


def test_a_process_killed_after_the_batch_leaves_its_name(lab: Lab, visit: Visit) -> None:
    intent = lab.bonus(visit)

    def kept_and_killed(remote_id: str, cost: Decimal | None = None) -> None:
        assert cost == Decimal("2.00")
        Intent.objects.filter(pk=intent.pk).update(remote_id=remote_id)
        raise Killed

    with pytest.raises(Killed):
        lab.platform.send(intent, kept_and_killed)
    intent.refresh_from_db()

    assert intent.remote_id in lab.sim.world.state["batches"]
    assert lab.look_up(intent).result is LookUpResult.UNKNOWN
    assert lab.platform.again(intent) is Again.NEVER
    assert n_paid(lab) == 0


def test_a_process_killed_before_the_batch_was_known_paid_nothing(
    lab: Lab, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    intent = lab.bonus(visit)

    def killed(*_args: object) -> str:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(prolific_bonuses, "_drawn_up", killed)
        with pytest.raises(Killed):
            lab.send(intent)

    assert lab.look_up(intent).result is LookUpResult.NOT_DONE
    assert lab.platform.again(intent) is Again.HARMLESS
    lab.send(intent)
    later(lab)

    assert lab.sim.bonuses() == [150]


def test_a_batch_that_could_not_be_kept_is_not_paid(lab: Lab, visit: Visit) -> None:
    intent = lab.bonus(visit)

    with pytest.raises(RefusedError, match="The bonus's name could not be stored, so nothing"):
        lab.platform.send(intent, keep_nowhere)

    assert n_paid(lab) == 0


def test_an_equal_bonus_for_something_else_is_not_taken_for_this_one(
    lab: Lab, visit: Visit
) -> None:
    lab.send(lab.bonus(visit, "1.50", "carefulness"))
    lost = lab.bonus(visit, "1.50", "comment")
    lab.sim.fault("500_before", path=PAY, method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(lost)
    later(lab)
    assert lab.sim.bonuses() == [150]

    assert lab.look_up(lost).result is LookUpResult.UNKNOWN


def pay_by_hand(lab: Lab, visit: Visit, amount: str = "1.50") -> None:
    """As somebody does on Prolific's own page."""
    researcher = Researcher(lab.sim)
    study = lab.sim.submission(visit.submission_id)["study_id"]
    researcher.pay(researcher.batch(study, f"{visit.submission_id},{amount}"))


@pytest.mark.parametrize("fault", ["throttle", "500_before"])
def test_a_payment_made_by_hand_is_not_taken_for_ours(lab: Lab, visit: Visit, fault: str) -> None:
    pay_by_hand(lab, visit)
    later(lab)
    intent = lab.bonus(visit)
    lab.sim.fault(fault, path=PAY, method="POST")

    with pytest.raises((DoubtfulError, UnavailableError)):
        lab.send(intent)
    later(lab)

    assert lab.look_up(intent).result is LookUpResult.UNKNOWN
    assert lab.sim.bonuses() == [150]


def test_a_payment_that_was_put_off_is_made_beside_one_by_hand(lab: Lab, visit: Visit) -> None:
    pay_by_hand(lab, visit)
    later(lab)
    intent = lab.bonus(visit)
    lab.sim.fault("throttle", path=PAY, method="POST")
    with pytest.raises(UnavailableError):
        lab.send(intent)

    lab.send(intent)
    later(lab)

    assert lab.sim.bonuses() == [150, 150]


def test_a_payment_made_by_hand_hides_no_payment_of_ours(lab: Lab, visit: Visit) -> None:
    pay_by_hand(lab, visit)
    later(lab)
    intent = lab.bonus(visit)
    lab.sim.fault("commit_then_drop", path=PAY, method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(intent)
    later(lab)

    assert lab.look_up(intent).result is LookUpResult.DONE
    assert lab.sim.bonuses() == [150, 150]


def test_what_may_have_been_paid_is_not_paid_again(lab: Lab, visit: Visit) -> None:
    # An equal one that Prolific showed already: what it shows more may be either.
    lab.send(lab.bonus(visit, "1.50", "carefulness"))
    later(lab)
    lost = lab.bonus(visit, "1.50", "comment")
    lab.sim.fault("commit_then_drop", path=PAY, method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(lost)
    later(lab)

    with pytest.raises(DoubtfulError, match="an equal bonus that may be this one"):
        lab.send(lost)
    later(lab)

    assert lab.sim.bonuses() == [150, 150]


def test_an_equal_bonus_of_long_ago_is_counted_once(lab: Lab, visit: Visit) -> None:
    lab.send(lab.bonus(visit, "1.50", "carefulness"))
    lab.advance(hours=2)
    lost = lab.bonus(visit, "1.50", "comment")
    lab.sim.fault("commit_then_drop", path=PAY, method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(lost)
    later(lab)

    assert lab.look_up(lost).result is LookUpResult.DONE


def test_two_equal_bonuses_are_two_payments(lab: Lab, visit: Visit) -> None:
    lab.send(lab.bonus(visit, "1.50", "carefulness"))
    lost = lab.bonus(visit, "1.50", "comment")
    lab.sim.fault("commit_then_drop", path=PAY, method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(lost)
    later(lab)

    assert lab.look_up(lost).result is LookUpResult.DONE
    assert lab.sim.bonuses() == [150, 150]


def test_a_payment_put_off_that_was_made_all_the_same_is_not_made_again(
    lab: Lab, visit: Visit
) -> None:
    intent = lab.bonus(visit)
    lab.sim.fault("commit_then_drop", path=PAY, method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(intent)
    later(lab)

    # Somebody plans it again in spite of everything.
    with pytest.raises(DoubtfulError, match="an equal bonus that may be this one"):
        lab.send(intent)

    assert lab.sim.bonuses() == [150]
    assert n_paid(lab) == 1


def test_a_batch_that_was_put_off_and_is_then_refused_may_have_been_paid(
    lab: Lab, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    intent = lab.bonus(visit)
    lab.sim.fault("throttle", path=PAY, method="POST")
    with pytest.raises(UnavailableError):
        lab.send(intent)
    change = Client.change

    def refused(client: Client, method: str, path: str, *arguments: Any, **options: Any) -> Any:
        if path.endswith("/pay/"):
            raise RefusedError("This batch was paid before.")
        return change(client, method, path, *arguments, **options)

    monkeypatch.setattr(Client, "change", refused)

    with pytest.raises(DoubtfulError, match="paid before"):
        lab.platform.send(Intent.objects.get(pk=intent.pk))


def test_a_payment_by_hand_after_ours_was_put_off_is_not_shown_as_ours(
    lab: Lab, visit: Visit
) -> None:
    intent = lab.bonus(visit)
    lab.sim.fault("throttle", path=PAY, method="POST")
    with pytest.raises(UnavailableError):
        lab.send(intent)
    pay_by_hand(lab, visit)
    later(lab)

    with pytest.raises(DoubtfulError, match="an equal bonus that may be this one"):
        lab.send(intent)

    # A person sees on Prolific whose it is.
    assert lab.look_up(intent).result is LookUpResult.UNKNOWN
    assert lab.sim.bonuses() == [150]


def test_it_goes_to_the_submission_and_not_to_the_persons_last_one(
    lab: Lab, listing: Listing, visit: Visit
) -> None:
    lab.send(lab.bonus(visit))

    [batch] = lab.sim.world.state["batches"].values()
    assert [line["submission"] for line in batch["lines"]] == [visit.submission_id]


@pytest.mark.parametrize("amount", ["0", "0.001"])
def test_what_is_no_amount_is_not_sent(lab: Lab, visit: Visit, amount: str) -> None:
    intent = lab.bonus(visit)
    intent.pays = Decimal(amount)

    with pytest.raises(RefusedError, match="A bonus must be above 0 and have at most two"):
        lab.platform.send(intent, keep_nowhere)

    assert not lab.sim.journal(DRAW_UP, "POST")


def test_a_stale_list_of_payments_decides_nothing(lab: Lab, visit: Visit) -> None:
    intent = lab.bonus(visit)
    lab.sim.fault("commit_then_drop", path=PAY, method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(intent)
    lab.sim.fault("stale_read", path="/submissions/", method="GET", times=1)
    later(lab)

    assert lab.look_up(intent).result is LookUpResult.UNKNOWN
    assert lab.look_up(intent).result is LookUpResult.DONE
