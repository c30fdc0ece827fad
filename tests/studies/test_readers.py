"""A study shared with a reader: what they see, and that they change nothing."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.answering.services import rosters
from annotation.answering.services.rosters import RosterEntry
from annotation.core import access
from annotation.designs.services import pilots
from annotation.models import AuditEvent, Job, Study, StudyShare
from annotation.studies.services import researchers
from tests.site.test_api_access import addresses as api_addresses
from tests.site.test_api_access import ask, client_of
from tests.site.test_researcher_access import arguments
from tests.support import release_studies
from tests.support.api import address, answered_study, token_of
from tests.support.api_routes import ROUTES
from tests.support.factories import make_study, make_user
from tests.support.once import made_once
from tests.support.researcher_pages import PAGES, signed_in, text, url

pytestmark = pytest.mark.django_db

READER, EDITOR = StudyShare.Role.READER, StudyShare.Role.EDITOR
# Who took part, as the platform and the roster know them.
PERSONAL = ("Ada Lovelace", "ada@example.org", "S-ROSTER-1")


@made_once
def study() -> Study:
    study = answered_study()
    rosters.add_roster(
        study=study,
        entries=[RosterEntry("S-ROSTER-1", "Ada Lovelace", "ada@example.org")],
    )
    return study


@pytest.fixture
def reader(study: Study) -> User:
    return share(study, READER)


def share(study: Study, role: str) -> User:
    user = make_user()
    researchers.share(study=study, username=user.username, role=role)
    return user


def page_addresses(study: Study) -> dict[str, str]:
    kinds = {
        kind: arguments(study, kind)
        for kind in sorted({kind for kind, _methods in PAGES.values()})
        if kind != "release"
    }
    kinds["release"] = (study.releases.latest("number").number,)
    return {name: url(study, name, *kinds[kind]) for name, (kind, _methods) in PAGES.items()}


def everything() -> dict[str, list[Any]]:
    """All rows but the log and the sessions."""
    return {
        model.__name__: list(model._default_manager.order_by("pk").values())
        for model in apps.get_app_config("annotation").get_models()
        if model.__name__ not in {"AuditEvent", "Throttle", "ApiToken", "WorkerSign"}
    }


# -- The walk -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_reader_opens_the_named_pages_and_no_other_and_changes_nothing(
    study: Study, reader: User
) -> None:
    there, client, before = page_addresses(study), signed_in(reader), None
    before = everything()
    answered: dict[str, set[str]] = {"seen": set(), "refused": set()}
    wrong = {}
    for n, (name, path) in enumerate(there.items()):
        # What no page has is refused alike: one of these in turn.
        for method in ("GET", "HEAD", "POST", ("PUT", "PATCH", "DELETE")[n % 3]):
            response = client.generic(method, path)
            if response.streaming:
                assert b"".join(response) or method == "HEAD"
            is_named = name in access.READER_PAGES and method in {"GET", "HEAD"}
            status = response.status_code
            if not is_named and status != 403:
                wrong[name, method] = status
            if is_named and status == 403:
                wrong[name, method] = status
            if method == "GET":
                answered["refused" if status == 403 else "seen"].add(name)

    assert wrong == {}
    assert answered["seen"] == access.READER_PAGES
    assert everything() == before


@pytest.mark.slow
def test_a_reader_asks_the_api_for_what_is_named_and_changes_nothing(
    study: Study, reader: User
) -> None:
    there, client = api_addresses(study), client_of(reader)
    # A reader of the pilot, too.
    before = everything()
    wrong = {}
    for name, (_needs, methods) in ROUTES.items():
        for method in methods:
            status = ask(client, name, method, there[name]).status_code
            is_named = name in access.READER_ROUTES and method == "GET"
            if (status == 403) is is_named:
                wrong[name, method] = status
        for method in ("PUT", "PATCH", "DELETE", "POST"):
            if method not in methods:
                assert ask(client, name, method, there[name]).status_code in {403, 405}

    assert wrong == {}
    assert everything() == before


def told(client: Any, there: dict[str, str]) -> set[tuple[str, str]]:
    """By address: what its answer tells of a person."""
    found = set()
    for name, path in there.items():
        response = client.get(path)
        body = b"".join(response) if response.streaming else response.content
        found |= {(name, word) for word in PERSONAL if word.encode() in body}
    return found


@pytest.mark.slow
def test_no_page_tells_a_reader_who_somebody_is(study: Study, reader: User) -> None:
    there = page_addresses(study)
    owner_is_told = told(signed_in(study.owner), {"roster": there["roster"]})

    is_told = told(signed_in(reader), {name: there[name] for name in access.READER_PAGES})

    assert {word for _name, word in owner_is_told} >= {"Ada Lovelace"}
    assert is_told == set()


@pytest.mark.slow
def test_no_answer_of_the_api_tells_a_reader_who_somebody_is(study: Study, reader: User) -> None:
    there = api_addresses(study)
    owner_is_told = told(client_of(study.owner), {"roster": there["roster"]})

    is_told = told(client_of(reader), {name: there[name] for name in access.READER_ROUTES})

    assert owner_is_told
    assert is_told == set()


class Links(HTMLParser):
    """Where a page leads, and what it sends."""

    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "a" and (named.get("href") or "").startswith("/admin/annotation/"):
            self.links.add(str(named["href"]))


def dead_links(client: Client, there: dict[str, str]) -> set[tuple[str, str]]:
    """By page: links that lead to a refusal."""
    dead = set()
    for name, path in there.items():
        response = client.get(path)
        if response.streaming:
            assert b"".join(response)
        elif "html" in response.get("Content-Type", ""):
            links = Links()
            links.feed(text(response))
            dead |= {
                (name, re.sub(r"\d+", "N", link))
                for link in links.links
                if not access.reader_may_follow(link)
            }
    return dead


@pytest.mark.slow
def test_no_page_leads_a_reader_to_a_refusal(study: Study, reader: User) -> None:
    there = page_addresses(study)

    dead = dead_links(signed_in(reader), {name: there[name] for name in access.READER_PAGES})

    assert dead == set()


@pytest.mark.slow
@pytest.mark.parametrize("state", ["open", "closed"])
@pytest.mark.parametrize(
    "make",
    [
        release_studies.best_worst,
        release_studies.ratings,
        release_studies.labels,
        release_studies.selections,
    ],
)
def test_no_page_of_any_kind_of_study_leads_a_reader_to_a_refusal(make: Any, state: str) -> None:
    study = make()
    Study.objects.filter(pk=study.pk).update(state=state, opened_at=timezone.now())

    assert dead_links(signed_in(share(study, READER)), short_addresses(study)) == set()


@pytest.mark.slow
def test_no_page_of_a_draft_leads_a_reader_to_a_refusal() -> None:
    study = make_study()
    pilots.begin(study=study, n_parts=1)
    Study.objects.filter(pilot_of=study).update(thanks="Worded differently.")
    empty = make_study(dialogues=0)

    for one in (study, empty):
        assert dead_links(signed_in(share(one, READER)), short_addresses(one)) == set()


def short_addresses(study: Study) -> dict[str, str]:
    """Of the pages whose address names the study alone."""
    return {
        name: url(study, name)
        for name, (kind, methods) in PAGES.items()
        if not kind and "GET" in methods and name in access.READER_PAGES
    }


def test_the_lists_name_only_what_there_is() -> None:
    assert set(PAGES) >= access.READER_PAGES
    assert set(ROUTES) >= access.READER_ROUTES


def test_a_new_page_and_a_new_route_are_refused_until_somebody_names_them() -> None:
    assert not access.reader_may_open_page("GET", "annotation_study_brand_new")
    assert not access.reader_may_open_page("POST", "annotation_study_results")
    assert not access.reader_may_ask("GET", "brand_new")
    assert not access.reader_may_ask("POST", "results")


@pytest.mark.slow
def test_a_refusal_is_a_page_with_a_sentence_and_the_navigation_of_a_reader(
    study: Study, reader: User
) -> None:
    client = signed_in(reader)

    refused = client.get(url(study, "people"))

    assert refused.status_code == 403
    assert study.owner.get_username() in str(refused.context["reason"])
    shown = {page.address for place in refused.context["navigation"] for page in place.pages}
    assert url(study, "people") not in shown
    assert url(study, "share") not in shown
    assert url(study, "results") in shown
    for path in shown:
        assert client.get(path).status_code == 200, path


def test_texts_and_numbers_are_shown_to_a_reader_in_fields_that_are_off(
    study: Study, reader: User
) -> None:
    for name in ("describe", "design"):
        page = signed_in(reader).get(url(study, name))
        assert all(field.disabled for field in page.context["form"].fields.values())
        assert (
            'type="submit"'
            not in text(page)
            .partition('id="content"')[2]
            .partition("data-to-read")[2]
            .partition("</form>")[0]
        )


# -- Roles --------------------------------------------------------------------------------------


def test_an_editor_does_what_colleagues_always_did(study: Study) -> None:
    client = signed_in(share(study, EDITOR))

    assert client.get(url(study, "people")).status_code == 200
    assert client.get(url(study, "roster")).status_code == 200
    assert client.post(url(study, "score")).status_code == 302
    assert study.jobs.filter(kind="score").exists()


def test_the_owner_chooses_the_role_and_changes_it_later() -> None:
    study, colleague = make_study(), make_user("colleague", email="Colleague@example.org")
    client = signed_in(study.owner)

    client.post(url(study, "share"), {"username": "colleague@EXAMPLE.org", "role": "reader"})
    assert access.is_reader(colleague, study)
    client.post(url(study, "share_role"), {"user": colleague.pk, "role": "editor"})
    assert not access.is_reader(colleague, study)
    assert signed_in(colleague).get(url(study, "people")).status_code == 200
    # Shared once more, it has the role of this time.
    client.post(url(study, "share"), {"username": "colleague", "role": "reader"})
    assert access.is_reader(colleague, study)
    assert StudyShare.objects.count() == 1

    lines = AuditEvent.objects.order_by("pk").values_list("said", flat=True)
    assert len([line for line in lines if "colleague" in line]) == 3


@pytest.mark.parametrize("role", ["boss", "", "owner", "\x00"])
def test_a_role_that_there_is_not_is_refused_and_shares_nothing(role: str) -> None:
    study, colleague = make_study(), make_user("colleague")
    client = signed_in(study.owner)

    page = client.post(url(study, "share"), {"username": "colleague", "role": role})

    assert page.status_code == 400
    assert not study.shares.exists()
    researchers.share(study=study, username="colleague", role=READER)
    changed = client.post(url(study, "share_role"), {"user": colleague.pk, "role": role})
    assert changed.status_code == 302
    assert access.is_reader(colleague, study)


def test_only_the_owner_changes_roles(study: Study, reader: User) -> None:
    editor = share(study, EDITOR)

    for user in (reader, editor):
        response = signed_in(user).post(
            url(study, "share_role"), {"user": reader.pk, "role": "editor"}
        )
        assert response.status_code == 403
    assert access.is_reader(reader, study)


def test_pilots_are_shared_as_their_study_is() -> None:
    study = make_study()
    first, later = make_user("first"), make_user("later")
    researchers.share(study=study, username="first", role=READER)
    pilot = pilots.begin(study=study, n_parts=1)

    assert access.is_reader(first, pilot)
    researchers.share(study=study, username="later", role=READER)
    assert access.is_reader(later, pilot)
    researchers.set_role(study=study, user=first, role=EDITOR)
    assert not access.is_reader(first, pilot)
    researchers.unshare(study=study, user=later)
    assert signed_in(later).get(url(pilot, "change")).status_code == 404


def test_a_superuser_and_the_owner_are_never_readers(study: Study) -> None:
    root = User.objects.create_superuser("root")
    for user in (root, study.owner):
        StudyShare.objects.create(study=study, user=user, role=READER)

        assert not access.is_reader(user, study)
        assert study in Study.objects.edited_by(user)
        assert signed_in(user).get(url(study, "people")).status_code == 200


def test_a_reader_continues_no_study_and_gets_no_alerts(study: Study, reader: User) -> None:
    Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED)
    n_studies = Study.objects.count()

    page = signed_in(reader).post(
        reverse("admin:annotation_study_add"),
        {"title": "Next", "preset": "expert-check", "language": "en", "earlier_round": study.pk},
    )
    by_program = client_of(reader).post(
        "/api/v1/studies/",
        data=json.dumps({"title": "Next", "preset": "expert-check", "earlier_round": study.slug}),
        content_type="application/json",
    )

    assert study in Study.objects.seen_by(reader)
    assert study not in Study.objects.edited_by(reader)
    assert by_program.status_code == 400
    assert not Study.objects.filter(earlier_round=study).exists(), page.status_code
    assert Study.objects.count() <= n_studies + 1
    asked = signed_in(study.owner).get(url(study, "alerts"))
    assert reader.get_username() not in text(asked)


def test_a_reader_has_studies_of_their_own(study: Study, reader: User) -> None:
    own = make_study(owner=reader)

    assert signed_in(reader).get(url(own, "people")).status_code == 200


def test_the_overview_says_that_somebody_reads_and_asks_nothing_of_them(
    study: Study, reader: User
) -> None:
    def card(user: User) -> Any:
        return signed_in(user).get(reverse("admin:index")).context["studies"].object_list[0]

    assert card(reader).is_reader
    assert card(reader).needs == []
    assert not card(study.owner).is_reader


def test_the_owner_needs_no_query_to_be_let_in(study: Study) -> None:
    with CaptureQueriesContext(connection) as queries:
        signed_in(study.owner).get(url(study, "download"))

    assert not [one for one in queries if "studyshare" in one["sql"].lower().split("where")[0]]


# -- The API ------------------------------------------------------------------------------------


def test_the_api_shares_with_a_role_and_changes_it() -> None:
    study, colleague = make_study(), make_user("colleague")
    client = client_of(study.owner)
    shares = f"{address(study)}shares/"

    def send(method: str, path: str, body: Any) -> Any:
        act = getattr(client, method)
        return act(path, data=json.dumps(body), content_type="application/json")

    made = send("post", shares, {"username": "colleague", "role": "reader"})
    assert (made.status_code, made.json()) == (201, {"username": "colleague", "role": "reader"})
    assert access.is_reader(colleague, study)
    changed = send("patch", f"{shares}colleague/", {"role": "editor"})
    assert (changed.status_code, changed.json()["role"]) == (200, "editor")
    assert client.get(shares).json()["results"] == [{"username": "colleague", "role": "editor"}]
    assert send("patch", f"{shares}colleague/", {"role": "boss"}).status_code == 400
    assert send("patch", f"{shares}nobody/", {"role": "reader"}).status_code == 404
    # Left out, it is what it was before there were roles.
    make_user("third")
    assert send("post", shares, {"username": "third"}).json()["role"] == "editor"


def test_a_readers_own_token_that_writes_writes_nothing(study: Study, reader: User) -> None:
    client = Client(headers={"authorization": f"Token {token_of(reader)}"})

    refused = client.patch(
        address(study), data=json.dumps({"thanks": "Ha."}), content_type="application/json"
    )

    assert refused.status_code == 403
    assert study.owner.get_username() in refused.content.decode()
    assert client.get(f"{address(study)}annotators/").status_code == 403
    assert client.get(f"{address(study)}results/").status_code == 200


@pytest.mark.parametrize("kind", [Job.Kind.IMPORT_ITEMS, Job.Kind.SEND_LINKS])
def test_a_reader_is_told_that_a_job_failed_but_not_whom_it_names(
    study: Study, reader: User, kind: Job.Kind
) -> None:
    job = Job.objects.create(
        study=study, kind=kind, state=Job.State.FAILED, error=f"line 1: {PERSONAL[0]} is unknown"
    )
    pages = [url(study, name, job.pk) for name in ("job", "job_state")]
    pages += [url(study, "items"), url(study, "change")]
    asked = [address(study, "jobs/"), address(study, f"jobs/{job.pk}/")]

    for path in pages:
        assert PERSONAL[0] not in text(signed_in(reader).get(path))
    for path in asked:
        assert PERSONAL[0] not in text(client_of(reader).get(path))
    answer = client_of(reader).get(asked[1]).json()
    assert (answer["state"], answer["problems"]) == ("failed", [])
    assert study.owner.username in answer["remedy"]
    assert study.owner.username in text(signed_in(reader).get(pages[0]))
    # Whoever may change the study reads it as before.
    assert PERSONAL[0] in text(signed_in(study.owner).get(pages[0]))
    assert PERSONAL[0] in str(client_of(study.owner).get(asked[1]).json()["problems"])
    editor = share(study, EDITOR)
    assert PERSONAL[0] in text(client_of(editor).get(asked[1]))
