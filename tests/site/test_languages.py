"""In which language a page speaks, and what stays the same in every language."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from annotation.basics.languages import wanted
from annotation.core.services import jobs
from annotation.models import Job, Study
from tests.support.annotating import Participant
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.researcher_pages import finish_booklet, signed_in, text, url

pytestmark = pytest.mark.django_db

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


def language_of(response: Any) -> str:
    found = re.search(r'<html[^>]* lang="([^"]+)"', text(response))
    return found[1] if found else ""


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-CH,en;q=0.5", "de"),
        ("fr,de;q=0.7,en;q=0.8", "en"),
        ("fr", "en"),
        ("*", "en"),
        ("x" * 2000, "en"),
        ("de;q=junk", "en"),
    ],
)
def test_the_first_language_that_there_is_is_taken(header: str, language: str) -> None:
    assert wanted(header, {"en", "de"}) == language


def test_the_researchers_pages_follow_the_browser_and_set_no_cookie_for_it() -> None:
    client = Client()

    german = client.get("/admin/login/", headers=GERMAN)
    english = client.get("/admin/login/", headers={"Accept-Language": "fr, en;q=0.5"})

    assert (language_of(german), language_of(english)) == ("de", "en")
    assert "Passwort" in text(german)
    assert "Accept-Language" in german["Vary"]
    assert set(client.cookies) <= {"csrftoken"}


def test_the_researchers_pages_have_no_czech() -> None:
    assert language_of(Client().get("/admin/login/", headers={"Accept-Language": "cs"})) == "en"


def test_a_request_leaves_its_language_to_nobody_else() -> None:
    Client().get("/admin/login/", headers=GERMAN)

    assert translation.get_language() == "en"


def test_the_api_speaks_english() -> None:
    response = Client().get("/api/v1/studies/", headers=GERMAN)

    assert "not provided" in response.json()["detail"]


def test_an_annotators_page_follows_its_study_and_not_the_browser() -> None:
    participant = Participant(make_open_study(language="fr"))

    response = participant.get("s/1/", headers=GERMAN)

    assert language_of(response) == "en"
    assert 'lang="fr"' in text(response)


@pytest.fixture
def scored() -> Study:
    """An open study that somebody has answered, with a result and a certificate."""
    study = make_open_study(
        owner=make_user("ada"), parameters={"annotations_per_tuple": 2, "factor": 1.2}
    )
    for _somebody in range(2):
        finish_booklet(study)
    jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"n_splits": 3})
    return study


PAGES = ("change", "describe", "items", "design", "collect", "booklets", "people", "results")
PAGES += ("result_items", "download", "share", "history", "try_instructions")
# What scripts, style sheets and servers read: everything in a tag but what people read or hear.
_ATTRIBUTES = re.compile(r'\s([a-z-]+)="([^"]*)"')
_FOR_PEOPLE = {"aria-label", "title", "alt", "content", "placeholder", "data-copied"}


def _machine_values(html: str) -> list[tuple[str, str]]:
    tags = re.findall(r"<[a-zA-Z][^>]*>", html)
    return [
        (name, value)
        for tag in tags
        for name, value in _ATTRIBUTES.findall(tag)
        if name not in _FOR_PEOPLE
    ]


@pytest.mark.parametrize("page", PAGES)
def test_german_writes_no_comma_into_attributes_and_coordinates(scored: Study, page: str) -> None:
    client = signed_in(scored.owner)

    english = client.get(url(scored, page))
    german = client.get(url(scored, page), headers=GERMAN)

    assert german.status_code == 200
    found = [pair for pair in _machine_values(text(german)) if re.search(r"\d,\d", pair[1])]
    assert found == [
        pair for pair in _machine_values(text(english)) if re.search(r"\d,\d", pair[1])
    ]


def _without_ids(values: list[tuple[str, str]]) -> list[tuple[str, str]]:
    left_out = {"id", "aria-labelledby", "aria-describedby", "lang", "href", "value", "style"}
    return [pair for pair in values if pair[0] not in left_out]


def test_plots_have_the_same_coordinates_in_german(scored: Study) -> None:
    client = signed_in(scored.owner)
    plots = []
    for headers in ({}, GERMAN):
        html = text(client.get(url(scored, "results"), headers=headers))
        plots.append(re.findall(r"<svg class=\"plot\".*?</svg>", html, re.DOTALL))

    english, german = plots
    assert len(english) == len(german) > 0
    for one, other in zip(english, german, strict=True):
        assert _without_ids(_machine_values(one)) == _without_ids(_machine_values(other))
    # What people read there is theirs.
    assert any(re.search(r">-?\d,\d+<", plot) for plot in german)


def test_forms_and_json_keep_the_point_in_german(scored: Study) -> None:
    draft = make_study(owner=scored.owner)
    draft.design.parameters["factor"] = 1.5
    design = draft.design
    design.parameters = {**design.parameters, "factor": 1.5}
    design.save()
    client = signed_in(scored.owner)
    job = scored.jobs.first()
    assert job

    form = text(client.get(url(draft, "design"), headers=GERMAN))
    state = client.get(url(scored, "job_state", job.pk), headers=GERMAN)

    field = re.search(r'<input[^>]*name="factor"[^>]*>', form)
    assert field
    assert 'value="1.5"' in field[0]
    assert isinstance(json.loads(text(state))["percent"], int)


@pytest.mark.slow
def test_an_export_is_the_same_in_german(scored: Study) -> None:
    client = signed_in(scored.owner)

    english = client.get(url(scored, "archive"))
    german = client.get(url(scored, "archive"), headers=GERMAN)

    assert _files(english) == _files(german)


def _files(response: Any) -> dict[str, str]:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        return {
            # When it was made differs.
            name: re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "", archive.read(name).decode())
            for name in archive.namelist()
            if name != "SHA256SUMS"
        }


def test_what_a_job_found_wrong_is_said_in_the_language_of_who_looks() -> None:
    study = make_study(owner=make_user())
    job = jobs.run_here(
        study=study, kind=Job.Kind.SCORE, parameters={"population": "nobody in particular"}
    )
    line = json.loads(job.error)

    assert line["with"] == {"name": "nobody in particular"}
    assert job.problems == [
        "“nobody in particular” is not a population. Choose people or simulated."
    ]
