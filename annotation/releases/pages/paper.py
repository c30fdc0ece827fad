"""*For your paper*: the methods, the tables and the references of a release, ready to copy."""

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from annotation.basics.markdown import render_markdown
from annotation.core.pages.frame import refusals, show, study_page, url
from annotation.models import Study
from annotation.releases.queries import release_events
from annotation.releases.queries import releases as queries
from annotation.releases.services import releases as services

# What a paper takes from a release: names of files, and what each of them is called.
_PARTS: dict[str, str | Promise] = {
    "METHODS.md": gettext_lazy("Methods in Markdown"),
    "methods.tex": gettext_lazy("Methods in LaTeX"),
    "tables.md": gettext_lazy("Tables in Markdown"),
    "tables.tex": gettext_lazy("Tables in LaTeX"),
    "references.bib": gettext_lazy("References in BibTeX"),
}


@dataclass(frozen=True)
class Part:
    name: str
    label: str | Promise
    text: str

    @property
    def key(self) -> str:
        """An id within the page."""
        return self.name.replace(".", "-").lower()


@study_page
@require_GET
def paper(request: HttpRequest, study: Study) -> HttpResponse:
    """Of the latest release, because a paper cites a version that stays as it is."""
    release = queries.latest(study)
    parts: list[Part] = []
    if release:
        with refusals(request):
            parts = _parts(services.path(release))
    methods = next((part.text for part in parts if part.name == "METHODS.md"), "")
    return show(
        request,
        study,
        "releases/paper.html",
        title=_("For your paper"),
        section="paper",
        release=release,
        release_address=url(study, "release", release.number) if release else "",
        # The heading of the file would repeat that of the page.
        methods=render_markdown(_with_plain_keys(methods.partition("\n")[2])),
        parts=parts,
        since=[release_events.told(event, newest=release.number) for event in release.events.all()]
        if release
        else [],
    )


def _parts(file: Path) -> list[Part]:
    with zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
        return [
            Part(name, label, archive.read(name).decode())
            for name, label in _PARTS.items()
            if name in names
        ]


def _with_plain_keys(text: str) -> str:
    """Citations as all pages write them, [Key]; the file keeps the form that Pandoc reads."""
    return re.sub(r"\[@[^\]]+\]", lambda citation: citation[0].replace("@", ""), text)
