"""A study by the API, from its making to its scores, and how each step is refused."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from rest_framework.test import APIClient

from annotation.answering.services import assignments
from annotation.basics.sentences import read
from annotation.core.services import audit_log, jobs
from annotation.models import AuditEvent, Job, Judgment, Study
from tests.support.answering import answer_all, answer_one
from tests.support.api import address, answered_study, by_token, problems, token_of
from tests.support.factories import join, make_open_study, make_study, make_user

pytestmark = pytest.mark.django_db

ITEMS = "\n".join(
    ["id,target,candidate", *(f"i{n},A sentence.,Another sentence {n}." for n in range(12))]
)


def client_of(user: Any) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {token_of(user)}")
    return client


def upload(client: APIClient, path: str, text: str, **more: str) -> Any:
    file = SimpleUploadedFile("items.csv", text.encode())
    return client.post(path, {"file": file, **more}, format="multipart")


def work(answer: Any) -> dict[str, Any]:
    """Do the job that was started, as a worker would."""
    assert answer.status_code == 202, answer.content
    jobs.run(answer.json()["id"])
    job = Job.objects.get(pk=answer.json()["id"])
    assert job.state == Job.State.DONE, job.problems
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.slow
def test_a_study_from_its_making_to_its_scores() -> None:  # noqa: PLR0915 - a whole story
    user = make_user("ada")
    client = client_of(user)

    made = client.post(
        "/api/v1/studies/",
        {"title": "Pairs", "texts": {"instructions": "Read both.", "check_prompt": ""}},
        format="json",
    )
    assert made.status_code == 201
    study = Study.objects.get(slug=made.json()["slug"])
    assert (study.owner, study.instructions, made.json()["state"]) == (user, "Read both.", "draft")

    checked = upload(client, address(study, "items/check/"), ITEMS)
    assert (checked.status_code, checked.json()["n_items"]) == (200, 12)
    assert not study.items.exists()
    work(upload(client, address(study, "items/"), ITEMS))
    assert upload(client, address(study, "items/"), ITEMS).status_code == 409
    work(upload(client, address(study, "items/"), ITEMS, earlier="replace"))
    listed = client.get(address(study, "items/"), {"page_size": 5, "page": 2}).json()
    assert (listed["count"], [one["number"] for one in listed["results"]]) == (12, [*range(6, 11)])
    assert client.get(listed["next"]).json()["next"] is None
    found = client.get(address(study, "items/"), {"search": "sentence 11"}).json()
    assert [one["id"] for one in found["results"]] == ["i11"]

    opened = client.post(address(study, "steps/"), {"step": "open"}, format="json")
    assert opened.status_code == 409
    assert "There is no design yet" in opened.json()["detail"]
    edited = client.patch(
        address(study, "design/"),
        {"annotations_per_tuple": 1, "seed": 7, "n_checks": None},
        format="json",
    ).json()
    assert (edited["numbers"]["seed"], edited["is_made"]) == (7, False)
    assert problems(
        client.patch(address(study, "design/"), {"tuple_size": 99}, format="json")
    ) == {"tuple_size"}
    assert problems(client.patch(address(study, "design/"), {"n_teams": 2}, format="json")) == {
        "n_teams"
    }
    forecast = client.get(address(study, "plan/"), {"up_to": 2, "noise": 0.3}).json()
    assert [row["n"] for row in forecast["rows"]] == [1, 2]
    of_ends = client.get(address(study, "plan/"), {"up_to": 2, "shape": "bimodal"}).json()
    assert of_ends["rows"][1]["value"] != forecast["rows"][1]["value"]
    assert problems(client.get(address(study, "plan/"), {"shape": "square"})) == {"shape"}
    work(client.post(address(study, "design/make/")))
    made_design = client.get(address(study, "design/")).json()
    assert made_design["is_made"]
    assert made_design["certificate"]["sentences"]
    step = {"step": "open", "contact": "Ada Example, ada@example.org"}
    opened = client.post(address(study, "steps/"), step, format="json").json()
    assert opened["state"] == "open"
    assert {one["step"] for one in opened["steps"]} == {"pause", "close", "finish"}
    frozen = client.patch(address(study), {"most_question": "Which?"}, format="json")
    assert frozen.status_code == 409
    thanked = client.patch(address(study), {"thanks": "Bye.", "link_open": False}, format="json")
    assert (thanked.json()["texts"]["thanks"], thanked.json()["link_open"]) == ("Bye.", False)

    study.refresh_from_db()
    assert client.post(address(study, "results/")).status_code == 409
    while any(place["free"] for place in places(client, study)):
        joined = join(study)
        answer_all(joined.assignment)
        assignments.submit(assignment=joined.assignment)
    work(client.post(address(study, "results/"), {}, format="json"))
    scores = client.get(address(study, "scores/")).json()
    assert scores["result"]["is_current"]
    assert [one["id"] for one in scores["results"]] == [f"i{n}" for n in range(12)]
    whole = client.get(address(study, f"results/{scores['result']['id']}/")).json()
    assert whole["statistics"]["overall"]

    (person, *_) = client.get(address(study, "annotators/")).json()["results"]
    of_person = address(study, f"annotators/{person['pseudonym']}/")
    assert problems(client.post(f"{of_person}exclude/", {}, format="json")) == {"reason"}
    excluded = client.post(f"{of_person}exclude/", {"reason": "asleep"}, format="json").json()
    assert excluded["exclusion"]["reason"] == "asleep"
    scores = client.get(address(study, "scores/")).json()
    assert not scores["result"]["is_current"]
    assert scores["result"]["changed"]
    assert (
        client.post(f"{of_person}include/", {"reason": "A mistake."}, format="json").json()[
            "exclusion"
        ]
        is None
    )

    lines = audit_log.of_study(study)
    assert [read(one.said) for one in lines if one.door != AuditEvent.API] == []
    assert {read(one.said) for one in lines} >= {
        "Created the study.",
        "Started to import items.csv.",
        "Saved the settings.",
        "Started making the design.",
        "The study is open.",
        "The open link is off.",
        "Started scoring people's answers.",
        f"Excluded {person['pseudonym']}: asleep",
    }


def places(client: APIClient, study: Study) -> list[dict[str, int]]:
    sources = client.get(address(study, "progress/")).json()["sources"]
    return [one["places"] for one in sources]


def test_all_problems_of_a_file_are_told_with_their_lines_fields_and_remedies() -> None:
    study = make_study(dialogues=0, preset="best-worst")
    text = f"{ITEMS}\n,a,b\ni99,a; b,\x00\n"

    answer = upload(client_of(study.owner), address(study, "items/"), text)

    assert answer.status_code == 400
    assert answer.json()["code"] == "problems_in_file"
    assert answer.json()["problems"][0] == {
        "code": "missing",
        "line": 14,
        "field": "id",
        "sentence": "id is empty; give every entry an id",
        "remedy": "give every entry an id",
    }
    assert [one["line"] for one in answer.json()["problems"]] == [14, 15]
    assert not study.jobs.exists()


def test_what_is_not_known_is_refused_with_a_sentence() -> None:
    study = make_study()
    client = client_of(study.owner)

    def patch(data: Any) -> Any:
        return client.patch(address(study), data, format="json")

    assert problems(client.get("/api/v1/studies/?stat=open")) == {"stat"}
    assert problems(client.get("/api/v1/studies/?state=open&state=draft")) == {"state"}
    assert problems(client.get(address(study, "progress/?x=1"))) == {"x"}
    assert problems(patch({"slug": "other"})) == {"slug"}
    assert problems(patch([1])) == {""}
    assert problems(client.patch(address(study), "{", content_type="application/json")) == {""}
    assert client.get("/api/v1/studies/?page=99").status_code == 404
    assert client.patch(address(study), "x", content_type="text/plain").status_code == 415
    for body in ("[" * 100_000, '{"\\ud800": 1}', '{"step": "\\ud800"}', '{"step": 1e999}'):
        for path in (address(study), address(study, "steps/")):
            act = client.patch if path == address(study) else client.post
            assert act(path, body, content_type="application/json").status_code == 400, body
    large = json.dumps({"thanks": "x" * 1024 * 1024})
    assert client.patch(address(study), large, content_type="application/json").status_code == 413
    assert client.put(address(study), {}, format="json").status_code == 405
    for path in ("", "nothing/", "studies/no such study/", "studies/x/y/z/"):
        assert client.get(f"/api/v1/{path}").json()["code"] == "not_found"


def test_a_session_needs_its_token_to_write() -> None:
    study = make_study()
    client = Client(enforce_csrf_checks=True)
    client.force_login(study.owner)

    path, as_json = address(study, "design/make/"), "application/json"
    refused = client.post(path, content_type=as_json)
    client.get("/admin/")
    token = client.cookies["csrftoken"].value
    done = client.post(path, content_type=as_json, headers={"x-csrftoken": token})

    assert (refused.status_code, done.status_code) == (403, 202)
    assert "CSRF" in refused.json()["detail"]


def test_too_many_requests_are_told_when_to_come_back(settings: Any, time_machine: Any) -> None:
    time_machine.move_to("2026-11-20T12:00:00Z", tick=False)
    settings.API_REQUESTS_PER_MINUTE = 2
    client, other = by_token(make_user()), by_token(make_user())

    answers = [client.get("/api/v1/studies/") for _ in range(3)]

    assert [one.status_code for one in answers] == [200, 200, 429]
    assert 1 <= int(answers[-1]["Retry-After"]) <= 60
    assert answers[-1].json()["detail"]
    assert other.get("/api/v1/studies/").status_code == 200


def test_links_of_a_roster_are_told_once() -> None:
    study = make_open_study()
    client = client_of(study.owner)
    entries = [{"id": "s1", "name": "Ada", "email": "ada@example.org"}, {"id": "s2"}]

    def add(entries: Any) -> Any:
        return client.post(address(study, "roster/"), {"entries": entries}, format="json")

    assert problems(add([{"id": "s1"}, {"id": "s1", "email": "x"}])) == {""}
    made = add(entries).json()
    assert [one["id"] for one in made["links"]] == ["s1", "s2"]
    assert Client().get(made["links"][0]["url"]).status_code == 200
    assert add(entries).json() == {"links": [], "n_known": 2}
    listed = client.get(address(study, "roster/")).json()
    assert made["links"][0]["url"].rsplit("/", 2)[1] not in json.dumps(listed)
    assert "Ada" not in json.dumps(client.get(address(study, "annotators/")).json())


@pytest.mark.slow
def test_judgments_stream_on_from_where_one_stopped(
    monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    study = make_open_study()
    joined = join(study)
    answer_all(joined.assignment)
    question = joined.assignment.judgments.order_by("pk")[0].question
    # A change of mind.
    answer_one(joined.assignment, question, best=1, worst=2, comment="My name is Ad")
    answer_one(joined.assignment, question, best=1, worst=0, comment="a\tb")
    assignments.submit(assignment=joined.assignment)
    client = client_of(study.owner)
    monkeypatch.setattr("annotation.results.queries.judgment_stream.CHUNK", 7)

    def lines(**query: Any) -> list[str]:
        answer = client.get(address(study, "judgments/"), query)
        return b"".join(answer.streaming_content).decode().splitlines()

    rows = [json.loads(line) for line in lines()]
    assert len(rows) == Judgment.objects.current().count() == 20
    assert {row["status"] for row in rows} == {"counted"}
    assert {rows[0]["best"], rows[0]["worst"]} <= {*rows[0]["shown"]}
    assert [json.loads(line) for line in lines(after=rows[11]["id"])] == rows[12:]
    assert [json.loads(line) for line in lines(after=rows[2]["id"], limit=9)] == rows[3:12]
    versions = [json.loads(line) for line in lines(versions="all")]
    assert sorted(row["status"] for row in versions) == ["counted"] * 20 + ["superseded"] * 2
    # A comment that was replaced is its writer's alone.
    assert {row["comment"] for row in versions} == {"", "a\tb"}
    assert lines(population="simulated") == []
    header, *table = lines(type="tsv")
    assert header.split("\t")[0] == "id"
    assert [line.split("\t")[0] for line in table] == [str(row["id"]) for row in rows]
    assert '"a\tb"' in table[-1]
    with django_assert_max_num_queries(30):
        lines()


@pytest.mark.slow
def test_the_style_of_a_prompt_is_a_setting_of_multiple_choice() -> None:
    study = answered_study()
    client = client_of(study.owner)

    def asked(style: str) -> Any:
        measure = {"measure": "multiple_choice", "settings": {"model": "m", "style": style}}
        return client.post(address(study, "baselines/"), {"measures": [measure]}, format="json")

    refused = asked("own")
    assert refused.status_code == 400
    assert "style is 'own': choose plain or giccs" in refused.content.decode()
    assert asked("giccs").status_code == 202
    specifications = study.jobs.latest("pk").parameters["specifications"]
    assert specifications[-1]["settings"]["style"] == "giccs"


@pytest.mark.slow
def test_measures_are_asked_for_uploaded_and_read() -> None:
    study = answered_study()
    client = client_of(study.owner)

    found = {"accuracy": 0.5, "n_encoded": 0, "n_kept": 6}
    study.baselines.update(figures=found)

    listed = client.get(address(study, "baselines/")).json()["results"]
    # That all texts had been encoded before would tell that another study has them.
    assert listed[0]["figures"] == {"accuracy": 0.5}
    values = client.get(address(study, f"baselines/{listed[0]['id']}/values/"))
    assert len(b"".join(values.streaming_content).splitlines()) == 1 + study.items.count()
    assert client.get(address(study, "leaderboard/")).json()["figures"]
    assert problems(
        client.post(
            address(study, "baselines/"), {"measures": [{"measure": "nix"}]}, format="json"
        )
    ) == {"measures.0.measure"}
    started = client.post(
        address(study, "baselines/"),
        {"people": {"kind": "column", "name": "mean"}, "n_resamples": 0},
        format="json",
    )
    work(started)
    wrong = upload(client, address(study, "baselines/upload/"), "nobody,1\n", name="mine")
    assert wrong.status_code == 400
    assert wrong.json()["problems"]


def test_a_job_is_watched_and_cancelled() -> None:
    study = make_study()
    client = client_of(study.owner)
    job = client.post(address(study, "design/make/")).json()

    listed = client.get(address(study, "jobs/"), {"state": "queued"}).json()["results"]
    cancelled = client.post(address(study, f"jobs/{job['id']}/cancel/")).json()

    assert [one["id"] for one in listed] == [job["id"]]
    assert (cancelled["state"], cancelled["is_finished"]) == ("cancelled", True)
    assert cancelled["remedy"] == "The design has not changed."


def test_a_draft_is_deleted_by_its_owner_and_nobody_else() -> None:
    study, colleague = make_study(), make_user()
    study.shared_with.add(colleague)

    assert by_token(colleague).delete(address(study)).status_code == 403
    assert by_token(study.owner).delete(address(study)).status_code == 204
    opened = make_open_study(owner=study.owner)
    assert by_token(study.owner).delete(address(opened)).status_code == 409
    assert [*Study.objects.all()] == [opened]
