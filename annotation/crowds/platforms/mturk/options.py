"""What a listing asks of Mechanical Turk beside its reward, and whether the service takes it.

botocore sends what is too long or of the wrong pattern, so everything is checked here.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.crowds.platforms.mturk.fees import MAX_ASSIGNMENTS_PER_HIT

MINUTE, HOUR, DAY = 60, 60 * 60, 24 * 60 * 60
_MIN_SECONDS, _MAX_SECONDS = 30, 365 * DAY
_MAX_AUTO_APPROVAL_SECONDS = 30 * DAY
_MAX_TITLE_LENGTH, _MAX_DESCRIPTION_LENGTH, _MAX_KEYWORDS_LENGTH = 128, 2_000, 1_000
_MAX_LOCALES = 30
# Below 100 assignments everybody counts as 100 % approved.
_MIN_APPROVED_FOR_A_RATE = 100
_MAX_COUNT = 1_000_000
_LOCALE = re.compile(r"[A-Z]{2}(-[A-Z0-9]{1,3})?")
# What Mechanical Turk refuses in a text, and XML cannot hold.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True)
class Options:
    """As the form of a listing writes them into `Listing.options`.

    Parameters
    ----------
    duration_minutes : int
        From accepting to handing in, at most.
    lifetime_hours : int
        For as long HITs are offered.
    auto_approval_hours : int
        Who was not looked at by then is paid.
    frame_height : int
        Pixels; 0: as high as the worker's window.
    locales : tuple of str
        Countries such as DE, or US-NY; empty: everywhere.
    least_approval_rate : int
        Percent that must be exceeded; 0: any.
    least_approved : int
        Approved HITs that must be exceeded; 0: any.
    once : bool
        Who took part does not see the HITs any more.
    """

    title: str = ""
    description: str = ""
    keywords: str = ""
    duration_minutes: int = 60
    lifetime_hours: int = 7 * 24
    auto_approval_hours: int = 3 * 24
    frame_height: int = 0
    locales: tuple[str, ...] = ()
    least_approval_rate: int = 98
    least_approved: int = 100
    masters: bool = False
    once: bool = True
    assignments_per_hit: int = MAX_ASSIGNMENTS_PER_HIT

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """What a row keeps; what it does not say, or says in another type, is the default."""
        values: dict[str, Any] = {}
        for field in fields(cls):
            value = stored.get(field.name)
            if field.name == "locales" and isinstance(value, list | tuple):
                values[field.name] = tuple(map(str, value))
            elif type(value) is type(field.default):
                values[field.name] = value
        return cls(**values)

    def as_data(self) -> dict[str, Any]:
        return {**asdict(self), "locales": list(self.locales)}

    def problems(self) -> list[Said]:
        """What the service would refuse, each with its remedy."""
        return [*self._texts(), *self._times(), *self._people()]

    def _texts(self) -> Iterator[Said]:
        if not self.title.strip():
            yield _("Write a title. People see it in the list of tasks.")
        if not self.description.strip():
            yield _("Write a description. People read it before they open the task.")
        named = (
            (_("title"), self.title, _MAX_TITLE_LENGTH),
            (_("description"), self.description, _MAX_DESCRIPTION_LENGTH),
            (_("keywords"), self.keywords, _MAX_KEYWORDS_LENGTH),
        )
        for name, text, most in named:
            if len(text) > most:
                yield (
                    _("%(name)s: Mechanical Turk allows at most %(most)s characters, not %(n)s.")
                    % {"name": name, "most": most, "n": len(text)}
                )
            if CONTROL.search(text):
                yield (
                    _("%(name)s contains a control character; type the text again.")
                    % {"name": name}
                )

    def _times(self) -> Iterator[Said]:
        if not _MIN_SECONDS <= self.duration_minutes * MINUTE <= _MAX_SECONDS:
            yield _("Give people between 1 minute and 365 days for one task.")
        if not _MIN_SECONDS <= self.lifetime_hours * HOUR <= _MAX_SECONDS:
            yield _("Offer the tasks for 1 hour to 365 days.")
        if not 0 <= self.auto_approval_hours * HOUR <= _MAX_AUTO_APPROVAL_SECONDS:
            yield _("Choose automatic approval after 0 hours to 30 days.")
        if self.frame_height and not 700 <= self.frame_height <= 10_000:
            yield _("Leave the height of the frame at 0, or choose 700 to 10000 pixels.")

    def _people(self) -> Iterator[Said]:
        if not 1 <= self.assignments_per_hit <= MAX_ASSIGNMENTS_PER_HIT:
            yield _(
                "A HIT has 1 to 9 assignments: from 10 assignments, Mechanical Turk "
                "charges 40 % instead of 20 %."
            )
        if len(self.locales) > _MAX_LOCALES:
            yield _("Name at most 30 countries.")
        for locale in self.locales:
            if not _LOCALE.fullmatch(locale):
                yield (
                    _(
                        "Mechanical Turk does not know the country “%(locale)s”: write DE, or "
                        "US-NY for a region."
                    )
                    % {"locale": locale}
                )
        if not 0 <= self.least_approval_rate <= 99:
            yield _("Choose an approval rate from 0 to 99 percent.")
        if not 0 <= self.least_approved <= _MAX_COUNT:
            yield _("Choose a number of approved HITs from 0 to 1000000.")
        if self.least_approval_rate and self.least_approved < _MIN_APPROVED_FOR_A_RATE:
            yield _(
                "With an approval rate, also require at least 100 approved HITs: "
                "workers with fewer submitted HITs count as 100 % approved."
            )
