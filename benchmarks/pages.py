"""Count the queries of every annotator's page, and of saving, on a study that is filled.

    python -m benchmarks.pages KEYS_FILE

The last line printed is JSON: `counts`, of each page [queries, transactions], and `rendered`, of
each template that was rendered, whether a transaction was open meanwhile.
"""

import json
import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from collections.abc import Iterator  # noqa: E402 - models need the settings
from typing import Any  # noqa: E402
from uuid import uuid4  # noqa: E402

from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.signals import template_rendered  # noqa: E402
from django.test.utils import CaptureQueriesContext, setup_test_environment  # noqa: E402

from annotation.models import Study  # noqa: E402

_BOUNDARY = re.compile(r"^(BEGIN|COMMIT|SAVEPOINT|RELEASE|PRAGMA)", re.IGNORECASE)


class Counter:
    """A browser without JavaScript that counts what its requests cost."""

    def __init__(self) -> None:
        self.counts: dict[str, tuple[int, int]] = {}
        self.rendered: list[tuple[str, bool]] = []
        self._client = Client(SERVER_NAME="localhost")

    @contextmanager
    def _counted(self, name: str) -> Iterator[None]:
        with CaptureQueriesContext(connection) as captured:
            yield
        said = [query["sql"] for query in captured.captured_queries]
        begun = sum(sql.upper().startswith("BEGIN") for sql in said)
        if name:
            self.counts[name] = (sum(not _BOUNDARY.match(sql) for sql in said), begun)

    def get(self, name: str, path: str, status: int = 200) -> str:
        with self._counted(name):
            response = self._client.get(path)
        assert response.status_code == status, (path, response.status_code)
        return response.content.decode()

    def post(self, name: str, path: str, data: dict[str, Any], status: int) -> None:
        with self._counted(name):
            response = self._client.post(path, data, headers={"accept": "application/json"})
        assert response.status_code == status, (path, response.content.decode())


def count_pages(key: str, n_screens: int) -> Counter:
    pages = Counter()

    def note(template: Any, **_: Any) -> None:
        if template.name and not template.name.rpartition("/")[2].startswith("_"):
            pages.rendered.append((template.name, connection.in_atomic_block))

    setup_test_environment(debug=False)  # it is what makes templates tell when they are rendered
    template_rendered.connect(note)
    own = f"/a/{key}/"
    study = Study.objects.get()
    pages.get("", f"{own}s/1/")  # what is cached after the first request is cached here, too
    pages.get("consent", f"/j/{study.join_token}/")
    pages.get("own page (leads to the open screen)", own, status=303)
    html = pages.get("screen", f"{own}s/1/")
    question, answer = _answer(html)
    url = f"{own}q/{question}/"
    draft = {**answer, "worst": "", "sequence": 1, "idempotency_key": uuid4()}
    pages.post("save a first choice", url, draft, 200)
    pages.post("save a complete answer", url, {**answer, "idempotency_key": uuid4()}, 200)
    revised = {**answer, "comment": "changed", "idempotency_key": uuid4()}
    pages.post("save a changed answer", url, revised, 200)
    pages.post("save the same again (resend)", url, revised, 200)
    question, answer = _answer(pages.get("", f"{own}s/2/"))
    fresh = {**answer, "idempotency_key": uuid4()}
    pages.post("save a complete answer, without a draft", f"{own}q/{question}/", fresh, 200)
    for number in range(3, n_screens + 1):
        question, answer = _answer(pages.get("", f"{own}s/{number}/"))
        form = {f"q{question}-{name}": value for name, value in answer.items()}
        pages.post("save a screen without JavaScript", f"{own}s/{number}/", form, 303)
    pages.get("screen, answered", f"{own}s/1/")
    pages.get("overview", f"{own}overview/")
    pages.get("withdraw", f"{own}withdraw/")
    pages.post("submit", f"{own}submit/", {}, 200)
    pages.get("thanks", own)
    template_rendered.disconnect(note)
    return pages


def _answer(html: str) -> tuple[str, dict[str, Any]]:
    found = re.search(r'name="q(\d+)-shown" value="([^"]*)"', html)
    assert found, "the screen shows no question"
    best, worst = re.findall(r'name="q\d+-best" value="(\d+)"', html)[:2]
    return found[1], {
        "best": best,
        "worst": worst,
        "comment": "",
        "active_ms": 1000,
        "shown": found[2],
        "sequence": 2,
    }


if __name__ == "__main__":
    key, n_screens = json.loads(Path(sys.argv[1]).read_text())[-1]
    pages = count_pages(key, n_screens)
    print(json.dumps({"counts": pages.counts, "rendered": pages.rendered}))
