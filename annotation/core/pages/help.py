"""Which chapter of the documentation belongs to which page of the desk."""

from typing import Final

from django.conf import settings

_INDEX = "index"
# By the section of the page; the chapters are files of docs/.
CHAPTERS: Final = {
    "change": "tutorials/first-study",
    "describe": "tutorials/first-study",
    "items": "how-to/import",
    "design": "explanation/best-worst-scaling",
    "try": "tutorials/first-study",
    "collect": "tutorials/first-study",
    "live": "explanation/reliability",
    "platforms": "platforms",
    "people": "how-to/corrections",
    "alerts": "alerts",
    "results": "explanation/reliability",
    "baselines": "how-to/baselines",
    "download": "reference/exports",
    "releases": "how-to/releases",
    "paper": "how-to/releases",
    "share": "privacy",
    "privacy": "privacy",
    "history": "alerts",
}


def help_url(section: str = "") -> str:
    """The address of a page's chapter; empty if the documentation was not built (`make docs`)."""
    if not settings.WHITENOISE_ROOT:
        return ""
    return f"/help/{CHAPTERS.get(section, _INDEX)}.html"
