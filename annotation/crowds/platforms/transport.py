"""One HTTP call, sent once, and bounded in time and size from its first byte to its last."""

import json
import socket
import time
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError

from annotation.basics.time_limits import CutOff

USER_AGENT = "Likeness"


class TooMuchError(Exception):
    """The answer is longer, or takes longer, than any of the platforms'."""


class _Adapter(HTTPAdapter):
    """Sends once, over connections that are shut down when their time is over."""

    def __init__(self, *, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self.cut_offs: list[CutOff] = []
        super().__init__(max_retries=0)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self._limit(self.poolmanager)

    def proxy_manager_for(self, *args: Any, **options: Any) -> Any:
        manager = super().proxy_manager_for(*args, **options)
        self._limit(manager)
        return manager

    def close(self) -> None:
        super().close()
        for cut_off in self.cut_offs:
            cut_off.close()

    def _limit(self, manager: PoolManager) -> None:
        manager.pool_classes_by_scheme = {
            "http": self._limited(HTTPConnectionPool),
            "https": self._limited(HTTPSConnectionPool),
        }

    def _limited(self, pool: Any) -> Any:
        adapter = self

        class Connection(pool.ConnectionCls):  # type: ignore[misc] # one of two classes
            # The first moment at which there is a socket: before TLS and before the head.
            def _new_conn(self) -> socket.socket:
                opened: socket.socket = super()._new_conn()
                seconds = adapter._until - time.monotonic()
                adapter.cut_offs.append(CutOff(opened, seconds=seconds))
                return opened

        return type(pool.__name__, (pool,), {"ConnectionCls": Connection})


class BoundedSession(requests.Session):
    """A new one for each call: a kept connection that the other side has closed is a doubt."""

    def __init__(self, *, seconds: float, is_local: bool) -> None:
        super().__init__()
        # Nothing of this machine's own goes through a proxy.
        self.trust_env = not is_local
        self._adapter = _Adapter(seconds=seconds)
        for scheme in ("https://", "http://"):
            self.mount(scheme, self._adapter)

    def refuse_if_cut_off(self) -> None:
        """Raise TooMuchError if what was read may be only the beginning of an answer."""
        if any(cut_off.is_over for cut_off in self._adapter.cut_offs):
            raise TooMuchError


def read_bounded(answer: requests.Response, *, most_bytes: int) -> str:
    """The body as text. Raises TooMuchError if it is too long."""
    parts, n_bytes = [], 0
    for part in answer.iter_content(64 * 1024):
        parts.append(part)
        n_bytes += len(part)
        if n_bytes > most_bytes:
            raise TooMuchError
    return b"".join(parts).decode("utf-8", errors="replace")


def read_json(text: str) -> Any:
    """JSON. Raises ValueError if it is none."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _refuse(constant: str) -> None:
    """NaN and its like are no JSON."""
    raise ValueError(constant)


def was_not_sent(error: Exception) -> bool:
    """Whether no connection came about at all."""
    if isinstance(error, requests.ConnectTimeout):
        return True
    reason = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(error, requests.ConnectionError) and isinstance(
        reason, ConnectTimeoutError | NameResolutionError | NewConnectionError
    )
