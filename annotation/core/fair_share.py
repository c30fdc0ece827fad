"""No account keeps more than half of the threads busy: annotators are answered all the while."""

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponseBase
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from annotation.core.api.authentication import ByToken
from annotation.core.pages import failing

# Pages of people without an account; what they may send is limited elsewhere.
_OTHERS = ("/a/", "/j/", "/p/", "/static/")
# A page and what it fetches come together, and are fast; a thread that waits is no use to others.
_WAIT_SECONDS = 0.5


class FairShare:
    """Middleware: asks whoever has many requests in work to try again, before more is done."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._busy: Counter[Hashable] = Counter()
        self._changed = threading.Condition()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        account = None if request.path_info.startswith(_OTHERS) else _account(request)
        if account is None:
            return self.get_response(request)
        with self._share_of(account) as is_free:
            return self.get_response(request) if is_free else failing.many_at_once(request)

    @contextmanager
    def _share_of(self, account: Hashable) -> Iterator[bool]:
        limit = max(1, settings.WEB_THREADS // 2)
        with self._changed:
            is_free = self._changed.wait_for(lambda: self._busy[account] < limit, _WAIT_SECONDS)
            self._busy[account] += is_free
        try:
            yield is_free
        finally:
            with self._changed:
                self._busy[account] -= is_free
                if not self._busy[account]:
                    del self._busy[account]
                self._changed.notify_all()


def _account(request: HttpRequest) -> Hashable | None:
    """Who asks, by a session or by one of their tokens; None: nobody with an account."""
    if request.headers.get("Authorization"):
        try:
            identity = ByToken().authenticate(Request(request))
        except AuthenticationFailed:
            return None
        if identity:
            return str(identity[0].pk)
    account: str | None = request.session.get(SESSION_KEY)
    return account
