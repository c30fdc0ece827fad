"""Connect's own installation, and those that the operator names."""

from dataclasses import dataclass

from django.conf import settings

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import RefusedError
from annotation.crowds.platforms.installations import PRODUCTION, RestInstallation

_API = "https://connect-api.cloudresearch.com/api/v1"


@dataclass(frozen=True)
class Installation(RestInstallation):
    """Where one environment is called."""

    variable = "CONNECT_API_KEY"


def installations() -> list[Installation]:
    named = [Installation(name, name, api) for name, [api] in settings.CONNECT_ENDPOINTS.items()]
    return [Installation(PRODUCTION, "CloudResearch Connect", _API), *named]


def installation(name: str) -> Installation:
    """That of a row. Raises RefusedError if the operator does not name it any more."""
    for installation in installations():
        if installation.name == name:
            return installation
    raise RefusedError(
        _(
            "This server no longer knows the Connect endpoint “%(name)s”. The "
            "operator must add it to LIKENESS_CONNECT_ENDPOINTS."
        )
        % {"name": name}
    )
