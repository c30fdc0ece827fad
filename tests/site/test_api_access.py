"""Whose studies a route of the API tells of: those that its caller may see, and no other."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.models import AuditEvent, Study
from annotation.site.api_urls import urlpatterns
from tests.support.api import address, answered_study, by_token, token_of
from tests.support.api_routes import METHODS, ROUTES, parts_of, sent
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.once import made_once

pytestmark = pytest.mark.django_db

# Addresses that name no study.
OTHERS = {"schema", "studies", "nowhere"}

# What its owner alone may do.
OF_THE_OWNER = {
    ("study", "DELETE"),
    ("shares", "POST"),
    ("share", "PATCH"),
    ("share", "DELETE"),
    ("retention", "PATCH"),
}
# What this study does not allow: it is open, so that items, design and texts are frozen; it is a
# best-worst study, so that nothing is adjudicated; and no worker has drawn or compared anything.
REFUSED = {
    **dict.fromkeys(
        {
            ("items", "POST"),
            ("items_check", "POST"),
            ("finished", "POST"),
            ("finished_check", "POST"),
            ("samples", "POST"),
            ("sample_table", "GET"),
            ("design_make", "POST"),
            ("questionnaires", "PUT"),
            ("pilots", "POST"),
            ("pilot_texts", "POST"),
            ("review", "GET"),
            ("review", "POST"),
            ("let_count", "POST"),
            ("disputes", "GET"),
            ("adjudications", "POST"),
            ("open_phase", "POST"),
            ("trainings", "POST"),
            # Other measures are being computed.
            ("job_again", "POST"),
            # No mail server is set here.
            ("roster_send", "POST"),
        },
        409,
    ),
    # There is nobody of this name.
    ("comparisons", "POST"): 400,
}


@made_once
def study() -> Study:
    return answered_study()


def addresses(study: Study) -> dict[str, str]:
    parts = parts_of(study)
    return {
        name: reverse(f"api:{name}", args=[study.slug, *(parts[part] for part in needs)])
        for name, (needs, _sent) in ROUTES.items()
    }


def client_of(user: User | None) -> APIClient:
    client = APIClient()
    if user:
        client.credentials(HTTP_AUTHORIZATION=f"Token {token_of(user)}")
    return client


def ask(client: APIClient, name: str, method: str, path: str) -> Any:
    act = getattr(client, method.lower())
    if method in {"GET", "HEAD"}:
        answer = act(path)
    else:
        answer = act(path, **sent(ROUTES[name][1].get(method)))
    if answer.streaming:
        # Read to its end, it is closed.
        assert list(answer.streaming_content)
    return answer


def rows(study: Study) -> list[Any]:
    """What must not change."""
    study.refresh_from_db()
    return [
        (study.state, study.title, study.thanks, study.idle_minutes),
        [*study.jobs.order_by("pk").values_list("pk", "state")],
        [*study.annotators.order_by("pk").values_list("pk", "exclusions__reason")],
        study.items.count(),
        study.baselines.count(),
    ]


def test_the_list_of_routes_is_whole() -> None:
    named = {pattern.name for pattern in urlpatterns}

    assert named == {*ROUTES} | OTHERS
    of_studies = {pattern.name for pattern in urlpatterns if "slug" in str(pattern.pattern)}
    assert of_studies == {*ROUTES}


@pytest.mark.slow
def test_a_stranger_finds_of_every_route_what_is_not_there(study: Study, settings: Any) -> None:
    """By every method, with the ids of somebody else's study, and beside an own one."""
    settings.API_REQUESTS_PER_MINUTE = 0
    stranger = make_user()
    own = make_open_study(owner=stranger)
    there, client, before = addresses(study), client_of(stranger), rows(study)
    nothing = client.get(address(Study(slug="there-is-none")))
    refused: dict[tuple[str, str], Any] = {}
    for name, path in there.items():
        ways = {
            "theirs": path,
            # An id of the other study under one's own.
            **({"mixed": path.replace(study.slug, own.slug)} if ROUTES[name][0] else {}),
        }
        for way, tried in ways.items():
            for method in METHODS:
                answer = ask(client, name, method, tried)
                is_answered = method.replace("HEAD", "GET") in ROUTES[name][1]
                wanted = 404 if is_answered else 405
                if answer.status_code != wanted:
                    refused[name, f"{method} {way}"] = answer.status_code
                if is_answered and method != "HEAD":
                    assert answer.content == nothing.content, (name, method)
                    assert {*answer.headers} == {*nothing.headers}, (name, method)
    assert refused == {}
    assert rows(study) == before
    listed = client.get("/api/v1/studies/").json()["results"]
    assert [one["slug"] for one in listed] == [own.slug]
    searched = client.get("/api/v1/studies/", {"search": study.title}).json()
    assert searched["count"] == 0


@pytest.mark.slow
def test_nobody_in_particular_is_asked_who_they_are(study: Study) -> None:
    before = rows(study)
    wrong = APIClient()
    wrong.credentials(HTTP_AUTHORIZATION="Token nix")
    for name, path in {**addresses(study), "studies": "/api/v1/studies/"}.items():
        if name not in ROUTES:
            assert Client().get(path).status_code == 401
            continue
        for client in (APIClient(), wrong):
            for method in METHODS:
                answer = ask(client, name, method, path)
                assert answer.status_code == 401, (name, method)
                assert answer["WWW-Authenticate"] == "Token"
    assert rows(study)[0] == before[0]


@pytest.mark.slow
def test_a_colleague_may_do_all_but_what_is_the_owners(study: Study) -> None:
    colleague = make_user()
    study.shared_with.add(colleague)
    client = client_of(colleague)
    paths = addresses(study)

    answered: dict[tuple[str, str], int] = {}
    silent = set()
    for name, (_needs, methods) in ROUTES.items():
        for method in methods:
            n_lines = AuditEvent.objects.count()
            answered[name, method] = ask(client, name, method, paths[name]).status_code
            is_done = method != "GET" and answered[name, method] < 400
            if is_done and AuditEvent.objects.count() == n_lines:
                silent.add((name, method))

    # Whatever was done has a line; the first looks at something, the other was so already.
    assert silent == {("relabellings_check", "POST"), ("alert_channel", "PATCH")}
    refused = {asked: code for asked, code in answered.items() if code >= 400}
    assert refused == {**dict.fromkeys(OF_THE_OWNER, 403), **REFUSED}


def test_a_later_round_does_not_name_a_study_that_its_reader_may_not_see() -> None:
    owner, colleague = make_user(), make_user()
    study = make_study(owner=owner, earlier_round=make_study(owner=owner))
    study.shared_with.add(colleague)

    seen = [by_token(user).get(address(study)).json() for user in (owner, colleague)]

    assert [one["earlier_round"] is None for one in seen] == [False, True]
    assert study.earlier_round.slug not in json.dumps(seen[1])
