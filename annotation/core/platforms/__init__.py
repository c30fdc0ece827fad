"""Crowd platforms, as every room may ask them: each answers the interface of `base`."""

from django.conf import settings
from django.utils.module_loading import import_string

from annotation.core.platforms.base import Platform
from annotation.models.kinds import CrowdPlatform


def platform_of(key: str) -> Platform:
    """The platform with that key, as rows keep it."""
    made: Platform = import_string(settings.CROWD_PLATFORMS[CrowdPlatform(key)])()
    return made


def platforms() -> list[Platform]:
    """All of them, in the order in which they are offered."""
    return [platform_of(key) for key in settings.CROWD_PLATFORMS]
