"""Crowd platforms: one module each, behind the interface of `base`."""

from django.utils.module_loading import import_string

from annotation.crowds.platforms.base import Platform
from annotation.models.kinds import CrowdPlatform

# By name: what a platform needs is imported where it is used, and not by every page.
_PLATFORMS = {
    CrowdPlatform.PANEL: "annotation.crowds.platforms.panel.Panel",
    CrowdPlatform.PROLIFIC: "annotation.crowds.platforms.prolific.platform.Prolific",
    CrowdPlatform.MTURK: "annotation.crowds.platforms.mturk.platform.MTurk",
}


def platform_of(key: str) -> Platform:
    """The platform with that key, as rows keep it."""
    made: Platform = import_string(_PLATFORMS[CrowdPlatform(key)])()
    return made


def platforms() -> list[Platform]:
    """All of them, in the order in which they are offered."""
    return [platform_of(key) for key in _PLATFORMS]
