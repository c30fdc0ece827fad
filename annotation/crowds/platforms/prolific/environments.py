"""Prolific's own installation, and those that the operator names."""

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import RefusedError
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.installations import PRODUCTION, RestInstallation

_API, _SITE = "https://api.prolific.com/api/v1", "https://app.prolific.com"


@dataclass(frozen=True)
class Installation(RestInstallation):
    """Where one environment is called, and where its participants are.

    Parameters
    ----------
    site : str
        The participants' site.
    """

    variable = "PROLIFIC_TOKEN"

    site: str

    @property
    def webhook_secret_name(self) -> str:
        return "PROLIFIC_WEBHOOK_SECRET" + self.suffix

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
