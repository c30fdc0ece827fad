"""Which chapter and which terms of the documentation belong to which page of the desk."""

import re
from collections.abc import Iterator
from typing import Final

from django.conf import settings
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
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
# The plural of "Platz" is "Plätze".
_UMLAUTS: Final = str.maketrans("äöüÄÖÜ", "aouAOU")
# Where the list stands in a page: what it holds is known once the rest is rendered.
_PLACE: Final = b"<!-- glossary -->"


def help_url(section: str = "") -> str:
    """The address of a page's chapter; empty if the documentation was not built (`make docs`)."""
    if not settings.WHITENOISE_ROOT:
        return ""
    return f"/help/{CHAPTERS.get(section, _INDEX)}.html"


def glossary(text: str) -> Iterator[tuple[str, Promise]]:
    """Address and name of each term that stands in a text of the reader's language."""
    for anchor, name in TERMS.items():
        if _stands_in(text, str(name)):
            yield f"/help/glossary.html#term-{anchor}", name


def _stands_in(text: str, name: str) -> bool:
    """Whether a term is used, in the singular or the plural."""
    # Of "target and candidate", the page of a form may name the target alone.
    stem = name.split(maxsplit=1)[0].translate(_UMLAUTS).removesuffix("y")
    # A German noun is no verb: "Nutzen" is not "nutzen".
    flags = re.IGNORECASE if name.islower() else re.NOFLAG
    return re.search(rf"\b{re.escape(stem)}\w{{0,3}}\b", text, flags) is not None


def add_glossary(page: TemplateResponse) -> None:
    """Name the terms that stand below a page's title; none without documentation."""
    if not settings.WHITENOISE_ROOT:
        return
    body = page.content.partition(b"</h1>")[2].partition(_PLACE)[0].decode()
    text = re.sub("<[^>]*>", " ", body).translate(_UMLAUTS)
    terms = {"glossary": list(glossary(text))}
    listed = render_to_string("core/_glossary.html", terms) if terms["glossary"] else ""
    page.content = page.content.replace(_PLACE, listed.encode())
