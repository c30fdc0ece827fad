"""One account's slow pages leave threads for everybody else."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from annotation.core import fair_share
from annotation.core.fair_share import FairShare
from annotation.core.services import tokens
from tests.support.factories import make_user

LIMIT = 2


class Site:
    """Pages that are in work until they are let go."""

    def __init__(self) -> None:
        self.entered, self.go_on = threading.Semaphore(0), threading.Event()
        self.middleware = FairShare(self._slow)

    def _slow(self, request: HttpRequest) -> HttpResponse:
        if request.GET.get("slow"):
            self.entered.release()
            self.go_on.wait(60)
        return HttpResponse("done")

    def ask(self, path: str, account: int | None, **headers: str) -> Any:
        request = RequestFactory().get(path, headers=headers)
        request.session = {SESSION_KEY: str(account)} if account else {}  # type: ignore[assignment]
        return self.middleware(request)

    @contextmanager
    def busy(self, account: int, n: int) -> Iterator[None]:
        """So many pages of this account are being computed."""
        threads = [
            threading.Thread(target=self.ask, args=["/admin/?slow=1", account]) for _ in range(n)
        ]
        for thread in threads:
            thread.start()
            assert self.entered.acquire(timeout=60)
        yield
        self.go_on.set()
        for thread in threads:
            thread.join(60)


@pytest.fixture
def site(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Site:
    settings.WEB_THREADS = 2 * LIMIT
    monkeypatch.setattr(fair_share, "_WAIT_SECONDS", 0.0)
    return Site()


def test_who_keeps_half_of_the_threads_busy_is_asked_to_wait(site: Site) -> None:
    with site.busy(1, LIMIT):
        refused = site.ask("/admin/", 1)

    assert refused.status_code == 429
    assert refused["Retry-After"] == refused["Refresh"] == "3"
    assert site.ask("/admin/", 1).status_code == 200


def test_others_are_answered_meanwhile(site: Site) -> None:
    with site.busy(1, LIMIT):
        assert site.ask("/admin/", 2).status_code == 200
        assert site.ask("/admin/login/", None).status_code == 200
        # The annotator's page of somebody who is signed in as a researcher.
        assert site.ask("/a/key/", 1).status_code == 200


def test_fewer_than_half_are_not_refused(site: Site) -> None:
    with site.busy(1, LIMIT - 1):
        assert site.ask("/admin/", 1).status_code == 200


def test_a_page_that_fails_gives_its_thread_back(site: Site) -> None:
    def fail(request: HttpRequest) -> HttpResponse:
        raise LookupError

    site.middleware.get_response = fail
    for _ in range(LIMIT + 1):
        with pytest.raises(LookupError):
            site.ask("/admin/", 1)


@pytest.mark.django_db
def test_a_program_with_several_tokens_is_one_account(site: Site) -> None:
    user = make_user()
    first, second = (
        tokens.make(user=user, name=name, can_write=False).key for name in ("first", "second")
    )

    with site.busy(user.pk, LIMIT):
        for token in (first, second):
            answer = site.ask("/api/v1/studies/", None, authorization=f"Token {token}")
            assert answer.status_code == 429
            assert b'"too_many_requests"' in answer.content
        assert site.ask("/api/v1/", None, authorization="Token unknown").status_code == 200


@pytest.mark.django_db
def test_a_stream_counts_until_all_of_it_is_sent(site: Site) -> None:
    site.middleware.get_response = lambda request: StreamingHttpResponse(iter([b"a", b"b"]))
    streams = [site.ask("/api/v1/", 1) for _ in range(LIMIT)]

    assert site.ask("/api/v1/", 1).status_code == 429
    streams[0].close()
    streams[0].close()  # a server may do it twice

    assert site.ask("/api/v1/", 1).status_code == 200
    assert site.ask("/api/v1/", 1).status_code == 429


@pytest.mark.django_db
def test_a_header_that_pages_do_not_look_at_makes_nobody_else_of_a_session(site: Site) -> None:
    with site.busy(1, LIMIT):
        assert site.ask("/admin/", 1, authorization="Token unknown").status_code == 429


def test_one_request_waits_at_a_time(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_share, "_WAIT_SECONDS", 60)
    with site.busy(1, LIMIT):
        waiting = threading.Thread(target=site.ask, args=["/admin/", 1])
        waiting.start()
        while not site.middleware._n_waiting:
            pass

        assert site.ask("/admin/", 1).status_code == 429

    waiting.join(60)
    assert not waiting.is_alive()
