"""Lexical statistics on the page of items: starting them, the table, and its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from annotation.basics.errors import StateError
from annotation.basics.numbers import grouped, number
from annotation.basics.sentences import sentence
from annotation.core.pages.frame import log, refusals, study_page, to, user_of
from annotation.core.pages.navigation import Text
from annotation.items.exports import lexical as files
from annotation.items.exports.lexical_methods import lexical_tex
from annotation.items.queries import lexical as queries
from annotation.items.services import lexical as services
from annotation.models import Job, Study

_PART_NAMES = {
    "contexts": gettext_lazy("Dialogues and documents"),
    "targets": gettext_lazy("Targets"),
    "candidates": gettext_lazy("Candidates"),
}
# Key of the figure, head of its column, decimals.
_COLUMNS: tuple[tuple[str, Text, int], ...] = (
    ("n_texts", gettext_lazy("Texts"), 0),
    ("n_turns", gettext_lazy("Turns"), 0),
    ("n_tokens", gettext_lazy("Tokens"), 0),
    ("mean_turn_length", gettext_lazy("Tokens per turn"), 1),
    ("n_lemmas", gettext_lazy("Lemmas"), 0),
    ("rttr", gettext_lazy("RTTR"), 2),
    ("mtld", gettext_lazy("MTLD"), 2),
    ("mean_rttr", gettext_lazy("RTTR, mean of texts"), 2),
    ("mean_mtld", gettext_lazy("MTLD, mean of texts"), 2),
)
_TYPES = {"tsv": "text/tab-separated-values", "tex": "application/x-tex"}


@dataclass(frozen=True)
class ShownRow:
    level: str
    label: str
    # Head of the column and the value.
    cells: list[tuple[Text, str]]


@dataclass(frozen=True)
class ShownTable:
    part: str
    name: Text
    header: list[Text]
    rows: list[ShownRow]


@dataclass(frozen=True)
class ShownStatistics:
    """What the page of items shows of them."""

    tables: list[ShownTable]
    lemma_source: str
    n_sources: int
    is_by_source: bool
    # The job that computes them at this moment.
    unfinished: Job | None


def shown(study: Study) -> ShownStatistics:
    unfinished = study.jobs.filter(kind=Job.Kind.LEXICAL, state__in=Job.UNFINISHED).first()
    figures = queries.current(study)
    if figures is None:
        return ShownStatistics([], "", 0, is_by_source=True, unfinished=unfinished)
    return ShownStatistics(
        _tables(figures),
        figures["lemma_source"],
        figures["n_sources"],
        is_by_source=figures["is_by_source"],
        unfinished=unfinished,
    )


def _tables(figures: Mapping[str, Any]) -> list[ShownTable]:
    tables = []
    for part in queries.PARTS:
        rows = [row for row in figures["rows"] if row["part"] == part]
        if rows:
            header = [head for _key, head, _digits in _COLUMNS]
            tables.append(ShownTable(part, _PART_NAMES[part], header, [_row(row) for row in rows]))
    return tables


def _row(row: Mapping[str, Any]) -> ShownRow:
    label = queries.label(row, unknown=_("source unknown"), every=_("all"))
    cells = []
    for key, head, digits in _COLUMNS:
        value = row[key]
        whole = "–" if value is None else grouped(value)
        cells.append((head, number(value, digits) if digits else whole))
    return ShownRow(row["level"], label, cells)


@study_page
@require_POST
def measure_texts(request: HttpRequest, study: Study) -> HttpResponse:
    """Have the texts measured in the background."""
    with refusals(request):
        job = services.start(study=study, by=user_of(request))
        log(request, study, sentence("Started computing the lexical statistics."))
        return to(study, "job", job.pk)
    return to(study, "items")


@study_page
@require_GET
def table(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """The table as TSV or LaTeX."""
    if kind not in _TYPES:
        raise Http404
    with refusals(request):
        figures = queries.current(study)
        if figures is None:
            raise StateError(
                sentence("There are no lexical statistics of these texts yet. Compute them first.")
            )
        text = files.tsv(figures) if kind == "tsv" else lexical_tex(figures)
        response = HttpResponse(text, content_type=f"{_TYPES[kind]}; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{study.slug}-lexical.{kind}"'
        return response
    return to(study, "items")
