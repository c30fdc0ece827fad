"""Who may see which of the researcher's pages, and by which methods."""

import re
from collections.abc import Callable

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, reverse

from annotation.answering.services import phases, rosters
from annotation.answering.services.rosters import RosterEntry
from annotation.basics import keys
from annotation.core.services import jobs
from annotation.models import Adjudication, Job, Judgment, Study
from annotation.monitoring.services import live
from annotation.site.pages.study import StudyAdmin
from annotation.studies.services import studies
from tests.support.answering import answer_all
from tests.support.baseline_studies import compute
from tests.support.factories import join, make_open_study, make_study, make_user
from tests.support.researcher_pages import (
    PAGES,
    crowd_row,
    make_release,
    signed_in,
    text,
    url,
)

pytestmark = pytest.mark.django_db

# Files of data, of which the audit log says who has them.
DOWNLOADS = {
    "archive",
    "prepared",
    "credit",
    "listing_credit",
    "payments",
    "label_studio",
    "release_file",
    "baseline_values",
}


def arguments(  # noqa: PLR0912 - one for each kind of row
    study: Study, kind: str
) -> tuple[object, ...]:
    """What a page's address needs beside the study; rows that exist, so that 404 means access."""
    if kind == "annotator":
        made = rosters.add_roster(study=study, entries=[RosterEntry("s1", "Ada")])
        return (made[0].annotator.pk,)
    if kind == "job":
        return (Job.objects.create(study=study, kind=Job.Kind.SCORE).pk,)
    if kind == "pilot":
        pilot = make_study(owner=study.owner, pilot_of=study, thanks="Worded differently.")
        pilot.shared_with.set(study.shared_with.all())
        return (pilot.pk,)
    if kind == "run":
        return (phases.latest(join(study).assignment).pk,)
    if kind in {"item", "scored_item"}:
        item = study.items.order_by("pk")[0].pk
        return (item, 1) if kind == "item" else (item,)
    if kind == "adjudication":
        # Nothing of a best-worst study is adjudicated; a row is made for the address.
        made = Adjudication.objects.create(
            study=study,
            item=study.items.order_by("pk")[0],
            phase=study.design.phases.get(number=1),
            rating=1,
            reason="of the test",
            by=study.owner,
            made_at=study.opened_at,
        )
        return (made.pk,)
    if kind in {"listing", "panel", "visit", "intent", "channel", "announcement"}:
        return (crowd_row(study, kind).pk,)
    if kind in {"screen", "phase"}:
        return (1, 1)
    if kind in {"baseline", "measure_plot", "table"}:
        if not study.baselines.exists():
            for n, item in enumerate(study.items.all()):
                item.metadata = {"mean": n}
                item.save()
            compute(study)
        number = study.baselines.order_by("pk")[0].pk
        return {"baseline": (number,), "table": ("tsv",)}.get(kind, (f"scatter-{number}", "svg"))
    if kind in {"comparison", "comparison_plot", "person_plot"}:
        return of_people(study, kind)
    if kind == "live_plot":
        live.watch()
        return ("throughput", "svg")
    if kind == "plot":
        jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
        return ("scores", "svg")
    if kind == "result_table":
        jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
        return ("score_distribution", "tsv")
    return _SHORT[kind](study) if kind else ()


A_BIN = {"low": 0, "high": 1, "n_candidates": 2, "n_drawn": 1, "n_used_up": 0, "first": []}


def sampled_job(study: Study) -> Job:
    return Job.objects.create(
        study=study,
        kind=Job.Kind.IMPORT_ITEMS,
        state=Job.State.DONE,
        parameters={"path": "1-1-0", "filename": "t.tsv", "sampled": {"n_pairs": 1, "seed": 1}},
        figures={
            "measure": "words",
            "n_pairs": 1,
            "n_drawn": 1,
            "table": "1-1-0",
            "bins": [A_BIN],
        },
    )


def asked(study: Study) -> str:
    question = {"key": "age", "kind": "number", "text": "How old are you?"}
    study.questionnaires = {"before": {"questions": [question]}}
    study.save(update_fields=["questionnaires"])
    return "age"


def lexical_table(study: Study) -> tuple[object, ...]:
    jobs.run_here(study=study, kind=Job.Kind.LEXICAL)
    return ("tsv",)


_SHORT: dict[str, Callable[[Study], tuple[object, ...]]] = {
    "release": lambda study: (make_release(study).number,),
    "curve": lambda _study: ("split-half", "svg"),
    "sampled": lambda study: (sampled_job(study).pk,),
    "sampled_plot": lambda study: (sampled_job(study).pk, "similarity", "svg"),
    "upload": lambda _study: ("1-1-0",),
    "moment": lambda _study: ("before",),
    "tried_moment": lambda _study: (1, "before"),
    "question": lambda study: ("before", asked(study)),
    "lexical": lexical_table,
    "further": lambda _study: ("within_pools", "tsv"),
    "review": lambda _study: ("tsv",),
}


def of_people(study: Study, kind: str) -> tuple[object, ...]:
    who = [one.pk for one in study.annotators.exclude(assignments=None).order_by("pk")]
    if kind == "person_plot":
        Judgment.objects.filter(assignment__annotator=who[0]).update(active_ms=4000)
        return (who[0], "times", "svg")
    wanted = {"population": "people", "without": who}
    job = jobs.run_here(study=study, kind=Job.Kind.COMPARE, parameters=wanted)
    return (job.pk, "with-and-without", "svg") if kind == "comparison_plot" else (job.pk,)


@pytest.fixture
def study() -> Study:
    study = make_open_study()
    answer_all(join(study).assignment)
    return study


@pytest.fixture
def addresses(study: Study) -> dict[str, str]:
    """Of every page of one study."""
    kinds = {kind: arguments(study, kind) for kind in sorted({kind for kind, _ in PAGES.values()})}
    return {name: url(study, name, *kinds[kind]) for name, (kind, _methods) in PAGES.items()}


def test_the_list_of_pages_is_whole() -> None:
    named = {
        pattern.name.removeprefix("annotation_study_")
        for pattern in StudyAdmin(Study, admin.site).get_urls()
        if isinstance(pattern, URLPattern) and "study_id" in str(pattern.pattern)
    }

    assert named == set(PAGES)


@pytest.mark.slow
def test_a_strangers_study_is_not_found(addresses: dict[str, str]) -> None:
    stranger = signed_in()
    answered = {
        (method, name): stranger.generic(method, address).status_code
        for name, address in addresses.items()
        for method in PAGES[name][1]
    }

    assert {asked: status for asked, status in answered.items() if status != 404} == {}


@pytest.mark.slow
def test_whoever_is_not_signed_in_is_asked_to(addresses: dict[str, str]) -> None:
    for name, address in addresses.items():
        for method in PAGES[name][1]:
            response = Client().generic(method, address)

            if method == "POST":
                # Not led away from what was typed.
                assert response.status_code == 403, name
                assert f'href="{reverse("admin:login")}?next=' in text(response), name
            else:
                assert response.status_code == 302, name
                assert response["Location"].startswith(reverse("admin:login")), name


@pytest.mark.slow
def test_a_wrong_method_is_refused(study: Study, addresses: dict[str, str]) -> None:
    client = signed_in(study.owner)
    answered = {
        (method, name): client.generic(method, address).status_code
        for name, address in addresses.items()
        for method in {"GET", "POST", "PUT", "DELETE"} - set(PAGES[name][1])
    }

    # A POST has to be sent by a button. Who opens its address is led to the page of the button.
    expected = {asked: 302 if asked[0] == "GET" else 405 for asked in answered}
    assert answered == expected


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("announce", "collect"),
        ("renew_code", "collect"),
        ("cap", "platforms"),
        ("alert_webhook", "alerts"),
        ("upload", "items"),
        ("decide", "visits"),
        ("archive_study", "change"),
    ],
)
def test_the_address_of_a_button_leads_to_its_page(study: Study, name: str, page: str) -> None:
    response = signed_in(study.owner).get(url(study, name))

    assert response.status_code == 302
    assert response["Location"] == url(study, page)


@pytest.mark.slow
def test_the_address_of_every_button_leads_to_a_page(
    study: Study, addresses: dict[str, str]
) -> None:
    client = signed_in(study.owner)
    for name, address in addresses.items():
        if "GET" not in PAGES[name][1]:
            response = client.get(address, follow=True)

            assert response.status_code == 200, name


@pytest.mark.slow
def test_a_post_without_a_csrf_token_is_refused(study: Study, addresses: dict[str, str]) -> None:
    client = signed_in(study.owner, enforce_csrf_checks=True)
    answered = {
        name: client.post(address).status_code
        for name, address in addresses.items()
        if "POST" in PAGES[name][1]
    }

    assert {name: status for name, status in answered.items() if status != 403} == {}


@pytest.mark.slow
def test_looking_changes_nothing(study: Study, addresses: dict[str, str]) -> None:
    client = signed_in(study.owner)
    for name, address in addresses.items():
        if "GET" not in PAGES[name][1]:
            continue

        with CaptureQueriesContext(connection) as queries:
            response = client.get(address)
        if response.streaming:
            assert b"".join(response), name  # also closes the file

        assert response.status_code in {200, 302}, name
        writes = [q["sql"] for q in queries if re.match(r"(INSERT|UPDATE|DELETE)", q["sql"])]
        # Messages travel in a cookie or the session; who fetched data is written down. No more.
        allowed = ("django_session", *(["annotation_auditevent"] if name in DOWNLOADS else []))
        assert [sql for sql in writes if not any(table in sql for table in allowed)] == [], name


def test_a_colleague_uses_a_shared_study_but_neither_shares_nor_deletes_it() -> None:
    study = make_study()
    colleague, third = make_user(), make_user("third")
    study.shared_with.add(colleague)
    client = signed_in(colleague)

    assert client.get(url(study, "change")).status_code == 200
    assert client.get(url(study, "describe")).status_code == 200
    shared = client.post(url(study, "share"), {"username": third.username})
    removed = client.post(url(study, "unshare"), {"user": colleague.pk})
    deleted = client.post(url(study, "delete"))

    assert [shared.status_code, removed.status_code, deleted.status_code] == [403, 403, 403]
    assert "This study belongs to" in text(deleted)
    assert list(study.shared_with.all()) == [colleague]


def test_a_superuser_sees_every_study() -> None:
    study = make_study()
    superuser = User.objects.create_superuser("root")

    client = signed_in(superuser)

    assert client.get(url(study, "change")).status_code == 200
    assert study.title in text(client.get(reverse("admin:index")))


def test_a_second_researchers_overview_is_empty() -> None:
    study = make_open_study()

    response = signed_in().get(reverse("admin:index"))

    assert study.title not in text(response)
    assert "No study yet" in text(response)


def test_somebody_who_is_no_researcher_is_sent_to_the_login() -> None:
    study = make_study()
    client = signed_in(make_user(is_staff=False))

    assert client.get(url(study, "change")).status_code == 302
    assert client.get(reverse("admin:index")).status_code == 302


def test_researchers_see_no_accounts_and_no_raw_models() -> None:
    client = signed_in()

    overview = text(client.get(reverse("admin:index")))

    assert "auth/user" not in overview
    assert client.get("/admin/auth/user/").status_code == 403
    assert client.get("/admin/annotation/item/").status_code == 404
    assert client.get("/admin/annotation/").status_code == 302


@pytest.mark.slow
def test_no_page_ever_shows_a_key() -> None:
    study = make_open_study()
    made = rosters.add_roster(study=study, entries=[RosterEntry("s1", "Ada")])
    nonce = keys.new_nonce()
    joined = join(study, nonce)
    answer_all(joined.assignment)
    secrets = [joined.key, made[0].key, keys.key_hash(joined.key), keys.key_hash(made[0].key)]
    client = signed_in(study.owner)
    job = Job.objects.create(study=study, kind=Job.Kind.SCORE)
    arguments_of = {
        "annotator": (joined.annotator.pk,),
        "job": (job.pk,),
        "run": (phases.latest(joined.assignment).pk,),
        "pilot": (0,),
        "comparison": (0,),
        "comparison_plot": (0, "with-and-without", "svg"),
        "person_plot": (joined.annotator.pk, "times", "svg"),
        "screen": (1, 1),
        "item": (study.items.order_by("pk")[0].pk, 1),
        "scored_item": (study.items.order_by("pk")[0].pk,),
        "phase": (1, 1),
        "plot": ("scores", "svg"),
        "result_table": ("score_distribution", "tsv"),
        "curve": ("split-half", "svg"),
        "live_plot": ("throughput", "svg"),
        "table": ("tsv",),
        "measure_plot": ("correlations", "svg"),
        "baseline": (1,),
        "lexical": lexical_table(study),
        "moment": ("before",),
        "tried_moment": (1, "before"),
        "question": ("before", asked(study)),
        "further": ("within_pools", "tsv"),
        "review": ("tsv",),
        "sampled": (sampled_job(study).pk,),
        "sampled_plot": (sampled_job(study).pk, "similarity", "svg"),
        "release": (make_release(study).number,),
        **{kind: (crowd_row(study, kind).pk,) for kind in ("listing", "panel", "visit", "intent")},
    }

    for name, (kind, methods) in PAGES.items():
        files = {"archive", "label_studio", "release_file", "sampled_table"}
        files |= {"import_preview", "import_columns", "finished_file", "relabel_file"}
        if "GET" not in methods or name in files:
            continue
        body = text(client.get(url(study, name, *arguments_of.get(kind, ())), follow=True))
        for secret in secrets:
            assert secret not in body, name


def test_pages_are_not_kept_by_caches() -> None:
    study = make_study()

    response = signed_in(study.owner).get(url(study, "change"))

    assert "no-store" in response["Cache-Control"]
    assert studies.current_consent(study)
