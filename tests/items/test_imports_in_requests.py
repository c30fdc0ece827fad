"""A request reads the beginning of a file, the job all of it; nobody fills disk or queue alone."""

import io
import json
from collections.abc import Iterator

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.basics.errors import ImportProblemsError, StateError
from annotation.core.services import jobs
from annotation.items.imports import items as item_files
from annotation.items.imports.foreign import potato
from annotation.items.imports.foreign.entries import Remarks
from annotation.items.imports.problems import Problems
from annotation.items.services import uploads
from annotation.kinds.registry import KINDS
from annotation.models import Job, Study
from annotation.models.kinds import QuestionKind
from tests.support.api import address, by_token
from tests.support.at_once import at_once
from tests.support.factories import make_study, make_user
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

PREVIEW_BYTES = 2000


@pytest.fixture(autouse=True)
def short_previews(settings) -> None:
    settings.IMPORT_PREVIEW_BYTES = PREVIEW_BYTES


def table(n: int, *, last: str = "") -> bytes:
    return ("id,text\n" + "".join(f"k{i},text number {i}\n" for i in range(n)) + last).encode()


def empty_study(kind: str = QuestionKind.BEST_WORST) -> Study:
    return make_study(dialogues=0, kind=kind)


def upload(client: Client, study: Study, content: bytes, name: str = "items.csv"):
    return client.post(url(study, "upload"), {"file": SimpleUploadedFile(name, content)})


def test_a_preview_reads_the_beginning_and_the_job_finds_the_problem_at_the_end() -> None:
    study = empty_study()
    client = signed_in(study.owner)

    there = upload(client, study, table(500, last="k1,again\n"))
    parsed = client.get(there["Location"]).context["parsed"]

    assert parsed.is_beginning
    assert 10 < len(parsed.items) < 150
    name = there["Location"].split("/preview/")[1].split("/")[0]
    client.post(url(study, "import_start", name), {"filename": "items.csv"})
    job = Job.objects.get()
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert [one["with"]["line"] for one in map(json.loads, job.error.splitlines())] == [502]
    assert study.items.count() == 0


def test_the_whole_of_a_large_file_is_imported() -> None:
    study = empty_study()

    answer = by_token(study.owner).post(
        address(study, "items/"), {"file": SimpleUploadedFile("items.csv", table(500))}
    )

    assert answer.status_code == 202
    jobs.run(Job.objects.get().pk)
    assert study.items.count() == 500


def test_a_check_says_whether_it_read_the_whole_file() -> None:
    study = empty_study()

    def checked(n: int) -> dict[str, object]:
        file = SimpleUploadedFile("items.csv", table(n))
        return by_token(study.owner).post(address(study, "items/check/"), {"file": file}).json()

    assert (checked(20)["is_beginning"], checked(20)["n_items"]) == (False, 20)
    assert checked(500)["is_beginning"] is True


@pytest.mark.parametrize("n_bytes", range(40, 160, 7))
def test_a_beginning_has_no_problem_that_the_whole_file_does_not_have(n_bytes: int) -> None:
    quoted = 'id,text,group\na,"one\ntwo, ""three""\nfour",g\nb,five,g\nc,six,g\nd,"se\nven",g\n'
    lines = "".join(
        json.dumps({"id": f"i{i}", "target": f"a{i}", "candidate": "ä" * 20, "group": "g"}) + "\n"
        for i in range(4)
    )

    for filename, text in (("x.csv", quoted), ("x.jsonl", lines)):
        parsed = item_files.read(
            io.BytesIO(text.encode()),
            filename=filename,
            kind=KINDS["best_worst"].items,
            limit_bytes=10_000,
            tuple_size=4,
            beginning_bytes=n_bytes,
        )
        assert parsed.is_beginning == (len(parsed.items) < 4)


def test_a_table_without_columns_that_are_known_is_not_read_to_its_end() -> None:
    lines = iter(["item,rating\n", *["x,y\n"] * 20_000])
    problems = Problems()

    with pytest.raises(StopIteration):
        next(
            potato.read(
                enumerate(lines, 1),
                problems,
                Remarks(),
                limit_bytes=10**6,
                person="p",
                kind=KINDS["rating"].items,
            )
        )

    assert len(problems) == 1
    assert len(list(lines)) > 5_000


def test_a_large_file_of_answers_is_read_by_the_job_only() -> None:
    study = make_study(dialogues=0)
    head = "Item1,Item2,Item3,Item4,BestItem,WorstItem\n"
    good = "".join(f"a{i},b{i},c{i},d{i},a{i},b{i}\n" for i in range(200))
    client = signed_in(study.owner)

    there = client.post(
        url(study, "finished_upload"),
        {"file": SimpleUploadedFile("a.csv", (head + good).encode()), "format": "nrc"},
    )
    page = client.get(there["Location"])
    check = by_token(study.owner).post(
        address(study, "finished/check/"),
        {"file": SimpleUploadedFile("a.csv", (head + good).encode()), "format": "nrc"},
    )

    assert page.status_code == 200
    assert "answers" not in page.context
    assert check.status_code == 409


def test_a_researcher_keeps_so_much_waiting_and_no_more(settings) -> None:
    settings.IMPORT_QUOTA_BYTES = 1000
    study, other = empty_study(), empty_study()

    def store(by) -> dict[str, str]:
        return uploads.store_upload(study=study, file=[b"x" * 600], filename="x.csv", by=by)

    first = store(study.owner)
    with pytest.raises(ImportProblemsError):
        uploads.store_upload(study=other, file=[b"x" * 600], filename="x.csv", by=study.owner)
    store(make_user())
    uploads.forget_upload(study=study, name=first["path"])

    # What was refused is not kept.
    store(study.owner)


def test_uploads_that_arrive_at_once_are_counted_together(settings) -> None:
    settings.IMPORT_QUOTA_BYTES = 1000
    study = empty_study()

    def store(file) -> None:
        uploads.store_upload(study=study, file=file, filename="x.csv", by=study.owner)

    def slow() -> Iterator[bytes]:
        yield b"x" * 600
        # Another one comes and is stored while this one is on its way.
        store([b"y" * 600])

    with pytest.raises(ImportProblemsError):
        store(slow())

    (kept,) = uploads._uploads().iterdir()
    assert kept.read_bytes() == b"y" * 600


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_uploads_that_end_in_one_moment_as_many_stay_as_may(settings) -> None:
    settings.IMPORT_QUOTA_BYTES = 1000
    study = empty_study()

    def store() -> dict[str, str]:
        return uploads.store_upload(
            study=study, file=[b"x" * 600], filename="x.csv", by=study.owner
        )

    answers = at_once([store] * 4)

    kept = [answer for answer in answers if isinstance(answer, dict)]
    assert len(kept) == 1
    assert [path.name for path in uploads._uploads().iterdir()] == [kept[0]["path"]]


def test_a_researcher_has_so_many_unfinished_jobs_and_no_more(settings) -> None:
    settings.MAX_UNFINISHED_JOBS = 2
    studies = [empty_study() for _ in range(3)]
    researcher = studies[0].owner
    one, _two = (jobs.start(study=s, kind=Job.Kind.SCORE, by=researcher) for s in studies[:2])

    with pytest.raises(StateError):
        jobs.start(study=studies[2], kind=Job.Kind.SCORE, by=researcher)
    jobs.start(study=studies[2], kind=Job.Kind.EXPORT, by=make_user())
    # The one that is there is returned, as ever.
    assert jobs.start(study=studies[0], kind=Job.Kind.SCORE, by=researcher) == one

    jobs.cancel(job=one)
    jobs.start(study=studies[2], kind=Job.Kind.SCORE, by=researcher)
