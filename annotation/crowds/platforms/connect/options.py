"""What a listing asks of Connect beside its reward, and whether Connect takes it."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.crowds.platforms import assumptions

PRICINGS = tuple(assumptions.CONNECT_FEES)
MAX_TITLE_LENGTH, MAX_SUMMARY_LENGTH = 500, 5_000
MIN_MINUTES, MAX_MINUTES = 2, 24 * 60


@dataclass(frozen=True)
class Options:
    """As the form of a listing writes them into `Listing.options`.

    Parameters
    ----------
    title, summary : str
        What participants see in the list of projects.
    internal_name : str
        Seen by the researcher alone; empty: the title.
    longest_minutes : int
        From beginning to handing in, at most; 0: three times the expected minutes.
    is_sensitive : bool
        Participants are told that the content may be sensitive.
    pricing : str
        Which of Connect's fees the account has.
    """

    title: str = ""
    summary: str = ""
    internal_name: str = ""
    longest_minutes: int = 0
    is_sensitive: bool = False
    pricing: str = PRICINGS[0]

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """What a row keeps; what it does not say, or says in another type, is the default."""
        values = {
            field.name: stored[field.name]
            for field in fields(cls)
            if type(stored.get(field.name)) is type(field.default)
        }
        return cls(**values)

    def as_data(self) -> dict[str, Any]:
        return asdict(self)

    def longest(self, minutes: int) -> int:
        """Minutes in which work that is expected to take so many must be handed in."""
        return self.longest_minutes or 3 * minutes

    def problems(self, *, minutes: int) -> list[Said]:
        """What Connect would refuse, each with its remedy."""
        return [*self._texts(), *self._times(minutes), *self._money()]

    def _texts(self) -> Iterator[Said]:
        if not self.title.strip():
            yield _("Write a title. People see it in the list of projects.")
        if not self.summary.strip():
            yield _("Write a summary. People read it before they open the project.")
        named = (
            (_("title"), self.title, MAX_TITLE_LENGTH),
            (_("internal name"), self.internal_name, MAX_TITLE_LENGTH),
            (_("summary"), self.summary, MAX_SUMMARY_LENGTH),
        )
        for name, text, most in named:
            if len(text) > most:
                yield (
                    _("%(name)s: write at most %(most)s characters, not %(n)s.")
                    % {"name": name, "most": most, "n": len(text)}
                )

    def _times(self, minutes: int) -> Iterator[Said]:
        if not MIN_MINUTES <= minutes <= MAX_MINUTES:
            yield (
                _("Choose %(least)s to %(most)s expected minutes; split longer work into parts.")
                % {"least": MIN_MINUTES, "most": MAX_MINUTES}
            )
        elif self.longest(minutes) <= minutes:
            yield (
                _("Choose a time limit above the %(minutes)s expected minutes.")
                % {"minutes": minutes}
            )

    def _money(self) -> Iterator[Said]:
        if self.pricing not in PRICINGS:
            yield (
                _("Choose the fee that Connect charges your account: %(known)s.")
                % {"known": ", ".join(PRICINGS)}
            )
