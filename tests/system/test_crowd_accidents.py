"""What goes wrong between people, a platform and us: nothing lost, nothing mixed up, refilled."""

from datetime import timedelta
from pathlib import Path

import pytest

from annotation.simulation.browser import read
from tests.simulators.mturk import Steering
from tests.simulators.mturk.bot import BotRefusedError, Task, WorkerBot
from tests.system.crowding import GOOD, Crowd, Researcher, mturk_beside, places
from tests.system.servers import Installation
from tests.system.test_crowd_mturk import open_giccs

# Our clock is the real one: what happened just now is made to have happened a while ago.
LONG_AGO = """
from datetime import timedelta
from django.db.models import F
from annotation.models import Visit
ago = timedelta(hours=26)
Visit.objects.filter(person__platform_id="{worker}").update(created_at=F("created_at") - ago)
"""


def bot(simulator: Steering, name: str) -> WorkerBot:
    simulator.add_worker(name, **GOOD)
    return WorkerBot(simulator.worker_site, name)


def agree(bot: WorkerBot, task: Task) -> tuple[int, str]:
    """Come in and agree; the status and the text of what is shown then."""
    page = bot.open(task)
    form = read(page.status, page.url, page.text).form()
    assert form is not None, page.text
    after = bot.fetch("POST", form.action, form={**form.fields, "do": "agree"})
    return after.status, after.text


def visits_of(installation: Installation, name: str) -> list[tuple[str, str, str, int, bool]]:
    """State, remote state, outcome, answers and whether it is in doubt, in the order of coming."""
    return [
        (state, remote, outcome, n, bool(doubt))
        for state, remote, outcome, doubt, n in installation.query(
            "select v.state, v.remote_state, v.outcome, v.doubt,"
            " (select count(*) from annotation_judgment j join annotation_phaserun r"
            "  on r.assignment_id = j.assignment_id where r.id = v.run_id)"
            " from annotation_visit v join annotation_person p on p.id = v.person_id"
            f" where p.platform_id = '{name}' order by v.id"
        )
    ]


@pytest.mark.timeout(600)
def test_no_judgment_is_lost_or_mixed_up_and_places_are_refilled(  # noqa: PLR0915 - one story
    sqlite: Installation, tmp_path: Path
) -> None:
    with mturk_beside(sqlite) as simulator:
        sqlite.serve("--no-demo")
        open_giccs(sqlite, tmp_path, dialogues=4)
        researcher = Researcher(sqlite, "giccs")
        listing = researcher.offer_on_mturk(
            reward="2.50", least_approval_rate="98", least_approved="100", locales="DE"
        )
        researcher.spend_up_to("100.00", "USD")
        researcher.publish(listing)
        crowd = Crowd.of(sqlite, "giccs")
        nine, one = places(sqlite)[0], places(sqlite)[9]
        assert nine != one

        # Left lying after the first screen, until its deadline.
        nobody = bot(simulator, "ANOBODY")
        abandoned = nobody.accept(*nine)
        assert crowd.answer(nobody, abandoned, screens=1) == {}

        # Returned after coming in; the platform hands the same id on to somebody else.
        first, second = bot(simulator, "AONE"), bot(simulator, "ATWO")
        returned = first.accept(*nine)
        assert agree(first, returned)[0] == 200
        first.give_back(returned)
        handed_on = second.accept(*nine)
        assert handed_on.assignment_id == returned.assignment_id
        assert second.submit(handed_on, crowd.answer(second, handed_on)) == "submitted"

        # Two HITs at once: the second is refused before any work.
        third = bot(simulator, "ATHREE")
        begun, other = third.accept(*nine), third.accept(*one)
        assert agree(third, begun)[0] == 200
        assert agree(third, other)[0] == 409
        third.give_back(other)
        assert third.submit(begun, crowd.answer(third, begun)) == "submitted"

        # The worker sees a success, and the platform has nothing.
        fourth = bot(simulator, "AFOUR")
        simulator.fault("lose_external_submit", worker="AFOUR")
        lost_there = fourth.accept(*nine)
        fourth.submit(lost_there, crowd.answer(fourth, lost_there))

        # The time is over there: what was left lying, and what was lost, goes back to the HIT.
        simulator.advance(timedelta(minutes=61))
        with pytest.raises(BotRefusedError, match="too_late"):
            nobody.submit(abandoned, {"done": "yes"})
        sqlite.python(LONG_AGO.format(worker="ANOBODY"))

        # Handed in without a word to us.
        fifth = bot(simulator, "AFIVE")
        assert fifth.submit(fifth.accept(*nine), {"done": "yes"}) == "submitted"

        # Rejected, and the rejection taken back.
        sixth = bot(simulator, "ASIX")
        assert sixth.work(crowd.answer, *nine) == "submitted"

        researcher.poll()

        n = 20
        [(state, _remote, _outcome, none, _doubt)] = visits_of(sqlite, "AONE")
        assert (state, none) == ("closed", 0)
        assert visits_of(sqlite, "ATWO") == [("ended", "submitted", "completed", n, False)]
        assert visits_of(sqlite, "ATHREE") == [("ended", "submitted", "completed", n, False)]
        # What was answered stays where it is, by itself, and nobody is asked to pay for it.
        assert visits_of(sqlite, "ANOBODY") == [("closed", "", "", 2, False)]
        # Its answers are here, and wait for the platform.
        assert visits_of(sqlite, "AFOUR") == [("ended", "", "completed", n, False)]
        [(state, remote, outcome, none, doubt)] = visits_of(sqlite, "AFIVE")
        assert (state, remote, outcome, none, doubt) == ("remote", "submitted", "", 0, True)

        [[visit]] = sqlite.query(
            "select v.id from annotation_visit v join annotation_person p on p.id = v.person_id"
            " where p.platform_id = 'ASIX'"
        )
        chosen = researcher.press(
            researcher.page("platforms/visits/"), "/decide/", visit=[visit], action="reject"
        )
        researcher.press(chosen, visit=[visit], reason="Nothing was done in this task at all.")
        researcher.wait(lambda: researcher.states() == {"confirmed"})
        researcher.poll()
        assert visits_of(sqlite, "ASIX")[0][1] == "rejected"
        page = researcher.page(f"platforms/visits/{visit}/")
        overturn = next(form for form in page.forms if form.fields.get("do") == "overturn")
        researcher.send(overturn, {})
        researcher.wait(lambda: researcher.states() == {"confirmed"})
        researcher.poll()
        assert visits_of(sqlite, "ASIX") == [("ended", "approved", "completed", n, False)]

        # The places of those who left are there for others: the design's ten, but for the one
        # that waits for the platform, and those that are taken.
        for number in range(6):
            assert bot(simulator, f"AMORE{number}").work(crowd.answer) == "submitted"
        researcher.poll()
        counted = sqlite.query("select count(*) from annotation_phaserun where is_counted")
        assert counted == [(3 + 6,)]
        left_over = sqlite.query(
            "select count(*) from annotation_place p where not exists"
            " (select 1 from annotation_phaserun r join annotation_assignment a"
            "  on a.id = r.assignment_id where a.place_id = p.id and r.completed_at is not null)"
        )
        assert left_over == [(0,)]
        mixed = sqlite.query(
            "select count(*) from (select assignment_id, question_id from annotation_judgment"
            " where superseded_at is null group by 1, 2 having count(*) > 1) as twice"
        )
        assert mixed == [(0,)]
        assert {row["worker_id"] for row in simulator.ledger("reward")} == {"ASIX"}
