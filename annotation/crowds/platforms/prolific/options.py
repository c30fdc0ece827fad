"""What a listing asks of Prolific beside its reward, and whether Prolific takes it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from decimal import Decimal, InvalidOperation
from typing import Any, Self
from urllib.parse import urlsplit

from django.conf import settings

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.values import CENT, is_money
from annotation.models.kinds import Outcome

DEVICES = ("desktop", "tablet", "mobile")
PRICINGS = tuple(assumptions.PROLIFIC_FEES)
REJECTION_LENGTH = 100
REJECTION_CATEGORIES = (
    "BAD_CODE",
    "FAILED_CHECK",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "NO_DATA",
    "OTHER",
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "UNSUPP_DEVICE",
)

# What Prolific does by itself when somebody comes back with the code of an outcome.
REVIEW, APPROVE, ASK_RETURN, SCREEN_OUT = "review", "approve", "ask_return", "screen_out"
HANDLING: Mapping[str, tuple[str, ...]] = {
    # A person who did the work is paid or looked at: nobody is sent away by an automatism.
    Outcome.COMPLETED: (REVIEW, APPROVE),
    Outcome.FAILED_CHECKS: (REVIEW, APPROVE),
    Outcome.SCREENED_OUT: (ASK_RETURN, SCREEN_OUT, REVIEW),
    Outcome.NO_CONSENT: (ASK_RETURN, REVIEW),
    Outcome.NOTHING_LEFT: (ASK_RETURN, REVIEW),
    Outcome.TOO_EARLY: (ASK_RETURN, REVIEW),
}
_ID = re.compile(assumptions.PROLIFIC_ID)
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_MAX_SLOTS = 100_000


@dataclass(frozen=True)
class Options:
    """As the form of a listing writes them into `Listing.options`.

    Parameters
    ----------
    internal_name : str
        Seen by the researcher alone; empty: the title.
    audience : str
        The domain that Prolific signs launches for; empty: the one by which people reach us.
    workspace, project : str
        Prolific's ids; a group of participants is made in a workspace, a study in a project.
    longest_minutes : int
        From beginning to handing in, at most; 0: what Prolific would choose.
    is_secure : bool
        Prolific signs launches; one without a signature is not let in.
    filters : tuple of dict
        Of participants, as `people.stored` writes them.
    excluded_studies, allowed_studies : tuple of str
        Prolific's ids of studies whose participants are kept out, or who alone may take part.
    excluded_people, allowed_people : tuple of str
        The same of people, by Prolific's ids.
    handling : dict
        What Prolific does for an outcome, one of HANDLING's words for it.
    screen_out_reward, screen_out_slots
        What somebody screened out receives, and for how many; needs custom screening.
    pricing : str
        Which of Prolific's fees the account has, for our own estimate.
    vat_percent : Decimal
        On the fee, for our own estimate.
    """

    title: str = ""
    description: str = ""
    internal_name: str = ""
    audience: str = ""
    workspace: str = ""
    project: str = ""
    longest_minutes: int = 0
    is_secure: bool = True
    devices: tuple[str, ...] = ()
    filters: tuple[Mapping[str, Any], ...] = ()
    excluded_studies: tuple[str, ...] = ()
    allowed_studies: tuple[str, ...] = ()
    excluded_people: tuple[str, ...] = ()
    allowed_people: tuple[str, ...] = ()
    handling: Mapping[str, str] = field(default_factory=dict)
    screen_out_reward: Decimal = Decimal("0.00")
    screen_out_slots: int = 0
    pricing: str = "corporate"
    vat_percent: Decimal = assumptions.PROLIFIC_VAT_PERCENT

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """What a row keeps; what it does not say, or says in another type, is the default."""
        values: dict[str, Any] = {}
        empty = cls()
        for each in fields(cls):
            value, usual = stored.get(each.name), getattr(empty, each.name)
            if isinstance(usual, Decimal):
                amount = _decimal(value)
                values[each.name] = usual if amount is None else amount
            elif isinstance(usual, tuple):
                kind = dict if each.name == "filters" else str
                if isinstance(value, list | tuple) and all(isinstance(v, kind) for v in value):
                    values[each.name] = tuple(value)
            elif type(value) is type(usual):
                values[each.name] = value
        return cls(**values)

    def as_data(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return {
            **{n: list(v) if isinstance(v, tuple) else v for n, v in asdict(self).items()},
            "handling": dict(self.handling),
            "screen_out_reward": str(self.screen_out_reward),
            "vat_percent": str(self.vat_percent),
        }

    def handling_of(self, outcome: str) -> str:
        chosen = self.handling.get(outcome, "")
        return chosen if chosen in HANDLING[outcome] else HANDLING[outcome][0]

    @property
    def screens_out(self) -> bool:
        """Whether Prolific's custom screening is used."""
        return self.handling_of(Outcome.SCREENED_OUT) == SCREEN_OUT

    @property
    def host(self) -> str:
        """Whom launches must be signed for."""
        return (self.audience or urlsplit(settings.PUBLIC_URL).hostname or "").lower()

    def longest(self, minutes: int) -> int:
        """Minutes in which work that is expected to take so many must be handed in."""
        return self.longest_minutes or assumptions.prolific_shortest_limit(minutes)

    def problems(
        self, *, reward: Decimal, currency: str, minutes: int, needs_group: bool
    ) -> list[Said]:
        """What Prolific would refuse, each with its remedy."""
        return [
            *self._texts(),
            *self._audience(),
            *self._ids(needs_group=needs_group),
            *self._times(minutes),
            *self._people(),
            *self._money(reward, currency),
        ]

    def _texts(self) -> Iterator[Said]:
        if not self.title.strip():
            yield _("Write a title. People see it in the list of studies.")
        if not self.description.strip():
            yield _("Write a description. People read it before they open the study.")
        named = (
            (_("title"), self.title, assumptions.PROLIFIC_MAX_TITLE_LENGTH),
            (_("internal name"), self.internal_name, assumptions.PROLIFIC_MAX_TITLE_LENGTH),
            (_("description"), self.description, assumptions.PROLIFIC_MAX_DESCRIPTION_LENGTH),
        )
        for name, text, most in named:
            if len(text) > most:
                yield (
                    _("%(name)s: write at most %(most)s characters, not %(n)s.")
                    % {"name": name, "most": most, "n": len(text)}
                )

    def _audience(self) -> Iterator[Said]:
        if self.audience and not _HOST.fullmatch(self.audience.lower()):
            yield (
                _("“%(audience)s” is not a domain: write a name such as study.example.org.")
                % {"audience": self.audience}
            )

    def _ids(self, *, needs_group: bool) -> Iterator[Said]:
        for name, value in ((_("workspace"), self.workspace), (_("project"), self.project)):
            if value and not _ID.fullmatch(value):
                yield (
                    _(
                        "%(name)s: copy the id from the address of its page on Prolific: 24 "
                        "characters, 0–9 and a–f."
                    )
                    % {"name": name}
                )
        filter_ids = {each.get("filter_id") for each in self.filters}
        if needs_group and "participant_group_allowlist" in filter_ids:
            yield _(
                "Remove the filter for participant groups. In a later part, Likeness itself lets "
                "in only the group of people who may do that part."
            )
        if needs_group and not self.workspace:
            yield _(
                "Give the id of your workspace on Prolific. Likeness makes a participant "
                "group there for the people who may do this part."
            )

    def _times(self, minutes: int) -> Iterator[Said]:
        most = assumptions.PROLIFIC_MAX_MINUTES
        if not 1 <= minutes <= most:
            yield (
                _("Choose 1 to %(most)s expected minutes; split longer work into parts.")
                % {"most": most}
            )
        elif self.longest_minutes and not (
            (least := assumptions.prolific_shortest_limit(minutes)) <= self.longest_minutes <= most
        ):
            yield (
                _(
                    "Choose a time limit of %(least)s to %(most)s minutes. Prolific allows no less"
                    " for %(minutes)s expected minutes."
                )
                % {"least": least, "most": most, "minutes": minutes}
            )

    def _people(self) -> Iterator[Said]:
        if unknown := sorted(set(self.devices) - set(DEVICES)):
            yield (
                _("Prolific does not know the device “%(device)s”: choose from %(known)s.")
                % {"device": unknown[0], "known": ", ".join(DEVICES)}
            )
        if {*self.excluded_studies} & {*self.allowed_studies}:
            yield _("You cannot both exclude and require the people of one earlier listing.")
        people = (*self.excluded_people, *self.allowed_people)
        if wrong := [each for each in people if not _ID.fullmatch(each)]:
            yield (
                _("“%(id)s” is not an id of Prolific: it has 24 characters, 0–9 and a–f.")
                % {"id": wrong[0]}
            )
        if both := {*self.excluded_people} & {*self.allowed_people}:
            yield (_("You cannot both exclude and require the person %(id)s.") % {"id": min(both)})
        for outcome, chosen in self.handling.items():
            if outcome not in HANDLING or chosen not in HANDLING[outcome]:
                yield (
                    _("“%(what)s” is not possible after “%(outcome)s”; choose something else.")
                    % {"what": chosen, "outcome": outcome}
                )

    def _money(self, reward: Decimal, currency: str) -> Iterator[Said]:
        if self.pricing not in PRICINGS:
            yield (
                _("Choose the fee that Prolific charges your account: %(known)s.")
                % {"known": ", ".join(PRICINGS)}
            )
        if not 0 <= self.vat_percent <= 100:
            yield _("Choose a tax on the fee from 0 to 100 percent.")
        yield from self._screening_out(reward, currency)

    def _screening_out(self, reward: Decimal, currency: str) -> Iterator[Said]:
        if self.screens_out:
            least = assumptions.PROLIFIC_LEAST_SCREEN_OUT.get(currency, CENT)
            paid = self.screen_out_reward
            if not is_money(paid) or not least <= paid < reward:
                yield (
                    _(
                        "Pay people who are screened out at least %(least)s %(currency)s and "
                        "less than the reward, with at most two decimals."
                    )
                    % {"least": least, "currency": currency}
                )
            if not 1 <= self.screen_out_slots <= _MAX_SLOTS:
                yield _(
                    "Choose how many people may be screened out and paid. The study "
                    "pauses after that number."
                )
        elif self.screen_out_reward:
            yield _(
                "A reward for people who are screened out is paid only if Prolific pays them: "
                "choose that, or set this reward to 0."
            )


def cents(amount: Decimal) -> int:
    """Whole pence or cents, as most of Prolific's API counts."""
    return int(amount * 100)


def from_cents(number: float) -> Decimal:
    """A sum that Prolific gives in whole pence or cents, some with a decimal point."""
    return (Decimal(round(number)) / 100).quantize(CENT)


def _decimal(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        return None
    try:
        amount = Decimal(value)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and abs(amount) < 1_000_000 else None
