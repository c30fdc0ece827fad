"""The signed note of what a screen showed. Showing writes nothing; answering sends it back."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.core import signing
from django.utils.translation import gettext as _

from annotation.basics.categories import Categories
from annotation.basics.errors import InvalidAnswerError
from annotation.basics.scale import Scale, plain
from annotation.kinds.shown import Shown

_SALT = "likeness.shown"
_SCALE = ("low", "high", "step")


class OutdatedPageError(InvalidAnswerError):
    """The note is missing, forged, or of another question."""

    def __init__(self, message: str = "") -> None:
        super().__init__(
            message or _("This page is out of date. Reload it; your answers are kept.")
        )

    @property
    def details(self) -> dict[str, Any]:
        return {"outdated": True}


def sign_shown(*, question: int, assignment: int, shown: Shown) -> str:
    # No age limit: a page may stay open for a week, and its answers are as good as any.
    note: dict[str, Any] = {
        "q": question,
        "a": assignment,
        "order": list(shown.order),
        "at": round(shown.at.timestamp() * 1000),
        "page": shown.page,
    }
    if shown.run is not None:
        note["run"] = shown.run
    if shown.scale:
        note["scale"] = [plain(getattr(shown.scale, name)) for name in _SCALE]
    if shown.categories:
        note["categories"] = list(shown.categories.names)
        note["several"] = shown.categories.is_several
    return signing.dumps(note, salt=_SALT)


def read_shown(signed: str, *, question: int) -> tuple[int, Shown]:
    """What the note says, and the assignment it was made for. The caller checks whose that is."""
    try:
        content: dict[str, Any] = signing.loads(signed, salt=_SALT)
    except signing.BadSignature as error:
        raise OutdatedPageError from error
    if content["q"] != question:
        raise OutdatedPageError
    scale = content.get("scale")
    return content["a"], Shown(
        order=content["order"],
        at=datetime.fromtimestamp(content["at"] / 1000, tz=UTC),
        page=content["page"],
        scale=_scale(*scale) if scale else None,
        categories=Categories(content["categories"], content["several"])
        if "categories" in content
        else None,
        run=content.get("run"),
    )


def _scale(low: str, high: str, step: str) -> Scale:
    return Scale(Decimal(low), Decimal(high), Decimal(step))
