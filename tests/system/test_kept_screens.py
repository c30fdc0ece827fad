"""Several web processes keep what they showed: what a researcher changes shows in all of them."""

from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.system.servers import UNUSED_REDIS, Installation

# Two processes answer in turns, or as the system likes: so many requests reach both.
N_REQUESTS = 12

MAKE_STUDY = """
from tests.support.factories import join, make_open_study
print("key", join(make_open_study(dialogues=2)).key)
"""
CHANGE = """
from annotation.models import Study
Study.objects.update({changes})
"""
FINISH = """
from annotation.models import Study
from annotation.studies.services import studies
studies.finish(study=Study.objects.get())
"""


def screens(installation: Installation, key: str) -> Iterator[tuple[int, str]]:
    for _ in range(N_REQUESTS):
        # A connection of its own: one that is kept stays with its process.
        connection = HTTPConnection("127.0.0.1", installation.port, timeout=20)
        connection.request("GET", f"/a/{key}/s/1/", headers={"Connection": "close"})
        answer = connection.getresponse()
        yield answer.status, answer.read().decode()
        connection.close()


@pytest.mark.timeout(300)
@pytest.mark.postgres
def test_no_process_shows_a_text_that_was_changed(
    deployment: Installation, collected: Path
) -> None:
    deployment.extra["STATIC_ROOT"] = str(collected)
    deployment.redis_url = UNUSED_REDIS
    printed = deployment.python(MAKE_STUDY)
    key = next(line.split()[1] for line in printed.splitlines() if line.startswith("key"))
    deployment.gunicorn()
    assert {status for status, _page in screens(deployment, key)} == {200}

    for n, column in enumerate(["title", "most_question", "instructions"]):
        deployment.python(CHANGE.format(changes=f"{column}='Changed {n} times'"))

        assert all(f"Changed {n} times" in page for _status, page in screens(deployment, key))

    deployment.python(FINISH)
    assert {status for status, _page in screens(deployment, key)} == {303}
