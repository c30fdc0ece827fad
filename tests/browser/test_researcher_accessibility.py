"""axe on every page of the researcher's that is ours, in every state that looks different."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser

from annotation.answering.services import consents
from annotation.core.queries import counted_answers
from annotation.core.services import jobs, workers
from annotation.designs.services import designs
from annotation.items.services import uploads
from annotation.models import AlertDelivery, Job, Study
from annotation.models.kinds import Source
from annotation.monitoring.services import alert_channels
from annotation.people.services import exclusions
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from annotation.studies.services import studies
from tests.answering.test_consent_anew import WHAT_IS_NEW, publish
from tests.browser.inspecting import WINDOWS, Inspector
from tests.browser.test_researcher import Desk, collected, pages_of
from tests.support.factories import join, make_open_study, make_study, make_user
from tests.support.labelled import adjudicate, label_all, make_label_study, said_of, score
from tests.support.rating import TWICE
from tests.support.researcher_pages import url
from tests.support.text_columns import columns_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def axe() -> Iterator[Inspector]:
    inspector = Inspector(*WINDOWS)
    yield inspector
    assert not inspector.found, "\n".join(inspector.found)


@pytest.fixture
def user() -> User:
    return make_user("grace", first_name="Grace")


@pytest.fixture
def desk(browser: Browser, live_server: Any, user: User) -> Iterator[Desk]:
    with Desk(browser, live_server.url, user) as desk:
        yield desk
    expected = "the server responded with a status of 4"
    assert [said for said in desk.complaints if expected not in said] == []


def look_at_all(desk: Desk, axe: Inspector, addresses: dict[str, str]) -> None:
    for name, address in addresses.items():
        desk.page.goto(address)
        axe.look(desk.page, name)


@pytest.mark.timeout(900)  # some forty pages, each with axe
def test_every_page_in_its_usual_states(desk: Desk, axe: Inspector, user: User) -> None:
    look_at_all(desk, axe, pages_of(user))


def test_every_page_that_is_still_empty(desk: Desk, axe: Inspector, user: User) -> None:
    workers.seen()
    desk.page.goto(reverse("admin:index"))
    axe.look(desk.page, "no studies")
    draft, opened = make_study(owner=user, dialogues=0), make_open_study(owner=user)
    of_draft = ("change", "items", "finished", "design", "people", "results", "booklets", "roster")
    of_open = ("change", "collect", "people", "results", "result_items", "roster", "download")
    look_at_all(
        desk,
        axe,
        {
            **{f"draft {name}": url(draft, name) for name in (*of_draft, "download", "share")},
            **{f"open {name}": url(opened, name) for name in of_open},
            "open item": url(opened, "result_item", opened.items.earliest("pk").pk),
        },
    )


def test_every_page_of_a_finished_study(desk: Desk, axe: Inspector, user: User) -> None:
    study = studies.finish(study=collected(user))
    names = ("change", "collect", "people", "roster", "results", "download", "booklets")
    look_at_all(desk, axe, {f"finished {name}": url(study, name) for name in names})


def test_every_page_of_releases(desk: Desk, axe: Inspector, user: User) -> None:
    study = collected(user)
    description = Description.of(
        {
            "title": "Replies",
            "authors": [{"name": "Ada"}],
            "licence": "CC-BY-4.0",
            "doi": "10.5281/z",
        }
    )
    releases.make_here(study=study, description=description, by=user)
    counted = counted_answers.counted_judgments(study, "people").first()
    assert counted is not None
    exclusions.exclude(annotator=counted.assignment.annotator, reason="clicked at random", by=user)
    addresses = {name: url(study, name) for name in ("releases", "release_new", "paper")}
    look_at_all(desk, axe, {**addresses, "release": url(study, "release", 1)})
    desk.page.goto(addresses["release_new"])
    desk.page.locator("#id_doi").fill("none")
    desk.page.get_by_role("button", name="Make the release").click()
    desk.page.locator(".errornote").wait_for()
    axe.look(desk.page, "a release that is refused")


def test_a_failing_webhook_a_search_and_the_log(desk: Desk, axe: Inspector, user: User) -> None:
    study = make_open_study(owner=user)
    channel = alert_channels.add_webhook(
        study=study, url="https://alerts.example.org/", language="en", by=user
    )
    made = alert_channels.send_test(channel=channel, by=user)
    AlertDelivery.objects.filter(pk=made.pk).update(attempts=2, error="It answered with 500.")
    addresses = {name: url(study, name) for name in ("alerts", "history", "share")}
    addresses["search"] = f"{reverse('admin:index')}?words=study"
    addresses["search for nothing"] = f"{reverse('admin:index')}?words=nothing"
    look_at_all(desk, axe, {**addresses, "log": reverse("admin:log")})


def test_scores_with_and_without_somebody(desk: Desk, axe: Inspector, user: User) -> None:
    study = collected(user)
    without = study.annotators.filter(source=Source.REAL, person=None).latest("pk")
    wanted = {"population": "people", "without": [without.pk]}
    job = jobs.run_here(study=study, kind=Job.Kind.COMPARE, parameters=wanted, by=user)
    look_at_all(desk, axe, {"comparison": url(study, "comparison", job.pk)})
    assert desk.page.locator("table").count()


def test_a_consent_text_that_is_asked_about_anew(desk: Desk, axe: Inspector, user: User) -> None:
    study = make_open_study(owner=user, dialogues=2)
    waits, stops = (join(study).annotator for _ in range(2))
    publish(study, changes=WHAT_IS_NEW)
    consents.stop(annotator=stops, visit=None)
    names = ("privacy", "describe", "people")
    look_at_all(desk, axe, {f"asked anew, {name}": url(study, name) for name in names})
    page = desk.page
    page.goto(url(study, "describe"))
    page.get_by_label("What is new in the consent text").fill("Nothing.")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("alert").wait_for()
    axe.look(page, "described, wrong")
    page.goto(url(study, "privacy"))
    assert page.get_by_role("link", name=waits.pseudonym).count() == 1


def test_every_page_of_labels(desk: Desk, axe: Inspector, user: User) -> None:
    study = make_label_study(pairs=4, owner=user, domains=("news", "sport"), phases=TWICE)
    keys = [f"p{n}" for n in range(1, 5)]
    for codes in ("ssro", "srro", "sooo"):
        label_all(study, [said_of(keys, codes), said_of(keys, codes[::-1])])
    adjudicate(study, "p2", "related")
    score(study)
    addresses = {name: url(study, name) for name in ("results", "result_items", "people")}
    look_at_all(
        desk,
        axe,
        {
            **{f"labels {name}": address for name, address in addresses.items()},
            "labels undecided": f"{addresses['result_items']}?show=undecided",
        },
    )


def test_sampled_pairs(
    desk: Desk, axe: Inspector, user: User, tmp_path: Path, settings: LazySettings
) -> None:
    workers.seen()
    study = make_study(dialogues=0, preset="sts-context", owner=user)
    upload = uploads.store_upload(
        study=study, file=[columns_of(tmp_path / "c.tsv").read_bytes()], filename="c.tsv", by=user
    )
    asked = {"n_pairs": 5, "n_bins": 5, "seed": 3}
    job = jobs.run_here(
        study=study, kind=Job.Kind.IMPORT_ITEMS, parameters={**upload, "sampled": asked}
    )
    look_at_all(desk, axe, {"sampled": url(study, "sampled", job.pk)})
    for part in desk.page.locator("details.some-pairs > summary").all():
        part.click()
    axe.look(desk.page, "sampled, unfolded")

    # With a model at hand its field is seen only where the measure needs it.
    settings.HUB = True
    look_at_all(desk, axe, {"sample again": f"{url(study, 'sample')}?of={job.pk}"})
    model = desk.page.get_by_label("Sentence encoder")
    assert not model.is_visible()
    desk.page.get_by_label("Similarity measure").select_option("embedding")
    assert model.is_visible()
    axe.look(desk.page, "sample by embedding")


def test_jobs_that_wait_run_fail_and_are_done(desk: Desk, axe: Inspector, user: User) -> None:
    workers.seen()
    study = make_study(owner=user)
    job = jobs.start(study=study, kind=Job.Kind.MAKE_DESIGN)
    look_at_all(desk, axe, {"queued": url(study, "job", job.pk)})
    Job.objects.filter(pk=job.pk).update(
        state=Job.State.RUNNING,
        started_at=job.created_at,
        progress=0.4,
        message="drawing tuples: pool 1 of 2",
    )
    where = {"job": url(study, "job", job.pk), "desk": url(study, "change")}
    look_at_all(desk, axe, {f"running, {name}": address for name, address in where.items()})
    Job.objects.filter(pk=job.pk).update(state=Job.State.FAILED, error="It cannot be.")
    where["design"] = url(study, "design")
    look_at_all(desk, axe, {f"failed, {name}": address for name, address in where.items()})
    Job.objects.filter(pk=job.pk).update(state=Job.State.DONE, error="")
    look_at_all(desk, axe, {"done": url(study, "job", job.pk)})


def test_whatever_is_refused(desk: Desk, axe: Inspector, user: User) -> None:
    page = desk.page
    study, theirs = make_study(owner=user), make_study()
    look_at_all(
        desk,
        axe,
        {
            "not found": url(theirs, "change"),
            "not a page": url(study, "score"),
            "open refused": url(study, "open"),
        },
    )
    page.goto(url(study, "describe"))
    page.get_by_label("Title").fill("")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Please correct the marked fields").wait_for()
    axe.look(page, "describe, wrong")
    page.goto(url(study, "design"))
    page.get_by_label("Items shown together").fill("7")
    page.get_by_role("button", name="Save the settings").click()
    page.get_by_role("alert").wait_for()
    axe.look(page, "design, wrong")
    page.goto(reverse("admin:annotation_study_add"))
    page.get_by_role("button", name="Create the study").click()
    page.get_by_role("alert").wait_for()
    axe.look(page, "add, wrong")
    page.goto(url(study, "share"))
    page.get_by_label("User name or e-mail address of a colleague").fill("nobody")
    page.get_by_role("button", name="Share", exact=True).click()
    page.locator("#id_username_error").wait_for()
    axe.look(page, "share, wrong")
    page.goto(url(study, "roster"))
    page.get_by_role("button", name="Add people and show their links").click()
    page.get_by_role("alert").wait_for()
    axe.look(page, "roster, wrong")


def test_a_form_that_outlived_its_sign_in(
    desk: Desk, axe: Inspector, user: User, live_server: Any
) -> None:
    page, study = desk.page, make_study(owner=user)
    page.goto(url(study, "describe"))
    typed = "Read all of it, please: it is longer than forty letters."
    page.get_by_label("Instructions").fill(typed)
    desk.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="You are no longer signed in").wait_for()
    axe.look(page, "signed out")
    client = Client()
    client.force_login(user)
    cookie = client.cookies["sessionid"].value
    desk.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    # Signing in makes a new token, which the page that stayed open does not have.
    page.locator("[name=csrfmiddlewaretoken]").evaluate_all(
        "fields => fields.forEach((field) => { field.value = 'x'.repeat(64); })"
    )
    page.get_by_role("button", name="Send it again").click()
    page.get_by_role("heading", name="That form was out of date").wait_for()
    axe.look(page, "expired")
    page.get_by_role("button", name="Send it again").click()
    page.get_by_text("Saved: instructions.").wait_for()
    study.refresh_from_db()
    assert study.instructions == typed


def test_the_theme_switch_reaches_every_colour_of_ours(
    browser: Browser, live_server: Any, user: User
) -> None:
    """Django's switch goes against what the system prefers."""
    study, axe = collected(user), Inspector()
    with Desk(browser, live_server.url, user) as desk:
        page = desk.page
        for name in ("change", "results", "people", "collect"):
            page.goto(url(study, name))
            for system, theme in (("light", "dark"), ("dark", "light")):
                page.emulate_media(color_scheme=system)
                page.evaluate(
                    "theme => { document.documentElement.dataset.theme = theme; }", theme
                )
                axe.look(page, f"{name}, {theme} in a {system} system")
    assert not axe.found, "\n".join(axe.found)


def test_a_design_is_made_and_the_study_opened_with_the_keyboard_alone(
    browser: Browser, live_server: Any, user: User
) -> None:
    study = make_study(owner=user)
    studies.edit(study=study, changes={"consent": "I agree."})
    designs.make(design=study.design)
    designs.note_walk(design=study.design)

    with Desk(browser, live_server.url, user) as desk:
        page = desk.page
        page.goto(url(study, "change"))
        tab_to(page, "Open")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{url(study, 'open')}")
        tab_to(page, "Open")
        page.keyboard.press("Enter")
        page.get_by_text("The study is open.").wait_for()

    study.refresh_from_db()
    assert study.state == Study.State.OPEN


def tab_to(page: Any, text: str) -> None:
    """Tab until what has the focus says the text; it is to be seen that it has it."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == text:
            width = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
            assert float(width.removesuffix("px")) >= 2
            return
    raise AssertionError(f"no focus ever came to {text}")
