"""What holds for every paid platform's installations, whichever API they speak."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar
from urllib.parse import urlsplit

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import Environment
from annotation.core.platforms.errors import (
    LaunchError,
    MissingCredentialsError,
    RefusedError,
)
from annotation.crowds.platforms.addresses import address_obstacles
from annotation.models import Listing

PRODUCTION = "production"
MAX_PLACES = 100_000
T = TypeVar("T")


@dataclass(frozen=True)
class RestInstallation:
    """Where one environment of a platform with a REST API is called. It holds no secret.

    Parameters
    ----------
    api : str
        The API's address, with its version.
    """

    # The environment variable of the account at the platform's own installation.
    variable: ClassVar[str]

    name: str
    label: Said
    api: str

    @property
    def token_name(self) -> str:
        """The environment variable that holds what opens the account."""
        return self.variable + self.suffix

    @property
    def suffix(self) -> str:
        """What the variables of an endpoint of the operator's end with."""
        return "" if self.name == PRODUCTION else "_" + self.name.upper().replace("-", "_")

    @property
    def missing(self) -> list[str]:
        return [] if os.environ.get(self.token_name) else [self.token_name]

    @property
    def token(self) -> str:
        """Raises MissingCredentialsError: then nothing may be asked."""
        if missing := self.missing:
            raise MissingCredentialsError(not_set(missing))
        return os.environ[self.token_name]

    @property
    def is_local(self) -> bool:
        """On this machine: settings allow http there and nowhere else."""
        return urlsplit(self.api).scheme == "http"

    def as_environment(self) -> Environment:
        return Environment(self.name, self.label, endpoint=self.api, missing=tuple(self.missing))


def not_set(names: Sequence[str]) -> Said:
    return _(
        "The server's environment lacks %(names)s. The operator must set what "
        "is missing and restart the server."
    ) % {"names": ", ".join(names)}


def obstacles(listing: Listing, *, missing: Sequence[str]) -> list[Said]:
    """What keeps a listing from being published anywhere; `missing`: environment variables."""
    sentences: list[Said] = [not_set(missing)] if missing else []
    sentences += address_obstacles()
    if not 1 <= listing.n_places <= MAX_PLACES:
        sentences.append(_("Ask for between 1 and 100000 places."))
    return sentences


def of_launch(find: Callable[[str], T], listing: Listing) -> T:
    """The installation that somebody came by. Raises LaunchError if it was taken away."""
    try:
        return find(listing.environment)
    except RefusedError as error:
        raise LaunchError(_("This study is no longer open.")) from error
