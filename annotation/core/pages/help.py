"""Which chapter of the documentation belongs to which page of the desk."""

from collections.abc import Iterator
from typing import Final

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

_INDEX = "index"
# By the section of the page; the chapters are files of docs/.
CHAPTERS: Final = {
    "change": "tutorials/first-study",
    "describe": "tutorials/first-study",
    "items": "how-to/import",
    "questionnaires": "how-to/questionnaires",
    "design": "explanation/best-worst-scaling",
    "try": "tutorials/first-study",
    "collect": "how-to/students",
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

# Terms of the glossary, by their anchors there.
TERMS: Final = {
    "adjudication": pgettext_lazy("glossary", "adjudication"),
    "alpha": pgettext_lazy("glossary", "alpha"),
    "annotator": pgettext_lazy("glossary", "annotator"),
    "attention-check": pgettext_lazy("glossary", "attention check"),
    "best-worst-scaling": pgettext_lazy("glossary", "best-worst scaling"),
    "booklet": pgettext_lazy("glossary", "booklet"),
    "certificate": pgettext_lazy("glossary", "certificate"),
    "context": pgettext_lazy("glossary", "context"),
    "item": pgettext_lazy("glossary", "item"),
    "judgment": pgettext_lazy("glossary", "judgment"),
    "leaderboard": pgettext_lazy("glossary", "leaderboard"),
    "noise-ceiling": pgettext_lazy("glossary", "noise ceiling"),
    "phase": pgettext_lazy("glossary", "phase"),
    "pilot": pgettext_lazy("glossary", "pilot"),
    "place": pgettext_lazy("glossary", "place"),
    "pool": pgettext_lazy("glossary", "pool"),
    "preset": pgettext_lazy("glossary", "preset"),
    "release": pgettext_lazy("glossary", "release"),
    "roster": pgettext_lazy("glossary", "roster"),
    "split-half-reliability": pgettext_lazy("glossary", "split-half reliability"),
    "surplus": pgettext_lazy("glossary", "surplus"),
    "target": pgettext_lazy("glossary", "target and candidate"),
    "tuple": pgettext_lazy("glossary", "tuple"),
    "utility": pgettext_lazy("glossary", "utility"),
}
# Those that a section's pages use, in the order in which a newcomer meets them.
_TERMS_OF_SECTIONS: Final = {
    "change": ("preset", "item", "booklet", "place"),
    "describe": ("preset", "phase", "context"),
    "items": ("item", "target", "context", "attention-check"),
    "questionnaires": ("phase", "release"),
    "design": ("best-worst-scaling", "tuple", "pool", "booklet", "certificate", "pilot"),
    "try": ("booklet",),
    "collect": ("place", "roster", "surplus"),
    "live": ("split-half-reliability", "alpha", "judgment"),
    "platforms": ("place", "booklet", "surplus"),
    "people": ("annotator", "booklet", "attention-check", "surplus"),
    "results": ("split-half-reliability", "alpha", "utility", "adjudication"),
    "baselines": ("leaderboard", "noise-ceiling", "target"),
    "download": ("judgment", "release"),
    "releases": ("release",),
    "paper": ("release",),
}


def help_url(section: str = "") -> str:
    """The address of a page's chapter; empty if the documentation was not built (`make docs`)."""
    if not settings.WHITENOISE_ROOT:
        return ""
    return f"/help/{CHAPTERS.get(section, _INDEX)}.html"


def glossary(section: str) -> Iterator[tuple[str, Promise]]:
    """Address and name of each term that a section's pages use; none without documentation."""
    if settings.WHITENOISE_ROOT:
        for anchor in _TERMS_OF_SECTIONS.get(section, ()):
            yield f"/help/glossary.html#term-{anchor}", TERMS[anchor]
