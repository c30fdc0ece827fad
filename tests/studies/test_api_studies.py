"""The API: by token or session, for those who may see the study; its export and its numbers."""

import io
import json
import zipfile

import pytest
from django.test import Client

from annotation.answering.services import assignments
from annotation.models import Study
from tests.support.answering import answer_all
from tests.support.api import by_token, problems
from tests.support.factories import join, make_open_study, make_study, make_user


@pytest.fixture
def study(db: None) -> Study:
    study = make_open_study()
    assignment = join(study).assignment
    answer_all(assignment)
    assignments.submit(assignment=assignment)
    return study


def addresses(study: Study) -> list[str]:
    base = f"/api/v1/studies/{study.slug}/"
    return [base, f"{base}export/"]


def content(response) -> bytes:
    return b"".join(response.streaming_content)


def test_the_owner_gets_the_archive_by_token(study: Study) -> None:
    response = by_token(study.owner).get(f"/api/v1/studies/{study.slug}/export/")

    assert response.status_code == 200
    assert response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"] == f'attachment; filename="{study.slug}.zip"'
    data = content(response)
    assert int(response["Content-Length"]) == len(data)
    with zipfile.ZipFile(io.BytesIO(data)) as members:
        facts = json.loads(members.read("study.json"))
    assert facts["counts"]["judgments"]["by_status"]["counted"] == 20


def test_a_session_will_do(study: Study, client: Client) -> None:
    client.force_login(study.owner)

    response = client.get(f"/api/v1/studies/{study.slug}/export/")

    assert response.status_code == 200
    content(response)


def test_source_and_spreadsheet_are_asked_for_in_the_address(study: Study) -> None:
    response = by_token(study.owner).get(
        f"/api/v1/studies/{study.slug}/export/?source=simulated&spreadsheet=1"
    )

    with zipfile.ZipFile(io.BytesIO(content(response))) as members:
        assert json.loads(members.read("study.json"))["population"] == "simulated"
        assert b"copy for spreadsheets" in members.read("README.md")


@pytest.mark.parametrize("query", ["source=all", "spreadsheet=perhaps"])
def test_a_wrong_question_is_refused(study: Study, query: str) -> None:
    response = by_token(study.owner).get(f"/api/v1/studies/{study.slug}/export/?{query}")

    assert response.status_code == 400
    assert problems(response) == {query.partition("=")[0]}


def test_a_parameter_that_would_be_ignored_is_refused_with_those_that_work(study: Study) -> None:
    response = by_token(study.owner).get(
        f"/api/v1/studies/{study.slug}/export/?population=simulated"
    )

    assert response.status_code == 400
    assert problems(response) == {"population"}
    assert "source, spreadsheet" in response.json()["detail"]


def test_a_stranger_finds_nothing(study: Study) -> None:
    stranger = by_token(make_user())

    for address in addresses(study):
        assert stranger.get(address).status_code == 404
    assert stranger.get("/api/v1/studies/").json()["results"] == []


def test_somebody_without_staff_rights_is_not_let_in(study: Study) -> None:
    study.owner.is_staff = False
    study.owner.save()

    for address in addresses(study):
        assert by_token(study.owner).get(address).status_code == 401


def test_nobody_in_particular_is_asked_who_they_are(study: Study, client: Client) -> None:
    for address in ["/api/v1/studies/", *addresses(study)]:
        assert client.get(address).status_code == 401
    wrong = Client(headers={"authorization": "Token nix"})
    assert wrong.get(addresses(study)[1]).status_code == 401


def test_the_token_of_an_inactive_user_opens_nothing(study: Study) -> None:
    client = by_token(study.owner)
    study.owner.is_active = False
    study.owner.save()

    for address in ["/api/v1/studies/", *addresses(study)]:
        response = client.get(address)
        assert response.status_code == 401
        assert response.json()["code"] == "authentication_failed"


def test_those_it_is_shared_with_and_superusers_see_it(study: Study) -> None:
    friend = make_user()
    study.shared_with.add(friend)

    for user in (friend, make_user(is_superuser=True)):
        assert by_token(user).get(addresses(study)[0]).status_code == 200


def test_a_study_says_its_state_and_its_numbers(study: Study) -> None:
    make_study()

    client = by_token(study.owner)
    (listed,) = client.get("/api/v1/studies/").json()["results"]
    shown = client.get(addresses(study)[0]).json()

    assert (listed["slug"], listed["state"]) == (study.slug, "open")
    assert shown["counts"] == {
        "n_items": 10,
        "n_checks": 0,
        "n_tuples": 20,
        "n_booklets": 1,
        "n_places": 5,
        "n_people": 1,
        "n_counted_judgments": 20,
        "n_counted_simulated_judgments": 0,
    }


def test_an_export_leaves_no_file_behind(study: Study, settings) -> None:
    content(by_token(study.owner).get(f"/api/v1/studies/{study.slug}/export/"))

    assert list((settings.DATA / "exports").iterdir()) == []
