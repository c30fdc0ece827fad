"""Any panel that sends people by a link and takes them back by another, or by a code.

CloudResearch Connect, SONA, an institute's own pool: what they differ in is configured with the
listing. Nothing is paid through a panel, and nothing is asked of it but SONA's credit.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any
from urllib.parse import quote, urlsplit

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import (
    Again,
    Completion,
    Environment,
    Keep,
    Launch,
    LookedUp,
    LookUpResult,
    Planned,
    Platform,
    Sent,
    keep_nowhere,
)
from annotation.core.platforms.capabilities import Capabilities
from annotation.core.platforms.costs import Estimate
from annotation.core.platforms.errors import LaunchError, UnavailableError
from annotation.crowds.platforms import sona
from annotation.models import Intent, Listing, Visit
from annotation.models.kinds import CrowdPlatform, Outcome

ADDRESS_LIMIT = 1000
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,59}")
# No braces, percent or dollar signs: a panel that filled nothing in is told so.
_ID = re.compile(r"[A-Za-z0-9._:@+~=|-]{1,100}")
_CONSTANT = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
_PLACEHOLDERS = ("{person}", "{submission}")


@dataclass(frozen=True)
class Options:
    """What is configured for a panel.

    Parameters
    ----------
    person, submission : str
        Names of the address's parameters that say who comes, and in which sitting; the second
        may be empty.
    expected : mapping
        Parameters that every right address has, with their values.
    redirects : mapping of Outcome values
        Where the last page leads to; {person} and {submission} stand for the two. For an outcome
        without an address the listing's code is shown.
    credit_url : str
        SONA's server-side completion URL of the study: whoever completes the work is given credit.
    """

    person: str = "participant"
    submission: str = ""
    expected: Mapping[str, str] = field(default_factory=dict)
    redirects: Mapping[str, str] = field(default_factory=dict)
    credit_url: str = ""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Options":
        """As a listing keeps them, beside options that are no panel's."""
        return cls(**{name: data[name] for name in cls.__dataclass_fields__ if name in data})

    @property
    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def problems(self) -> list[Said]:
        """What is wrong with them, each with its remedy."""
        sentences: list[Said] = []
        names = [self.person, *filter(None, [self.submission]), *self.expected]
        for name in names:
            if not _PARAMETER.fullmatch(name):
                sentences.append(
                    _(
                        "%(name)s is not a valid parameter name. Use letters, digits, hyphens "
                        "and underscores, and begin with a letter."
                    )
                    % {"name": repr(name)}
                )
        if len(set(names)) < len(names):
            sentences.append(_("Two parameters have the same name; rename one."))
        for name, value in self.expected.items():
            if not _CONSTANT.fullmatch(value):
                sentences.append(
                    _("The value of %(name)s must be one line of 1 to 200 characters.")
                    % {"name": name}
                )
        if self.credit_url and (problem := sona.problem(self.credit_url)):
            sentences.append(problem)
        for outcome, address in self.redirects.items():
            if outcome not in Outcome.values:
                sentences.append(
                    _("%(name)s is not an outcome; choose one of %(known)s.")
                    % {"name": repr(outcome), "known": ", ".join(Outcome.values)}
                )
            elif address:
                sentences += [
                    _("Address for %(outcome)s: %(problem)s")
                    % {"outcome": str(Outcome(outcome).label), "problem": problem}
                    for problem in _problems_of_address(address, has_submission=self.submission)
                ]
        return sentences


def _problems_of_address(address: str, *, has_submission: str) -> list[Said]:
    if len(address) > ADDRESS_LIMIT or re.search(r"[\x00-\x20\x7f\\]", address):
        return [_("It must be one address without spaces and with at most 1,000 characters.")]
    plain = address
    for placeholder in _PLACEHOLDERS:
        plain = plain.replace(placeholder, "x")
    if "{" in plain or "}" in plain:
        return [_("It may contain {person} and {submission}, but no other braces.")]
    if "{submission}" in address and not has_submission:
        return [_("It contains {submission}, but no parameter provides that id.")]
    try:
        parts, written = urlsplit(plain), urlsplit(address)
        is_safe = (
            parts.scheme == "https"
            and bool(parts.hostname)
            # Where it leads is fixed: nothing that a browser sent stands in the host.
            and parts.netloc == written.netloc
            and "@" not in parts.netloc
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        is_safe = False
    if not is_safe:
        return [_("It must begin with https:// and a host name.")]
    return []


class Panel(Platform):
    """A panel by its configuration alone."""

    key = CrowdPlatform.PANEL
    capabilities = Capabilities()

    def environments(self) -> list[Environment]:
        return [Environment("", _("panel"))]

    def obstacles(self, listing: Listing) -> list[Said]:
        return Options.of(listing.options).problems()

    def read_launch(self, listing: Listing, query: Mapping[str, str]) -> Launch:
        options = Options.of(listing.options)
        for name, value in options.expected.items():
            if query.get(name) != value:
                raise LaunchError(
                    _("This address belongs to another task. Please open it from the panel again.")
                )
        person = _id_in(query, options.person)
        submission = _id_in(query, options.submission) if options.submission else ""
        return Launch(person, submission)

    def completion(self, visit: Visit, outcome: Outcome, receipt: str) -> Completion:
        assert visit.listing is not None
        options = Options.of(visit.listing.options)
        address = options.redirects.get(outcome, "")
        # Asked again here: it may have been stored before a rule was made.
        if not address or _problems_of_address(address, has_submission=options.submission):
            return Completion(code=visit.listing.codes.get(outcome, ""))
        person = visit.person.platform_id if visit.person else ""
        # In one pass: an id that looks like a placeholder is not filled in again.
        values = {"{person}": person, "{submission}": visit.submission_id}
        filled = re.sub(
            r"\{(?:person|submission)\}", lambda at: quote(values[at[0]], safe=""), address
        )
        return Completion(url=filled)

    def estimate(self, listing: Listing) -> Estimate:
        return Estimate(
            currency=listing.currency,
            lines=[],
            worst=Decimal("0.00"),
            expected=Decimal("0.00"),
            notes=[_("The panel pays its own people; Likeness spends nothing here.")],
        )

    def plan_completed(self, visit: Visit) -> list[Planned]:
        assert visit.listing is not None  # as of `completion`
        assert visit.person is not None
        if not Options.of(visit.listing.options).credit_url:
            return []
        payload = {"person_id": visit.person.platform_id}
        return [Planned(Intent.Kind.CREDIT, payload=payload)]

    def again(self, intent: Intent) -> Again:
        return Again.HARMLESS

    def send(self, intent: Intent, keep: Keep = keep_nowhere) -> Sent:
        address = Options.of(intent.listing.options).credit_url
        study = sona.CompletionUrl.of(address)
        if study is None:
            raise UnavailableError(sona.problem(address))
        sona.give_credit(study, intent.payload["person_id"])
        return Sent()

    def look_up(self, intent: Intent) -> LookedUp:
        # It is asked for again: SONA can be asked nothing else.
        return LookedUp(LookUpResult.NOT_DONE)


def parameters_of(listing: Listing) -> str:
    """What a panel adds to the address, with names in braces for what differs for each person."""
    options = Options.of(listing.options)
    pairs = [f"{name}={quote(value, safe='')}" for name, value in options.expected.items()]
    names = [options.person, *filter(None, [options.submission])]
    return "&".join([*pairs, *(f"{name}={{{name}}}" for name in names)])


def _id_in(query: Mapping[str, str], name: str) -> str:
    value = query.get(name, "")
    if not _ID.fullmatch(value):
        raise LaunchError(
            _(
                "The address you opened is incomplete: %(name)s is missing or "
                "unreadable. Please open it from the panel again."
            )
            % {"name": name}
        )
    return value
