"""Prolific's own installation, and those that the operator names."""

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import Environment
from annotation.core.platforms.errors import MissingCredentialsError, RefusedError
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.installations import not_set

PRODUCTION = "production"
_API, _SITE = "https://api.prolific.com/api/v1", "https://app.prolific.com"
_TOKEN, _WEBHOOK_SECRET = "PROLIFIC_TOKEN", "PROLIFIC_WEBHOOK_SECRET"


@dataclass(frozen=True)
class Installation:
    """Where one environment is called, and where its participants are. It holds no secret.

    Parameters
    ----------
    api : str
        The API's address, with /api/v1.
    site : str
        The participants' site.
    """

    name: str
    label: Said
    api: str
    site: str

    @property
    def token_name(self) -> str:
        """The environment variable that holds the account's token."""
        return _TOKEN + self._suffix

    @property
    def webhook_secret_name(self) -> str:
        return _WEBHOOK_SECRET + self._suffix

    @property
    def _suffix(self) -> str:
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
    def webhook_secret(self) -> str:
        """Empty if no webhook was set up."""
        return os.environ.get(self.webhook_secret_name, "")

    @property
    def origin(self) -> str:
        parts = urlsplit(self.api)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def keys_url(self) -> str:
        """Where the keys of launches are published."""
        return self.origin + assumptions.PROLIFIC_JWKS_PATH

    @property
    def is_local(self) -> bool:
        """On this machine: settings allow http there and nowhere else."""
        return urlsplit(self.api).scheme == "http"

    def as_environment(self) -> Environment:
        return Environment(self.name, self.label, endpoint=self.api, missing=tuple(self.missing))


def installations() -> list[Installation]:
    named = [
        Installation(name, name, api, site)
        for name, (api, site) in settings.PROLIFIC_ENDPOINTS.items()
    ]
    return [Installation(PRODUCTION, "Prolific", _API, _SITE), *named]


def installation(name: str) -> Installation:
    """That of a row. Raises RefusedError if the operator does not name it any more."""
    for installation in installations():
        if installation.name == name:
            return installation
    raise RefusedError(
        _(
            "This server no longer knows the Prolific endpoint “%(name)s”. The "
            "operator must add it to LIKENESS_PROLIFIC_ENDPOINTS."
        )
        % {"name": name}
    )
