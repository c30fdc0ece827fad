"""The disk is full: what is not stored is not acknowledged, and the log says it in one line."""

import errno
import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.handlers.exception import convert_exception_to_response
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from annotation.basics.full_disk import is_database_held, is_disk_full
from annotation.basics.sentences import stored
from annotation.core.services import jobs
from annotation.models import Draft, Job, Judgment, Study
from annotation.studies.queries import overview
from config.logs import FullDisk
from tests.support.annotating import Participant, read
from tests.support.api import by_token
from tests.support.factories import make_open_study, make_user
from tests.support.full_disks import full_disk

pytestmark = pytest.mark.django_db(transaction=True)

# Long enough that the pages of a SQLite file have no room for it.
LONG = "x" * 1900


def write_to_a_full_file(*_arguments: Any, **_options: Any) -> None:
    Path("/dev/full").write_text("x")


@pytest.fixture
def mine() -> Participant:
    return take_part("en")


def take_part(language: str) -> Participant:
    """Somebody with so many questions on one screen that not all answers find room."""
    somebody = Participant(
        make_open_study(language=language, dialogues=4, parameters={"questions_per_screen": 12})
    )
    somebody.client.raise_request_exception = False
    assert len(somebody.questions()) > 6
    return somebody


@dataclass
class Log:
    """The server's log, and the time in seconds as its filters see it."""

    stream: StringIO = field(default_factory=StringIO)
    time: float = 0

    def lines(self) -> list[str]:
        """What came since they were read last."""
        found = self.stream.getvalue().splitlines()
        self.stream.seek(0)
        self.stream.truncate()
        return found


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Log:
    made = Log()
    [handler] = [one for one in logging.getLogger("django").handlers if one.name == "stderr"]
    # As a process that has told nothing before.
    filters = [FullDisk() if isinstance(one, FullDisk) else one for one in handler.filters]
    monkeypatch.setattr(handler, "filters", filters)
    monkeypatch.setattr(handler, "stream", made.stream)
    monkeypatch.setattr("config.logs.monotonic", lambda: made.time)
    return made


def save(mine: Participant, n: int, **more: str) -> HttpResponse:
    question = mine.questions()[n]
    key = f"00000000-0000-4000-8000-{n:012}"
    return mine.save(question, mine.choice(question, idempotency_key=key, comment=LONG, **more))


def is_temporary(answer: HttpResponse) -> bool:
    return answer.status_code == 503 and int(answer["Retry-After"]) > 0


def until_refused(send: Callable[[], HttpResponse], *, at_most: int) -> list[HttpResponse]:
    """SQLite has room for a few rows yet; what the disk has no room for is the last answer."""
    answers = [send()]
    while not is_temporary(answers[-1]) and len(answers) < at_most:
        answers.append(send())
    return answers


def test_a_database_that_somebody_holds_too_long_is_answered_with_come_again(
    tmp_path: Path, settings
) -> None:
    settings.DEBUG_PROPAGATE_EXCEPTIONS = False

    def held(_request: HttpRequest) -> HttpResponse:
        with (
            closing(sqlite3.connect(tmp_path / "held", isolation_level=None)) as first,
            closing(sqlite3.connect(tmp_path / "held", timeout=0, isolation_level=None)) as second,
        ):
            first.execute("begin immediate")
            second.execute("begin immediate")
        raise AssertionError("It was not held.")

    with pytest.raises(sqlite3.OperationalError) as raised:
        held(RequestFactory().get("/"))

    assert is_database_held(raised.value)
    assert not is_disk_full(raised.value)
    answer = convert_exception_to_response(held)(RequestFactory().get("/"))
    assert is_temporary(answer)


# -- An annotator's answer ------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_not_stored_is_not_acknowledged_and_can_be_sent_again(mine: Participant) -> None:
    n = len(mine.questions())
    with full_disk("annotation_judgment"):
        answers = [save(mine, k) for k in range(n)]

    refused = [k for k, answer in enumerate(answers) if answer.status_code != 200]
    assert refused
    for k in refused:
        assert is_temporary(answers[k])
        assert answers[k].json()["error"]
        assert "no-store" in answers[k]["Cache-Control"]
    assert Judgment.objects.count() == n - len(refused)
    assert not Draft.objects.exists()
    assert [save(mine, k).status_code for k in refused] == [200] * len(refused)
    assert Judgment.objects.count() == n


def test_without_a_script_the_page_says_in_the_studys_language_what_to_do() -> None:
    mine = take_part("de")
    form = mine.filled()
    form |= {name: LONG for name in form if name.endswith("-comment")}

    with full_disk("annotation_judgment"):
        refused = mine.post("s/1/", form)

    assert is_temporary(refused)
    page = refused.content.decode()
    assert '<html lang="de"' in page
    assert "data-not-stored" in page
    assert "data-what-to-do" in page


@pytest.mark.slow
def test_whoever_joins_is_asked_to_come_back(client: Client) -> None:
    study = make_open_study(parameters={"annotations_per_tuple": 400})
    client.raise_request_exception = False
    url = f"/j/{study.join_token}/"

    def join() -> HttpResponse:
        return client.post(url, {**read(client.get(url)).forms[url], "agree": "1"})

    with full_disk("annotation_annotator"):
        answers = until_refused(join, at_most=120)

    assert is_temporary(answers[-1])
    assert study.annotators.count() == sum(answer.status_code == 303 for answer in answers)
    assert join().status_code == 303


# -- The API --------------------------------------------------------------------------------------


def test_a_write_by_the_api_is_refused_in_its_own_form() -> None:
    client = by_token(make_user(), raise_request_exception=False)
    sent = {"title": "A study", "preset": "giccs"}

    with full_disk("annotation_study"):
        created = until_refused(
            lambda: client.post("/api/v1/studies/", sent, "application/json"), at_most=20
        )

    assert is_temporary(created[-1])
    assert created[-1].json()["code"] == "service_unavailable"
    assert Study.objects.count() == sum(answer.status_code == 201 for answer in created)


@pytest.mark.parametrize("error", [RuntimeError("unforeseen"), KeyError("unforeseen")])
def test_no_failure_of_an_api_view_is_html(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_arguments: Any, **_options: Any) -> None:
        raise error

    client = by_token(make_user(), raise_request_exception=False)
    monkeypatch.setattr("annotation.studies.api.studies.StudyList.get", fails)

    answer = client.get("/api/v1/studies/", headers={"accept": "text/html"})

    assert answer.status_code == 500
    assert answer["Content-Type"] == "application/json"
    assert answer.json().keys() == {"code", "detail"}
    assert "unforeseen" not in answer.content.decode()


def test_a_full_disk_of_files_is_refused_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    client = by_token(make_user(), raise_request_exception=False)
    monkeypatch.setattr("annotation.studies.api.studies.StudyList.get", write_to_a_full_file)

    assert is_temporary(client.get("/api/v1/studies/"))


def test_a_researcher_is_told_on_a_page(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin_client.raise_request_exception = False
    monkeypatch.setattr(overview, "studies", write_to_a_full_file)

    answer = admin_client.get("/admin/")

    assert is_temporary(answer)
    assert "data-what-to-do" in answer.content.decode()


# -- A job ----------------------------------------------------------------------------------------


def test_a_job_says_that_the_disk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job.objects.create(
        study=make_open_study(), kind=Job.Kind.SCORE, queued_at=timezone.now()
    )
    monkeypatch.setattr(jobs, "_work_of", lambda _kind: write_to_a_full_file)

    with pytest.raises(OSError, match="No space left"):
        jobs.run(job.pk)

    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.FAILED, stored(jobs.DISK_FULL))


# -- The log --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_log_has_one_line_a_minute_and_no_traceback(mine: Participant, log: Log) -> None:
    def try_to_save() -> int:
        answers = [save(mine, n, base="none") for n in range(len(mine.questions()))]
        return sum(answer.status_code == 503 for answer in answers)

    with full_disk("annotation_judgment"):
        assert try_to_save() > 1
        lines = log.lines()
        assert [line.split()[2] for line in lines] == ["CRITICAL"]
        log.time += FullDisk.PAUSE_SECONDS - 1
        assert try_to_save() > 1
        assert log.lines() == []
        log.time += 1
        assert try_to_save() > 1
        assert len(log.lines()) == 1


def test_other_errors_keep_their_tracebacks(
    log: Log, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_arguments: Any) -> None:
        raise OSError(errno.EACCES, "no")

    client.raise_request_exception = False
    monkeypatch.setattr("annotation.answering.pages.public.page", fails)

    answers = [client.get("/").status_code for _ in range(2)]

    assert answers == [500, 500]
    lines = log.lines()
    assert sum(" ERROR " in line for line in lines) == 2
    assert sum(line.startswith("Traceback") for line in lines) >= 2


# -- What it is known by --------------------------------------------------------------------------


def test_a_full_disk_is_known_by_its_error_behind_others() -> None:
    with pytest.raises(OSError, match="No space left") as caught:
        write_to_a_full_file()
    outer = ValueError("the file cannot be written")
    outer.__cause__ = caught.value

    assert is_disk_full(caught.value)
    assert is_disk_full(outer)
    assert not is_disk_full(OSError(errno.EACCES, "no"))
    assert not is_disk_full(DatabaseError("the disk is full"))
    assert not is_disk_full(None)


@pytest.mark.parametrize(
    ("code", "is_full"),
    [
        (sqlite3.SQLITE_FULL, True),
        (sqlite3.SQLITE_IOERR_SHMSIZE, True),  # the first to open a database on a full disk
        (sqlite3.SQLITE_BUSY, False),
        (sqlite3.SQLITE_IOERR_READ, False),
    ],
)
def test_the_codes_of_sqlite(code: int, is_full: bool) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code

    assert is_disk_full(error) is is_full


def test_an_error_that_is_its_own_cause_ends() -> None:
    one, other = ValueError(), ValueError()
    one.__context__, other.__context__ = other, one

    assert not is_disk_full(one)
