"""The named categories of a label question: one or several of them are an answer."""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from shell.normal_forms import normal_form

MAX_CATEGORIES = 30
# As long as the column of a chosen category is.
NAME_LIMIT = 100
EXPLANATION_LIMIT = 300
# Several names in one cell of a file are parted by this.
SEPARATOR = "|"
# A name and its explanation in one line are parted by this.
COLON = ":"
# What no name can have.
_SIGNS = (SEPARATOR, COLON, "\n", "\r", "\x00")


class CategoriesError(AnnotationError):
    """Nobody could choose from these categories."""


def _alike(name: str) -> str:
    """The same for names that look alike."""
    return normal_form("NFC", name).casefold()


def check_one(name: str, explanation: str, *, earlier: Collection[str]) -> None:
    """Raise CategoriesError unless this can be a category after the earlier ones."""
    if not name.strip() or name != name.strip():
        raise CategoriesError(_("Each category needs a name without spaces before or after it."))
    if len(name) > NAME_LIMIT:
        raise CategoriesError(
            _("The category %(name)s… is longer than %(n)s characters.")
            % {"name": name[:20], "n": NAME_LIMIT}
        )
    if any(sign in name for sign in _SIGNS):
        raise CategoriesError(
            _(
                "The category name %(name)s contains a character that is not allowed, such as | "
                "(which separates names in files) or a colon (which separates a name from its "
                "explanation)."
            )
            % {"name": name[:60]}
        )
    if any(unicodedata.category(sign) in {"Cc", "Cf"} for sign in name):
        raise CategoriesError(
            _("The category %(name)s contains an invisible character. Type the name again.")
            % {"name": name[:60]}
        )
    if _alike(name) in {_alike(other) for other in earlier}:
        raise CategoriesError(_("The category %(name)s is listed twice.") % {"name": name})
    if len(explanation) > EXPLANATION_LIMIT:
        raise CategoriesError(
            _("The explanation of %(name)s is longer than %(n)s characters.")
            % {"name": name, "n": EXPLANATION_LIMIT}
        )


@dataclass(frozen=True)
class Categories:
    """Names in the order in which they are shown; some have an explanation."""

    names: Sequence[str]
    # Whether an answer may name several.
    is_several: bool = False
    explanations: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Categories":
        """Read what `as_json` wrote. Raises CategoriesError if nobody could choose."""
        categories = cls(
            tuple(data.get("names", ())),
            bool(data.get("several", False)),
            dict(data.get("explanations", {})),
        )
        categories.check()
        return categories

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "names": list(self.names),
            "several": self.is_several,
            "explanations": {
                n: self.explanations[n] for n in self.names if n in self.explanations
            },
        }

    def check(self) -> None:
        """Raise CategoriesError, with what to change, unless one can choose from these."""
        if not 2 <= len(self.names) <= MAX_CATEGORIES:
            raise CategoriesError(
                _("List 2 to %(most)s categories, not %(n)s.")
                % {"most": MAX_CATEGORIES, "n": len(self.names)}
            )
        for place, name in enumerate(self.names):
            check_one(name, self.explanations.get(name, ""), earlier=self.names[:place])

    def allow(self, chosen: Collection[str]) -> bool:
        """Whether this can be an answer, or a part of one while nothing is chosen yet."""
        return set(chosen) <= set(self.names) and (self.is_several or len(chosen) <= 1)

    def in_order(self, chosen: Collection[str]) -> tuple[str, ...]:
        """The chosen ones in the order in which they are shown."""
        return tuple(name for name in self.names if name in chosen)
