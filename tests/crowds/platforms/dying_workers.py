"""A worker that is killed: nothing that a dead process would do happens after it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from annotation.crowds.services import bulk_approvals, outbox

POINTS = ["before", "after", "confirm"]


class Killed(BaseException):
    """The process ends here: nothing behind it happens."""


@contextmanager
def killed(patch: pytest.MonkeyPatch, client: type, point: str) -> Iterator[None]:
    """Within, the worker dies before or after the next call of `client.change`, or with the answer
    in its hand; what is written behind that is not carried out."""
    change = client.change  # type: ignore[attr-defined]

    def dies(*arguments: Any, **options: Any) -> Any:
        if point == "after":
            change(*arguments, **options)
        raise Killed

    def is_dead(*_arguments: Any, **_options: Any) -> None:
        raise Killed

    with patch.context() as patched:
        # Its `except` clauses do not run.
        patched.setattr(outbox, "doubt", is_dead)
        for module in (outbox, bulk_approvals):
            patched.setattr(module, "record_call", lambda *_a, **_o: None)
        if point == "confirm":
            patched.setattr(outbox, "confirm", is_dead)
        else:
            patched.setattr(client, "change", dies)
        with suppress(Killed):
            yield
