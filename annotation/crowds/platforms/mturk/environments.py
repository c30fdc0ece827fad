"""Mechanical Turk's installations: two that have closed, and those that the operator names."""

import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.conf import settings

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import Environment
from annotation.core.platforms.errors import (
    MissingCredentialsError,
    RefusedError,
    ServiceClosedError,
)
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.installations import not_set

PRODUCTION, SANDBOX = "production", "sandbox"
REGION = "us-east-1"

_KEY_ID, _SECRET = "MTURK_ACCESS_KEY_ID", "MTURK_SECRET_ACCESS_KEY"
_OWN = {
    PRODUCTION: (
        _("Mechanical Turk (service has ended)"),
        "https://mturk-requester.us-east-1.amazonaws.com",
        assumptions.MTURK_PRODUCTION_SITES,
    ),
    SANDBOX: (
        _("Mechanical Turk's sandbox (service has ended)"),
        "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
        assumptions.MTURK_SANDBOX_SITES,
    ),
}
CLOSED = _(
    "According to AWS, Amazon Mechanical Turk and its sandbox closed on "
    "%(day)s, so they cannot be used. The operator can set up another "
    "service with the same API in LIKENESS_MTURK_ENDPOINTS."
) % {"day": assumptions.MTURK_CLOSED_ON.isoformat()}

# What listings on another service that speaks the same API are told.
NOTICE = _(
    "According to AWS, Amazon Mechanical Turk closed on %(day)s. This listing uses another "
    "service with the same API."
) % {"day": assumptions.MTURK_CLOSED_ON.isoformat()}


@dataclass(frozen=True)
class Credentials:
    """Of one environment, as they are in the environment variables just now."""

    key_id: str = field(repr=False)
    secret: str = field(repr=False)

    def masked(self, text: str) -> str:
        """The text without them, should a platform or a library repeat them."""
        for word in (self.secret, self.key_id):
            text = text.replace(word, "…")
        return text


@dataclass(frozen=True)
class Installation:
    """Where one environment is called, and where its workers are.

    Parameters
    ----------
    sites : tuple of str
        Origins of the workers' pages; the first takes the last form.
    """

    name: str
    label: Said
    endpoint: str
    sites: tuple[str, ...]
    closed: Said = ""

    @property
    def names(self) -> tuple[str, str]:
        """The environment variables that hold the key's id and the secret."""
        if self.name in _OWN:
            return _KEY_ID, _SECRET
        suffix = "_" + self.name.upper().replace("-", "_")
        return _KEY_ID + suffix, _SECRET + suffix

    @property
    def missing(self) -> list[str]:
        return [name for name in self.names if not os.environ.get(name)]

    @property
    def submit_url(self) -> str:
        return f"{self.sites[0]}/mturk/externalSubmit"

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(map(origin_of, self.sites))

    def credentials(self) -> Credentials:
        """Raises ServiceClosedError or MissingCredentialsError: then nothing may be asked."""
        if self.closed:
            raise ServiceClosedError(self.closed)
        if missing := self.missing:
            raise MissingCredentialsError(not_set(missing))
        key_id, secret = (os.environ[name] for name in self.names)
        return Credentials(key_id, secret)

    def as_environment(self) -> Environment:
        return Environment(
            self.name,
            self.label,
            endpoint=self.endpoint,
            closed=self.closed,
            missing=() if self.closed else tuple(self.missing),
        )


def installations() -> list[Installation]:
    """All, those that can be used first."""
    named = [
        Installation(name, name, endpoint, (site,))
        for name, (endpoint, site) in settings.MTURK_ENDPOINTS.items()
    ]
    closed = [
        Installation(name, label, endpoint, sites, CLOSED)
        for name, (label, endpoint, sites) in _OWN.items()
    ]
    return named + closed


def installation(name: str) -> Installation:
    """That of a row. Raises RefusedError if the operator does not name it any more."""
    for installation in installations():
        if installation.name == name:
            return installation
    raise RefusedError(
        _(
            "This server no longer knows the Mechanical Turk endpoint “%(name)s”. "
            "The operator must add it to LIKENESS_MTURK_ENDPOINTS."
        )
        % {"name": name}
    )


def origin_of(address: str) -> str:
    """Scheme, host and port, as browsers compare them; empty if there is none."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower()
