"""The pages of platforms in a real browser: accessible, narrow, by the keyboard alone."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from annotation.models import Intent, Listing, Visit
from tests.browser.inspecting import WINDOWS, Inspector
from tests.browser.test_researcher import Desk
from tests.support.factories import join
from tests.support.remote_side import Remote, install, make_listing, make_visit
from tests.support.researcher_pages import url

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Remote:
    return install(monkeypatch, tmp_path / "ledger")


def offered() -> tuple[Listing, Listing]:
    """A draft, and a listing whose people have handed in."""
    draft = make_listing(n_places=20)
    out = make_listing(study=draft.study, n_places=6)
    now = timezone.now()
    Listing.objects.filter(pk=out.pk).update(state="published", published_at=now)
    kinds: list[dict[str, Any]] = [
        {"outcome": "completed"},
        {"outcome": "completed"},
        {"outcome": "failed_checks"},
        {"outcome": "screened_out"},
        {"outcome": "failed_checks", "doubt": "The receipt is of another visit."},
        {"outcome": "", "state": "working", "ended_at": None},
    ]
    for n, columns in enumerate(kinds):
        if columns["outcome"] == "completed":
            columns["run"] = join(out.study).assignment.runs.get()
        visit = make_visit(out, f"3ABCD{n}", **{"state": "ended", "ended_at": now, **columns})
        Visit.objects.filter(pk=visit.pk).update(created_at=now - timedelta(minutes=9 + 3 * n))
    Intent.objects.create(
        listing=out,
        visit=out.visits.earliest("pk"),
        kind="bonus",
        reason_code="extra",
        currency="USD",
        pays=Decimal("0.50"),
        fee=Decimal("0.10"),
        commits=Decimal("0.60"),
        state="needs_person",
        error="The platform has given no clear answer for a day.",
        attempts=1,
        planned_at=now,
        first_sent_at=now,
    )
    return draft, out


def tab_to(page: Page, selector: str) -> None:
    """Move the focus there by the keyboard alone."""
    for _n in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"the keyboard does not reach {selector}")


@pytest.mark.slow
def test_publishing_and_approving_by_the_keyboard_alone(
    browser: Browser, live_server: Any, remote: Remote
) -> None:
    draft, out = offered()
    study = draft.study

    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        page.goto(url(study, "listing", draft.pk))
        tab_to(page, "a[href$='/publish/']")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Publish listing 1", level=1).wait_for()
        tab_to(page, "input[name=typed]")
        page.keyboard.type("36,00")
        page.keyboard.press("Enter")
        page.get_by_text("Listing 1 is being published.").wait_for()

        page.goto(url(study, "visits"))
        # The two clean ones are chosen; whoever decides takes one of them out again.
        expect(page.locator("input[name=visit]:checked")).to_have_count(2)
        tab_to(page, "input[name=visit]:checked")
        page.keyboard.press("Space")
        tab_to(page, "main button[type=submit], #content form[action$='/decide/'] button")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Approve: 1 visit?").wait_for()
        tab_to(page, "#content form button[type=submit]")
        page.keyboard.press("Enter")
        page.get_by_text("Approve: 1 visit.").wait_for()
        assert desk.complaints == []

    assert Listing.objects.get(pk=draft.pk).state == Listing.State.PUBLISHING
    assert out.intents.filter(kind="approve").count() == 1


def test_axe_finds_nothing_on_any_of_the_pages(
    browser: Browser, live_server: Any, remote: Remote
) -> None:
    draft, out = offered()
    study = draft.study
    remote.obstacles = ["Give a title: people see it in the list of tasks."]
    intent, axe = Intent.objects.get(), Inspector(*WINDOWS)
    doubtful = out.visits.exclude(doubt="").get()

    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        for name, address in {
            "platforms": url(study, "platforms"),
            "dry-run": url(study, "dry_run"),
            "draft": url(study, "listing", draft.pk),
            "publish-obstacles": url(study, "listing_publish", draft.pk),
            "published": url(study, "listing", out.pk),
            "top-up": url(study, "listing_top_up", out.pk) + "?n=10",
            "wage": url(study, "listing_wage", out.pk) + "?floor=15",
            "visits": url(study, "visits"),
            "visits-failed": url(study, "visits") + "?show=failed",
            "visit": url(study, "visit", doubtful.pk),
            "ledger": url(study, "ledger"),
            "settle": url(study, "settle", intent.pk),
        }.items():
            page.goto(address)
            axe.look(page, f"platforms-{name}")
        remote.obstacles = []
        page.goto(url(study, "listing_publish", draft.pk))
        page.get_by_label("Type the sum to confirm").fill("36,0001")
        page.get_by_role("button", name="Publish").click()
        page.get_by_text(
            "Enter only the amount, with at most two decimals and no thousands separator"
        ).wait_for()
        axe.look(page, "platforms-publish")
        page.goto(url(study, "visits"))
        page.get_by_label("reject", exact=True).check()
        page.get_by_role("button", name="Continue").click()
        page.get_by_label("Kind of reason").wait_for()
        page.get_by_role("button", name="Confirm").click()
        page.get_by_role("alert").wait_for()
        axe.look(page, "platforms-decide")
        page.goto(url(study, "listing", draft.pk))
        page.get_by_label("Countries").fill("Germany")
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Nothing was saved. Please correct the marked").wait_for()
        axe.look(page, "platforms-draft-wrong")
    assert not axe.found, "\n".join(axe.found)
