"""The researcher's pages in a real browser: accessible, within the policy, alive."""

import random
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from annotation.answering.services import assignments, rosters
from annotation.answering.services.rosters import RosterEntry
from annotation.basics import keys
from annotation.core.services import jobs, tokens, workers
from annotation.designs.services import designs
from annotation.items.services import lexical
from annotation.kinds.services.design_rows import add_places
from annotation.models import Job, Study
from annotation.models.kinds import Source
from annotation.monitoring.services import live
from annotation.people.services import exclusions
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from annotation.studies.services import studies
from tests.browser.arriving import PATIENCE, arrive, no_timers, settled
from tests.browser.inspecting import shoot
from tests.support import release_studies
from tests.support.answering import answer_one
from tests.support.designed_ratings import rating_study
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.researcher_pages import url

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


class Desk:
    """A signed-in researcher's browser, which remembers what its console complained about."""

    def __init__(self, browser: Browser, base: str, user: User, **options) -> None:
        self.context = browser.new_context(base_url=base, **options)
        self.context.set_default_timeout(PATIENCE * 1000)
        self.complaints: list[str] = []
        client = Client()
        client.force_login(user)
        cookie = client.cookies["sessionid"]
        self.context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": base}])
        self.page: Page = self.context.new_page()
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _heard(self, message) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def __enter__(self) -> "Desk":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


def answer_at_random(study: Study, source: Source, seed: int) -> None:
    rng = random.Random(seed)
    joined = assignments.join(
        study=study,
        nonce=keys.new_nonce(),
        consent=studies.current_consent(study),
        source=source,
    )
    for question in joined.assignment.booklet.questions.all():
        best, worst = rng.sample(range(3), 2)
        if rng.random() < 0.6:
            best, worst = 0, 2
        answer_one(joined.assignment, question, best=best, worst=worst)
    joined.assignment.judgments.update(active_ms=9000 + seed)
    assignments.submit(assignment=joined.assignment)


def collected(user: User) -> Study:
    """A study with answers of people and simulated ones, and results of both."""
    study = make_open_study(
        owner=user, dialogues=6, parameters={"screens_per_booklet": 15, "annotations_per_tuple": 4}
    )
    Study.objects.filter(pk=study.pk).update(title="Wie ähnlich sind Antworten?", language="de")
    rosters.add_roster(study=study, entries=[RosterEntry("s17", "Ada Lovelace")])
    add_places(booklets=study.design.booklets.all(), source=Source.SIMULATED, up_to=2)
    for number in range(5):
        answer_at_random(study, Source.REAL, number)
    for number in range(2):
        answer_at_random(study, Source.SIMULATED, 100 + number)
    person = study.annotators.filter(source=Source.REAL, person=None).first()
    exclusions.exclude(annotator=person, reason="clicked at random", by=user)
    for population in ("people", "simulated"):
        job = jobs.start(study=study, kind=Job.Kind.SCORE, parameters={"population": population})
        jobs.run(job.pk)
    study.refresh_from_db()
    return study


def problems_of(page: Page) -> list[str]:
    arrive(page)
    settled(page)
    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {[node['target'] for node in v['nodes']][:3]}" for v in found]


def pages_of(user: User) -> dict[str, str]:
    """An address for every page of ours, in the states that look different."""
    draft, study = make_study(owner=user), collected(user)
    made = make_study(owner=user, preset="best-worst", dialogues=3, candidates=6)
    designs.make(design=made.design)
    rated = rating_study(
        owner=user, preset="sts-context", pairs=60, groups=20, calibration=(0, 3, 6)
    )
    designs.make(design=rated.design)
    labelled = rating_study(owner=user, preset="labels", pairs=6, groups=2)
    designs.make(design=labelled.design)
    broken = make_study(owner=user, candidates=2)
    failed = jobs.start(study=broken, kind=Job.Kind.MAKE_DESIGN)
    jobs.run(failed.pk)
    waiting = jobs.start(study=draft, kind=Job.Kind.MAKE_DESIGN)
    person = study.annotators.filter(source=Source.REAL, person=None).last()
    live.watch()
    token = tokens.make(user=user, name="a program", can_write=True).token
    return {
        "overview": reverse("admin:index"),
        "add": reverse("admin:annotation_study_add"),
        "token": reverse("admin:api_token"),
        "token-revoke": reverse("admin:api_token_revoke", args=[token.pk]),
        "desk-draft": url(draft, "change"),
        "desk-made": url(made, "change"),
        "desk-open": url(study, "change"),
        "live": url(study, "live"),
        "live-made": url(made, "live"),
        "desk-failed": url(broken, "change"),
        "describe-draft": url(draft, "describe"),
        "describe-frozen": url(study, "describe"),
        "items-draft": url(made, "items"),
        "items-frozen": url(study, "items"),
        "design-draft": url(draft, "design"),
        "design-made": url(made, "design"),
        "design-frozen": url(study, "design"),
        "desk-ratings": url(rated, "change"),
        "describe-ratings": url(rated, "describe"),
        "design-ratings": url(rated, "design"),
        "open-ratings": url(rated, "open"),
        "desk-labels": url(labelled, "change"),
        "describe-labels": url(labelled, "describe"),
        "items-labels": url(labelled, "items"),
        "design-labels": url(labelled, "design"),
        "open-labels": url(labelled, "open"),
        "plan": url(made, "plan"),
        "plan-ratings": url(rated, "plan"),
        "pilots": url(made, "pilots"),
        "sample": url(rated, "sample"),
        "alerts": url(study, "alerts"),
        "privacy": url(study, "privacy"),
        "person": url(study, "person", person.pk),
        "release-new": url(study, "release_new"),
        "open": url(made, "open"),
        "open-refused": url(draft, "open"),
        "pause": url(study, "pause"),
        "finish": url(study, "finish"),
        "collect": url(study, "collect"),
        "booklets": url(study, "booklets"),
        "roster": url(study, "roster"),
        "people": url(study, "people"),
        "people-simulated": f"{url(study, 'people')}?population=simulated",
        "exclude": url(study, "exclude", person.pk),
        "results": url(study, "results"),
        "results-simulated": f"{url(study, 'results')}?population=simulated",
        "results-none": url(made, "results"),
        "result-items": f"{url(study, 'result_items')}?sort=-score",
        "download": url(study, "download"),
        "share": url(study, "share"),
        "history": url(study, "history"),
        "delete": url(draft, "delete"),
        "job-waiting": url(draft, "job", waiting.pk),
        "job-failed": url(broken, "job", failed.pk),
        "try": url(made, "try"),
        "try-instructions": url(made, "try_instructions"),
        "try-screen": url(made, "try_screen", 1, 1),
        "try-thanks": url(made, "try_thanks"),
    }


@pytest.mark.slow
def test_the_first_page_of_a_new_researcher(browser: Browser, live_server) -> None:
    workers.seen()

    with Desk(browser, live_server.url, make_user()) as desk:
        desk.page.goto(reverse("admin:index"))
        shoot(desk.page, "overview-empty")

        assert problems_of(desk.page) == []
        desk.page.get_by_role("link", name="New study").click()
        desk.page.get_by_label("Title").fill("My first study")
        desk.page.get_by_label("GiCCS").check()
        desk.page.get_by_role("button", name="Create the study").click()
        expect(desk.page.get_by_role("heading", level=1)).to_have_text("My first study")
        assert desk.complaints == []


@pytest.mark.slow
def test_a_file_with_problems_and_a_preview(browser: Browser, live_server, tmp_path) -> None:
    study = make_study(dialogues=0)
    bad, good = tmp_path / "bad.jsonl", tmp_path / "good.tsv"
    bad.write_text('{"id": "a"}\nnot json\n')
    good.write_text(
        "id\ttarget\tcandidate\n" + "".join(f"p{n}\tא\u05b8 {n}\tb\n" for n in range(9))
    )

    with Desk(browser, live_server.url, study.owner) as desk:
        desk.page.goto(url(study, "items"))
        desk.page.get_by_label("File (UTF-8").set_input_files(bad)
        desk.page.get_by_role("button", name="Upload and preview").click()
        expect(desk.page.get_by_role("alert")).to_contain_text("line 2: broken JSON")
        shoot(desk.page, "items-problems")
        assert problems_of(desk.page) == []

        desk.page.get_by_label("File (UTF-8").set_input_files(good)
        desk.page.get_by_role("button", name="Upload and preview").click()
        expect(desk.page.locator("#content")).to_contain_text("9 pairs")
        shoot(desk.page, "import-preview")
        assert problems_of(desk.page) == []


@pytest.mark.slow
def test_a_job_moves_on_while_somebody_watches(browser: Browser, live_server) -> None:
    study = make_study()
    job = jobs.start(study=study, kind=Job.Kind.MAKE_DESIGN)

    with Desk(browser, live_server.url, study.owner) as desk:
        desk.page.goto(url(study, "job", job.pk))
        expect(desk.page.get_by_text("No background worker is running.")).to_be_visible()
        workers.seen()
        desk.page.get_by_text("No background worker is running.").wait_for(state="hidden")
        Job.objects.filter(pk=job.pk).update(progress=0.4, message="drawing tuples: pool 1 of 2")
        desk.page.get_by_text("drawing tuples: pool 1 of 2").wait_for()
        jobs.run(job.pk)
        desk.page.get_by_role("link", name="Read the certificate").wait_for()
        assert desk.complaints == []


@pytest.mark.slow
def test_the_heading_of_a_job_says_what_has_become_of_it(browser: Browser, live_server) -> None:
    study = make_study()
    workers.seen()
    job = jobs.start(study=study, kind=Job.Kind.MAKE_DESIGN)

    # On the desk, which is not loaded anew when the work ends.
    with Desk(browser, live_server.url, study.owner) as desk:
        desk.page.goto(url(study, "change"))
        heading = desk.page.locator(f"#job-{job.pk}")
        expect(heading).to_have_text("Make the design: queued")
        Job.objects.filter(pk=job.pk).update(
            state=Job.State.RUNNING, heartbeat_at=timezone.now(), started_at=timezone.now()
        )
        expect(heading).to_have_text("Make the design: running")
        jobs.cancel(job=job, by=study.owner)
        expect(heading).to_have_text("Make the design: cancelled")
        expect(desk.page.get_by_role("button", name="Cancel")).to_be_hidden()
        assert desk.complaints == []


@pytest.mark.slow
def test_excluding_somebody_is_within_reach_on_a_phone(browser: Browser, live_server) -> None:
    study = collected(make_user())

    with Desk(
        browser, live_server.url, study.owner, viewport={"width": 360, "height": 780}
    ) as desk:
        desk.page.goto(url(study, "people"))
        for link in desk.page.get_by_role("link", name="Exclude").all():
            left, right = link.evaluate("e => [e.offsetLeft, e.getBoundingClientRect().right]")
            assert left >= 0
            assert right <= 360
        cell = desk.page.get_by_role("cell").filter(has_text="submitted").first
        label = cell.evaluate("cell => getComputedStyle(cell, '::before').content")
        assert label == '"State"'


@pytest.mark.slow
def test_lexical_statistics_are_read_without_scrolling_sideways_on_a_phone(
    browser: Browser, live_server
) -> None:
    study = make_study(dialogues=4)
    study.contexts.filter(key="d1").update(source="the subtitles of a film with a long name")
    lexical.compute_here(study=study)

    with Desk(
        browser, live_server.url, study.owner, viewport={"width": 360, "height": 780}
    ) as desk:
        desk.page.goto(url(study, "items"))
        statistics = desk.page.locator("#lexical")
        statistics.locator("summary").first.click()
        table = statistics.locator("[data-lexical=contexts]")
        assert table.evaluate("e => e.scrollWidth <= e.clientWidth")
        assert desk.page.evaluate("document.documentElement.scrollWidth") <= 360
        for cell in table.locator("[data-level=all] td").all():
            left, right = cell.evaluate(
                "e => [e.getBoundingClientRect().left, e.getBoundingClientRect().right]"
            )
            assert 0 <= left < right <= 360
            assert cell.evaluate("e => getComputedStyle(e, '::before').content") != "none"
        assert desk.complaints == []


@pytest.mark.slow
def test_progress_survives_a_reload_and_what_is_typed_beside_it_survives_the_end(
    browser: Browser, live_server
) -> None:
    study = make_study()
    workers.seen()
    job = jobs.start(study=study, kind=Job.Kind.MAKE_DESIGN)
    Job.objects.filter(pk=job.pk).update(progress=0.4, message="drawing tuples: pool 1 of 2")

    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        page.goto(url(study, "design"))
        page.reload()
        bar = page.get_by_role("progressbar", name="Make the design")
        assert bar.get_attribute("value") == "40"
        page.get_by_label("People per tuple").fill("7")
        jobs.run(job.pk)
        page.get_by_role("link", name="Finished. See the result").wait_for()
        assert page.get_by_label("People per tuple").input_value() == "7"
        assert desk.complaints == []


def test_a_file_that_is_too_large_is_refused_before_it_travels(
    browser: Browser, live_server, settings, tmp_path
) -> None:
    settings.IMPORT_LIMIT_BYTES = 100
    study = make_study(dialogues=0)
    file = tmp_path / "large.txt"
    file.write_text("word\n" * 50)

    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        page.goto(url(study, "items"))
        page.get_by_label("File (UTF-8").set_input_files(file)
        page.get_by_role("alert").wait_for()
        page.get_by_role("button", name="Upload and preview").click()
        assert page.url.endswith(url(study, "items"))
        assert desk.complaints == []


@pytest.mark.slow
def test_the_consequences_follow_the_numbers(browser: Browser, live_server) -> None:
    study = make_study()

    with Desk(browser, live_server.url, study.owner) as desk:
        desk.page.goto(url(study, "design"))
        desk.page.get_by_label("People per tuple").fill("7")
        desk.page.get_by_text("With 7 people per tuple").wait_for()
        desk.page.get_by_label("Items shown together").fill("6")
        desk.page.get_by_text("cannot fill a tuple of 6").wait_for()
        assert desk.complaints == []


@pytest.mark.slow
def test_personal_links_are_accessible_and_downloaded(browser: Browser, live_server) -> None:
    study = make_open_study()

    with Desk(browser, live_server.url, study.owner) as desk:
        desk.page.goto(url(study, "roster"))
        desk.page.get_by_label("Ids or names, one per line").fill("Ada\nBen")
        desk.page.get_by_role("button", name="Add people and show their links").click()
        desk.page.get_by_role("button", name="Download as CSV").wait_for()
        shoot(desk.page, "links")
        assert problems_of(desk.page) == []
        with desk.page.expect_download() as download:
            desk.page.get_by_role("button", name="Download as CSV").click()
        rows = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
        assert [row.split(",")[0] for row in rows] == ["id", "Ada", "Ben"]
        assert desk.complaints == []


@pytest.mark.slow
def test_the_open_link_is_copied(browser: Browser, live_server) -> None:
    study = make_open_study()

    with Desk(
        browser, live_server.url, study.owner, permissions=["clipboard-read", "clipboard-write"]
    ) as desk:
        desk.page.goto(url(study, "collect"))
        no_timers(desk.page)  # the label that says so goes away after a while
        desk.page.locator("[data-copy=open-link]").click()
        desk.page.get_by_role("button", name="Copied").wait_for()
        expect(desk.page.locator("[data-copy=open-link]")).to_be_focused()
        expect(desk.page.locator("#copy-status")).to_have_text("Copied")
        copied = desk.page.evaluate("navigator.clipboard.readText()")
        assert copied.endswith(reverse("annotator:join", args=[study.join_token]))


@pytest.mark.slow
def test_a_browser_that_does_not_copy_leaves_it_to_the_keyboard(
    browser: Browser, live_server
) -> None:
    study = make_open_study()

    with Desk(browser, live_server.url, study.owner) as desk:
        desk.page.goto(url(study, "collect"))
        refuse = "navigator.clipboard.writeText = () => Promise.reject(Error())"
        desk.page.evaluate(f"() => {{ {refuse}; }}")
        field = desk.page.locator("#open-link")
        desk.page.locator("[data-copy=open-link]").click()

        said = desk.page.locator("#copy-status")
        expect(said).to_contain_text("Ctrl+C")
        expect(desk.page.locator("[data-copy=open-link] + span")).to_have_text(said.inner_text())
        expect(field).to_be_focused()
        assert field.evaluate("field => field.selectionEnd") == len(field.input_value())
        assert problems_of(desk.page) == []


@pytest.mark.slow
def test_a_previewed_text_is_kept_in_the_form(browser: Browser, live_server) -> None:
    study = make_study()

    with Desk(browser, live_server.url, study.owner) as desk:
        desk.page.goto(url(study, "describe"))
        desk.page.get_by_label("Instructions").fill("Read **all** of it.")
        desk.page.get_by_role("button", name="Preview").click()
        desk.page.locator(".preview strong").first.wait_for()
        shoot(desk.page, "describe-preview")
        assert desk.page.get_by_label("Instructions").input_value() == "Read **all** of it."
        assert problems_of(desk.page) == []
        assert desk.complaints == []


@pytest.mark.slow
def test_the_walk_through_says_what_is_missing_and_goes_on(browser: Browser, live_server) -> None:
    study = make_open_study()

    with Desk(browser, live_server.url, study.owner) as desk:
        desk.page.goto(url(study, "try_screen", 1, 1))
        arrive(desk.page)
        desk.page.keyboard.press("Enter")
        missing = desk.page.get_by_text("Choose the most similar one and the least similar one.")
        missing.first.wait_for()
        shoot(desk.page, "try-screen-missing")
        for question in desk.page.locator(".question").all():
            question.locator(".pick-best").nth(0).click()
            question.locator(".pick-worst").nth(1).click()
        desk.page.get_by_role("link", name="Next").click()
        desk.page.wait_for_url(f"**{url(study, 'try_screen', 1, 2)}")
        assert desk.complaints == []


@pytest.mark.slow
def test_the_methods_of_a_release_are_copied(browser: Browser, live_server) -> None:
    study = release_studies.best_worst()
    described = Description.of({"title": "Replies", "authors": [{"name": "Ada"}]})
    job = releases.make_here(study=study, description=described, by=study.owner)
    assert job.state == "done", job.problems

    with Desk(
        browser, live_server.url, study.owner, permissions=["clipboard-read", "clipboard-write"]
    ) as desk:
        desk.page.goto(url(study, "paper"))
        for name in ("methods-md", "tables-tex", "references-bib"):
            desk.page.locator(f"[data-copy={name}]").click()
            desk.page.get_by_role("button", name="Copied").first.wait_for()
            copied = desk.page.evaluate("navigator.clipboard.readText()")
            assert copied == desk.page.locator(f"#{name}").input_value()
        assert desk.complaints == []


@pytest.mark.slow
def test_a_personal_link_is_copied_with_the_keyboard_on_a_phone(
    browser: Browser, live_server
) -> None:
    study = make_open_study()

    with Desk(
        browser, live_server.url, study.owner, permissions=["clipboard-read", "clipboard-write"]
    ) as desk:
        desk.page.set_viewport_size({"width": 360, "height": 640})
        desk.page.goto(url(study, "roster"))
        desk.page.locator("#entries").fill("s1\ns2")
        desk.page.locator("#content form button[type=submit]").first.click()
        desk.page.get_by_role("button", name="Copy the link of s2").press("Enter")
        desk.page.locator("[data-copy=link-2]", has_text="Copied").wait_for()
        copied = desk.page.evaluate("navigator.clipboard.readText()")
        assert copied == desk.page.locator("#link-2").inner_text()
        assert copied.startswith(live_server.url)
        assert problems_of(desk.page) == []
        assert desk.complaints == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_places_of_a_study_stand_in_one_line_and_the_pages_of_this_one_below(
    browser: Browser, live_server, language: str
) -> None:
    study = make_study()

    with Desk(browser, live_server.url, study.owner, locale=language) as desk:
        desk.page.set_viewport_size({"width": 1280, "height": 800})
        desk.page.goto(url(study, "releases"))
        assert desk.page.locator("html").get_attribute("lang") == language
        for level, n_links in (("places", 6), ("pages", 3)):
            tops = desk.page.locator(f".study-{level} a").evaluate_all(
                "links => links.map((link) => link.getBoundingClientRect().top)"
            )
            assert len(tops) == n_links
            assert len(set(tops)) == 1
