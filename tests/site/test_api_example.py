"""The example of docs/api.md: from a file to scores, as it stands there, against a server."""

import re
import threading
import time
from typing import Any

import pytest
from django.conf import settings

from annotation.answering.services import assignments
from annotation.core.services import jobs
from annotation.models import Job, Study
from annotation.studies import presets
from tests.support.answering import answer_all
from tests.support.api import token_of
from tests.support.factories import join, make_user

requests = pytest.importorskip("requests")
SLEEP = time.sleep


def example() -> str:
    text = (settings.BASE_DIR / "docs" / "api.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(code.splitlines()) == 10
    return str(code)


def meanwhile(seconds: float) -> None:
    """What others do while the example sleeps: a worker works, people answer."""
    if threading.current_thread() is not threading.main_thread():
        SLEEP(seconds)
        return
    if job := Job.objects.filter(state=Job.State.QUEUED).first():
        jobs.run(job.pk)
        return
    study = Study.objects.get(state=Study.State.OPEN)
    joined = join(study)
    answer_all(joined.assignment)
    assignments.submit(assignment=joined.assignment)


# The example leaves its file to the end of the program.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ten_lines_go_from_a_file_to_scores(
    open_server: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # One answer a tuple is enough to be scored; the presets' five take a while to be given.
    monkeypatch.setitem(presets.PRESETS["giccs"].parameters, "annotations_per_tuple", 1)
    user = make_user("ada")
    monkeypatch.setenv("LIKENESS_URL", open_server.url)
    monkeypatch.setenv("LIKENESS_TOKEN", token_of(user))
    monkeypatch.chdir(settings.BASE_DIR)
    monkeypatch.setattr(time, "sleep", meanwhile)

    exec("import os, time, requests\n" + example(), {})  # it is ours

    header, *rows = capsys.readouterr().out.strip().splitlines()
    assert header.split("\t")[:3] == ["id", "number", "score"]
    study = Study.objects.get(owner=user)
    assert len(rows) == study.items.count() > 50
    assert all(-1 <= float(row.split("\t")[2]) <= 1 for row in rows)
