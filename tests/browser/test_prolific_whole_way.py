"""A rating study in two parts on the simulated Prolific, from the first click to the last cent."""

from decimal import Decimal
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from annotation.answering.services import phases
from annotation.core.queries import commitments
from annotation.crowds.services import next_phases, outbox, publishing, reconciling, spending
from annotation.models import Assignment, Intent, Listing, QuestionnaireReply, Study, Visit
from annotation.models.kinds import Outcome
from tests.browser.test_researcher import Desk
from tests.crowds.platforms.prolific_lab import Lab, make_listing, person_id
from tests.crowds.platforms.prolific_lab import lab as lab  # noqa: PLC0414 - a fixture
from tests.crowds.platforms.prolific_spending import SCREENING, work
from tests.questionnaires.forms import AFTER, BEFORE
from tests.support.rating import TWICE, make_rating_study, rate_phase
from tests.support.researcher_pages import url

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

FINISHED, YOUNG, LATE = [person_id(n) for n in range(1, 6)], person_id(6), person_id(7)
MESSAGE = "Your answers came late. Thank you all the same!"
BETWEEN = {"questions": [{"key": "rested", "kind": "text", "text": "Did you rest?"}]}


@pytest.fixture
def study(lab: Lab, live_server: Any, settings: Any) -> Study:
    settings.PUBLIC_URL = live_server.url
    study = make_rating_study(pairs=2, ratings_per_item=8, items_per_booklet=2, phases=TWICE)
    Study.objects.filter(pk=study.pk).update(
        dry_run=False, questionnaires={"before": BEFORE, "between": BETWEEN, "after": AFTER}
    )
    spending.set_cap(study=study, currency="USD", cap=Decimal("60.00"), by=None)
    return Study.objects.get(pk=study.pk)


class Way:
    """The people, each in a browser of their own, and the workers."""

    def __init__(self, lab: Lab, browser: Browser, study: Study) -> None:
        self.lab, self.browser, self.study = lab, browser, study
        self.submissions: dict[str, str] = {}
        self.keys: dict[str, str] = {}

    def publish(self, **columns: Any) -> Listing:
        listing = make_listing(study=self.study, **columns)
        typed = self.lab.platform.estimate(listing).worst
        publishing.publish(listing=listing, typed=typed, by=self.study.owner)
        work(self.lab, n=3, seconds=20)
        listing.refresh_from_db()
        assert listing.state == Listing.State.PUBLISHED
        return listing

    def open(self, listing: Listing, who: str) -> Page:
        """They take a place on Prolific and agree here; what comes next is before them."""
        bot = self.lab.sim.bot(who)
        key, address = bot.take(listing.tickets.get().remote_id)
        self.submissions[who] = key
        page = self.browser.new_page()
        page.goto(address)
        page.locator("button[value=agree]").click()
        page.wait_for_url("**/a/**")
        return page

    def answer_before(self, page: Page, *, age: int) -> None:
        page.wait_for_url("**/about/before/")
        page.get_by_role("textbox", name="How old are you?").fill(str(age))
        page.get_by_label("English").check()
        page.get_by_role("button", name="Continue").click()

    def rate(self, who: str) -> None:
        """The slider is not what this is about."""
        visit = self.visit(who)
        assert visit.run is not None
        rate_phase(visit.run.assignment, send=False)

    def visit(self, who: str) -> Visit:
        return Visit.objects.select_related("run__assignment__annotator", "listing").get(
            submission_id=self.submissions[who]
        )

    def back_to_prolific(self, page: Page, who: str) -> None:
        address = page.locator("a[href*='cc=']").first.get_attribute("href")
        assert address
        self.lab.sim.bot(who).follow(address).close()
        page.close()

    def first_part(self, listing: Listing, who: str) -> Page:
        page = self.open(listing, who)
        self.answer_before(page, age=30)
        page.wait_for_url("**/instructions/")
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/s/1/")
        self.rate(who)
        return page

    def send(self, page: Page) -> None:
        page.goto(page.url.split("/s/")[0] + "/overview/")
        page.get_by_role("button", name="Send my answers").click()
        page.locator("a[href*='cc=']").first.wait_for()

    def second_part(self, listing: Listing, who: str) -> None:
        page = self.open(listing, who)
        page.get_by_role("link", name="Begin the next part").click()
        page.wait_for_url("**/about/between/")
        page.get_by_role("textbox", name="Did you rest?").fill("yes")
        page.get_by_role("button", name="Continue").click()
        page.wait_for_url("**/s/1/")
        self.rate(who)
        page.goto(page.url.split("/s/")[0] + "/overview/")
        page.get_by_role("link", name="Continue with the last questions").click()
        page.wait_for_url("**/about/after/")
        page.get_by_role("group", name="How hard was it?").get_by_label("2").check()
        for row in ("It was clear", "It was fun"):
            page.get_by_role("group", name=row).get_by_label("yes").check()
        page.get_by_role("button", name="Send my answers").click()
        page.locator("a[href*='cc=']").first.wait_for()
        self.back_to_prolific(page, who)

    def status(self, who: str) -> str:
        return str(self.lab.sim.submission(self.submissions[who])["status"])


def approve_everybody(browser: Browser, base: str, study: Study) -> None:
    with Desk(browser, base, study.owner) as desk:
        desk.page.goto(url(study, "visits"))
        desk.page.get_by_role("button", name="Approve", exact=False).first.click()
        desk.page.wait_for_load_state()
        assert desk.complaints == []


def write_to(browser: Browser, base: str, study: Study, visit: Visit) -> None:
    with Desk(browser, base, study.owner) as desk:
        desk.page.goto(url(study, "visit", visit.pk))
        messages = desk.page.get_by_role("region", name="Messages with this person")
        messages.get_by_role("textbox").fill(MESSAGE)
        messages.get_by_role("button", name="Send the message").click()
        desk.page.get_by_text("The message is on its way.").wait_for()
        assert desk.complaints == []


def test_the_whole_way(lab: Lab, browser: Browser, live_server: Any, study: Study) -> None:
    way = Way(lab, browser, study)
    options = {**SCREENING, "workspace": lab.sim.workspace}
    first = way.publish(n_places=8, options=options)

    for who in FINISHED:
        page = way.first_part(first, who)
        way.send(page)
        way.back_to_prolific(page, who)
    # One is too young, is told so, and is paid for coming.
    page = way.open(first, YOUNG)
    way.answer_before(page, age=17)
    page.locator("a[href*='cc=']").first.wait_for()
    way.back_to_prolific(page, YOUNG)
    assert QuestionnaireReply.objects.filter(screened_out=True).count() == 1
    # One leaves the last page open for longer than Prolific waits, and hands in all the same.
    page = way.first_part(first, LATE)
    way.send(page)
    work(lab, n=4, hours=1)
    assert way.status(LATE) == "TIMED-OUT"
    way.back_to_prolific(page, LATE)
    work(lab, n=2)
    assert way.status(LATE) == "AWAITING REVIEW"

    approve_everybody(browser, live_server.url, study)
    work(lab)
    assert [way.status(who) for who in FINISHED] == ["APPROVED"] * 5
    assert way.status(YOUNG) == "SCREENED OUT"

    write_to(browser, live_server.url, study, way.visit(LATE))
    work(lab, n=1, minutes=1)
    assert lab.sim.bot(LATE).messages() == [MESSAGE]

    # Three days later the second part is open for those who completed the first.
    second = way.publish(n_places=6, phase_number=2, options={"workspace": lab.sim.workspace})
    lab.advance(hours=73)
    next_phases.grant_due()
    work(lab, n=2, minutes=1)
    for who in FINISHED:
        way.second_part(second, who)
    work(lab, n=2)
    approve_everybody(browser, live_server.url, study)
    work(lab)

    for listing in (first, second):
        publishing.close(listing=listing, by=study.owner)
    for _ in range(6):
        lab.advance(days=10)
        outbox.send_due()
        publishing.close_left_open()
        Listing.objects.update(polled_at=None)
        reconciling.poll_due()
    assert not Intent.objects.unsettled().exists()
    spent = Decimal(lab.sim.spent()) / 100
    assert commitments.committed(study, "USD") == spent
    # Eleven rewards of 1.50 and one of 0.20 for being screened out, each with a fee of a third.
    assert spent == Decimal("22.27")
    assert lab.sim.spent(submission=way.submissions[YOUNG]) == 27
    assert lab.sim.spent(submission=way.submissions[LATE]) == 200
    done = Assignment.objects.filter(state=Assignment.State.SUBMITTED)
    assert done.count() == 5
    assert all(phases.latest(each).phase.number == 2 for each in done)
    assert Visit.objects.filter(outcome=Outcome.SCREENED_OUT).count() == 1
