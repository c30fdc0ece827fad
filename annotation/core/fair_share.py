"""No account keeps more than half of the threads busy: annotators are answered all the while."""

import threading
from collections import Counter
from collections.abc import Callable, Hashable

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponseBase

from annotation.core.pages import failing
from annotation.core.services import tokens

# Pages of people without an account; what they may send is limited elsewhere.
_OTHERS = ("/a/", "/j/", "/p/", "/static/")
# A page and what it fetches come together, and are fast.
_WAIT_SECONDS = 0.5


class FairShare:
    """Middleware: asks whoever has many requests in work to try again, before more is done."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._busy: Counter[Hashable] = Counter()
        self._changed = threading.Condition()
        # A thread that waits is no use to others: one stays free even while the rest of them wait.
        self._n_waiting = 0

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        account = None if request.path_info.startswith(_OTHERS) else _account(request)
        if account is None:
            return self.get_response(request)
        if not self._take(account):
            return failing.many_at_once(request)
        try:
            response = self.get_response(request)
        except BaseException:
            self._give_back(account)
            raise
        self._give_back_after(response, account)
        return response

    def _take(self, account: Hashable) -> bool:
        with self._changed:
            if not self._is_free(account):
                if self._n_waiting >= max(1, settings.WEB_THREADS - _limit() - 1):
                    return False
                self._n_waiting += 1
                try:
                    if not self._changed.wait_for(lambda: self._is_free(account), _WAIT_SECONDS):
                        return False
                finally:
                    self._n_waiting -= 1
            self._busy[account] += 1
        return True

    def _is_free(self, account: Hashable) -> bool:
        return self._busy[account] < _limit()

    def _give_back(self, account: Hashable) -> None:
        with self._changed:
            self._busy[account] -= 1
            if not self._busy[account]:
                del self._busy[account]
            self._changed.notify_all()

    def _give_back_after(self, response: HttpResponseBase, account: Hashable) -> None:
        """Once all of it is sent: the same thread makes what streams."""
        if not response.streaming:
            self._give_back(account)
            return
        close, is_closed = response.close, threading.Event()

        def close_and_give_back() -> None:
            try:
                close()
            finally:
                if not is_closed.is_set():
                    is_closed.set()
                    self._give_back(account)

        response.close = close_and_give_back  # type: ignore[method-assign] # the server calls it


def _limit() -> int:
    return max(1, settings.WEB_THREADS // 2)


def _account(request: HttpRequest) -> Hashable | None:
    """Who asks, by one of their tokens or by a session; None: nobody with an account."""
    if researcher := tokens.researcher_of(request.headers.get("Authorization", "")):
        return str(researcher.pk)
    account: str | None = request.session.get(SESSION_KEY)
    return account
