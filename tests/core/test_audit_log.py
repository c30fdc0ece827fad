"""The audit log: a line for whatever a researcher does, which nobody can change."""

import types
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

from annotation.answering.services import rosters
from annotation.answering.services.rosters import RosterEntry
from annotation.basics.sentences import read
from annotation.core.services import audit_log
from annotation.models import AuditEvent, Study
from annotation.site.pages.study import StudyAdmin
from annotation.studies.services import researchers
from tests.support.api import token_of
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.researcher_pages import PAGES, signed_in, text, url

pytestmark = pytest.mark.django_db

# Addresses that answer a POST and write no line, with the reason.
NO_LINE = {
    "upload": "keeps a file for the preview, and changes nothing of the study",
    "import_columns": "reads the file for the preview, and changes nothing of the study",
    "relabel_upload": "reads a file for a preview, and changes nothing of the study",
    "finished_upload": "the same",
    "baselines_put_away": "hides a failure from one person, and changes nothing of the study",
    "try": "goes on to the next page of the walk-through",
    "try_instructions": "the same",
    "try_questionnaire": "the same",
}


def views() -> dict[str, Callable[..., Any]]:
    patterns = StudyAdmin(Study, admin.site).get_urls()
    return {
        pattern.name.removeprefix("annotation_study_"): pattern.callback
        for pattern in patterns
        if isinstance(pattern, URLPattern) and pattern.name
    }


def called(function: Any) -> Iterator[Any]:
    """Our own functions that the code of a function names, wherever they come from."""
    while hasattr(function, "__wrapped__"):
        yield from inside(function)
        function = function.__wrapped__
    yield from inside(function)


def inside(function: Any) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        yield from ours(cell.cell_contents)
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
        named = [function.__globals__.get(name) for name in code.co_names]
        modules = [
            one
            for one in named
            if isinstance(one, types.ModuleType) and one.__name__.startswith("annotation.")
        ]
        of_modules = [getattr(module, name, None) for module in modules for name in code.co_names]
        for one in named + of_modules:
            yield from ours(one)


def ours(found: Any) -> Iterator[Any]:
    if isinstance(found, partial):
        found = found.func
    if isinstance(found, dict):
        for value in found.values():
            yield from ours(value)
    elif isinstance(found, types.FunctionType) and found.__module__.startswith("annotation."):
        yield found


def writes(view: Any) -> bool:
    """Whether a line of the history can be reached from a view."""
    seen: set[Any] = set()
    waiting = [view]
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        if function in {audit_log.write, audit_log.downloaded}:
            return True
        waiting += called(function)
    return False


def test_every_address_that_changes_something_writes_a_line() -> None:
    silent = {
        name
        for name, view in views().items()
        if name in PAGES and "POST" in PAGES[name][1] and not writes(view)
    }

    assert silent == set(NO_LINE)
    assert not writes(views()["plan"])


def last_line() -> str:
    return read(AuditEvent.objects.order_by("-pk")[0].said)


@pytest.mark.slow
def test_who_fetched_which_file_is_known() -> None:
    study = make_open_study()
    rosters.add_roster(study=study, entries=[RosterEntry("s1", "Ada")])
    client = signed_in(study.owner)
    slug = study.slug

    for name, file in (
        ("archive", f"{slug}.zip"),
        ("credit", f"{slug}-credit.csv"),
        ("payments", f"{slug}-payments.tsv"),
    ):
        b"".join(client.get(url(study, name)))
        assert last_line() == f"Downloaded: {file}.", name
    links = client.post(url(study, "roster"), {"entries": "s2"}).context["signed"]
    client.post(url(study, "roster_links"), {"links": links})
    assert last_line() == f"Downloaded: {slug}-links.csv."
    token = token_of(study.owner)
    b"".join(
        Client().get(
            f"/api/v1/studies/{slug}/export/", headers={"authorization": f"Token {token}"}
        )
    )
    entry = AuditEvent.objects.order_by("-pk")[0]
    assert read(entry.said) == f"Downloaded: {slug}.zip."
    assert (entry.by, entry.door) == (study.owner, "api")
    # Who says to have the first answer has all others: it is written down, and once.
    n_lines = AuditEvent.objects.count()
    for _time in range(2):
        b"".join(
            Client().get(
                f"/api/v1/studies/{slug}/judgments/?after=1",
                headers={"authorization": f"Token {token}"},
            )
        )
    entry = AuditEvent.objects.order_by("-pk")[0]
    assert read(entry.said) == "Downloaded: judgments."
    assert AuditEvent.objects.count() == n_lines + 1
    # A refused one is none.
    n_lines = AuditEvent.objects.count()
    client.get(url(study, "archive"), {"population": "everybody"})
    signed_in().get(url(study, "archive"))
    assert AuditEvent.objects.count() == n_lines


def test_what_happens_to_accounts() -> None:
    make_user("ada", password="one long password")
    client = Client()
    form = {"username": "ada", "password": "wrong", "next": "/admin/"}
    client.post(reverse("admin:login"), form)
    client.post(reverse("admin:login"), {**form, "username": "my secret password"})
    client.post(reverse("admin:login"), {**form, "password": "one long password"})
    made = client.post(reverse("admin:api_token"), {"name": "nightly", "can_write": "0"})
    key = made.context["made"].key
    client.post(reverse("admin:api_token_revoke", args=[made.context["made"].token.pk]))
    client.post(
        reverse("admin:password_change"),
        {
            "old_password": "one long password",
            "new_password1": "another long one",
            "new_password2": "another long one",
        },
    )

    assert [read(line.said) for line in AuditEvent.objects.order_by("pk")] == [
        "Somebody failed to sign in with this name.",
        "Signed in.",
        "Created the API token “nightly”.",
        "Revoked the API token “nightly”.",
        "Changed the password.",
    ]
    assert "secret" not in "".join(AuditEvent.objects.values_list("said", flat=True))
    assert key not in text(client.get(reverse("admin:log")))
    # Of others' accounts nobody but a superuser reads.
    make_user("eve")
    other = signed_in(User.objects.get(username="eve"))
    assert "Signed in." not in text(other.get(reverse("admin:log")))
    superuser = signed_in(User.objects.create_superuser("root"))
    assert "Signed in." in text(superuser.get(reverse("admin:log")))


def test_the_history_is_narrowed_and_downloaded() -> None:
    # The name of the owner is searched, too: it must not hold the number that is looked for.
    study = make_study(owner=make_user("ada"))
    other = make_user("alan")
    now = timezone.now()
    for n in range(60):
        audit_log.write(study=study, message=f"Step {n}", by=study.owner)
    audit_log.write(study=study, message="Something\nelse", by=other)
    audit_log.downloaded(study=study, what="x.zip", by=other)
    audit_log.write(study=make_study(), message="Of another study", by=study.owner)
    old = AuditEvent.objects.get(said="Step 3")
    AuditEvent.objects.filter(pk=old.pk).update(at=now - timedelta(days=9))
    client = signed_in(study.owner)
    page = url(study, "history")

    def found(**wanted: Any) -> list[str]:
        table = text(client.get(page, {**wanted, "as": "tsv"})).splitlines()[1:]
        return [line.split("\t")[-1] for line in table]

    assert len(found()) == 62
    assert found(who=other.pk) == ["Downloaded: x.zip.", "Something else"]
    assert found(kind=AuditEvent.Kind.DOWNLOADED) == ["Downloaded: x.zip."]
    assert found(words="STEP 42") == ["Step 42"]
    assert found(words="alan") == found(who=other.pk)
    day = (timezone.localtime(now) - timedelta(days=9)).date()
    assert found(first=day, last=day) == ["Step 3"]
    assert "Of another study" not in found()
    assert "Page 1 of 2" in text(client.get(page))
    assert f"who={other.pk}&amp;page=" not in text(client.get(page, {"who": other.pk}))
    assert "words=step&amp;page=2" in text(client.get(page, {"words": "step"}))
    wrong = text(client.get(page, {"first": "yesterday", "who": "no", "kind": "x"}))
    assert "Enter a valid date" in wrong
    assert "No lines match" in text(client.get(page, {"words": "nothing so"}))
    # In the words of the reader.
    german = text(client.get(page, {"as": "tsv"}, headers={"accept-language": "de"}))
    assert "Step 42" in german


def test_the_log_of_the_site_is_narrowed_to_a_study_and_leads_to_it() -> None:
    study, other, gone = make_study(), make_study(), make_study()
    for one in (study, other, gone):
        audit_log.write(study=one, message=f"About {one.title}", by=one.owner)
    gone_title = gone.title
    # By then nobody may go there any more.
    gone_id = gone.pk
    researchers.delete_draft(study=gone)
    root = signed_in(User.objects.create_superuser("root"))
    page = reverse("admin:log")

    everything = text(root.get(page))
    assert all(f"About {title}" in everything for title in (study.title, other.title, gone_title))
    assert f'href="{url(study, "history")}"' in everything
    assert reverse("admin:annotation_study_history", args=[gone_id]) not in everything
    narrowed = text(root.get(page, {"study": study.pk}))
    assert f"About {study.title}" in narrowed
    assert f"About {other.title}" not in narrowed
    # Whoever sees lines of their own account alone has nothing to choose from.
    assert 'name="study"' not in text(signed_in(study.owner).get(page))
    assert 'name="study"' not in text(root.get(url(study, "history")))


def test_no_line_can_be_changed_or_deleted() -> None:
    study = make_study()
    audit_log.write(study=study, message="Done", by=study.owner)
    root = signed_in(User.objects.create_superuser("root"))

    assert AuditEvent not in admin.site._registry
    for address in ("/admin/admin/logentry/", "/admin/admin/", f"/admin/admin/logentry/{1}/"):
        assert root.get(address).status_code == 404
    # With an account its lines would go.
    helper = make_user("helper")
    audit_log.write(study=study, message="Helped", by=helper)
    gone = root.post(reverse("admin:auth_user_delete", args=[helper.pk]), {"post": "yes"})
    many = {"action": "delete_selected", "_selected_action": [helper.pk], "post": "yes"}
    root.post(reverse("admin:auth_user_changelist"), many)
    assert gone.status_code == 403
    assert User.objects.filter(pk=helper.pk).exists()
    # Nor with a study.
    root.post(url(study, "delete"))
    assert not Study.objects.filter(pk=study.pk).exists()
    assert [read(line) for line in audit_log.of_study(study).values_list("said", flat=True)]
    assert last_line() == f"Deleted: {study.title}."
    unused = make_user("unused")
    root.post(reverse("admin:auth_user_delete", args=[unused.pk]), {"post": "yes"})
    assert not User.objects.filter(pk=unused.pk).exists()


def test_what_an_administrator_changes_of_accounts_is_written_down() -> None:
    root = User.objects.create_superuser("root", password="one long password")
    client = signed_in(root)
    client.post(
        reverse("admin:auth_user_add"),
        {"username": "ada", "usable_password": "false"},
    )
    ada = User.objects.get(username="ada")
    page = reverse("admin:auth_user_change", args=[ada.pk])
    form = client.get(page).context["adminform"].form
    values = {name: value for name, value in form.initial.items() if value not in {None, False}}
    joined = ada.date_joined
    client.post(
        page,
        {
            **values,
            "email": "ada@example.org",
            "date_joined_0": joined.strftime("%Y-%m-%d"),
            "date_joined_1": joined.strftime("%H:%M:%S"),
        },
    )
    client.post(reverse("admin:auth_user_delete", args=[ada.pk]), {"post": "yes"})

    assert not User.objects.filter(username="ada").exists()
    assert [
        (line.by, line.about, read(line.said)) for line in AuditEvent.objects.order_by("pk")
    ] == [
        (root, "ada", "Created the account ada."),
        (root, "ada", "Changed ada: Email address, Date joined."),
        (root, "root", "Deleted the account ada."),
    ]


def test_a_study_offers_no_kind_of_which_it_has_no_lines() -> None:
    study = make_study()

    page = signed_in(study.owner).get(url(study, "history"))

    kinds = dict(page.context["form"].fields["kind"].choices)
    assert AuditEvent.Kind.ACCOUNT not in kinds
    assert AuditEvent.Kind.CHANGED in kinds


def test_the_api_tells_the_kind_and_the_door_of_each_line() -> None:
    study = make_study()
    history = Client(headers={"authorization": f"Token {token_of(study.owner)}"})
    audit_log.write(study=study, message="Step", by=study.owner)
    with audit_log.through(AuditEvent.API):
        audit_log.downloaded(study=study, what="x.zip", by=study.owner)

    def lines(**query: str) -> list[tuple[str, str]]:
        found = history.get(f"/api/v1/studies/{study.slug}/history/", query).json()["results"]
        return [(line["kind"], line["door"]) for line in found]

    assert lines() == [("downloaded", "api"), ("changed", "page")]
    assert lines(kind="downloaded") == [("downloaded", "api")]
