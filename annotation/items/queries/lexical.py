"""Lexical statistics of a study's texts by source and number of turns: as computed, and as stored.

Three parts are measured: its contexts (dialogues, documents), and the targets and candidates of
its items: of pairs the rated sentences, be they of a context or not, else those that are texts of
their own. Checks and calibration are no data: they are left out, and so are contexts that only
they use.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import Count, Max, QuerySet
from django.db.models.functions import Coalesce

from annotation.core.queries import relabellings
from annotation.kinds.rating.queries.answers import item_table
from annotation.kinds.registry import kind_of
from annotation.models import Context, Item, Job, Study, Turn
from scoring.texts.corpora import MeasuredText, corpus_statistics, measure_text
from scoring.texts.texts import lemmatise

PARTS = ("contexts", "targets", "candidates")
# With more different sources than this the table says nothing of each: they are taken together.
MAX_SOURCES = 50
# With more different numbers of turns than this they are put into ranges.
MAX_TURN_NUMBERS = 8
_RANGE_ENDS = (1, 5, 10, 20, 50, 100)

_CHUNK = 2000

# By the identity of each text.
_Measured = dict[str | int, MeasuredText]


@dataclass(frozen=True, slots=True)
class _Text:
    """One text, and the cell of the table that it belongs to."""

    part: str
    # Texts of a row with the same identity count once: of an item its text, of a context its key.
    identity: str | int
    source: str
    # Turns of the dialogue or document that it is, or that its item belongs to; 0 without one.
    n_turns: int
    turns: Sequence[str]


def compute(study: Study, progress: Callable[[int], None]) -> dict[str, Any]:
    """The statistics of a study's texts as plain JSON; `progress` is told the texts measured."""
    code, lemma_source = _lemma_language(study.language)
    cells: dict[tuple[str, str, int], _Measured] = defaultdict(dict)
    for n, text in enumerate(_texts(study)):
        if n % _CHUNK == 0:
            progress(n)
        cell = cells[text.part, text.source, text.n_turns]
        if text.identity not in cell:
            cell[text.identity] = measure_text(text.turns, language=code)
    n_sources = len({source for _part, source, _n in cells})
    ranges = _turn_ranges({n for _part, _source, n in cells})
    rows = []
    for part in PARTS:
        table: dict[tuple[str, int], _Measured] = defaultdict(dict)
        for (of_part, source, n), texts in sorted(cells.items()):
            if of_part == part:
                table[source if n_sources <= MAX_SOURCES else "", ranges[n][0]] |= texts
        names = dict(ranges.values())
        rows += [
            {"part": part, **row, "turns": "" if low is None else names[low]}
            for row, low in _rows(table)
        ]
    return {
        "rows": rows,
        "lemma_source": lemma_source,
        "n_sources": n_sources,
        "is_by_source": n_sources <= MAX_SOURCES,
    }


def _rows(
    table: Mapping[tuple[str, int], _Measured],
) -> Iterator[tuple[dict[str, Any], int | None]]:
    """The rows of one part with the low end of their turns; no margin repeats a single cell."""
    # Texts of which the source is not known come last.
    keys = sorted(table, key=lambda key: (not key[0], key))

    def row(level: str, source: str, chosen: Sequence[tuple[str, int]]) -> dict[str, Any]:
        # The cells of a row can share texts.
        texts: _Measured = {}
        for key in chosen:
            texts |= table[key]
        figures = corpus_statistics(list(texts.values()))
        return {"level": level, "source": source, **figures.as_dict()}

    sources, numbers = dict.fromkeys(key[0] for key in keys), sorted({key[1] for key in keys})
    for source in sources:
        of_source = [key for key in keys if key[0] == source]
        for key in of_source:
            yield row("cell", source, [key]), key[1]
        if 1 < len(of_source) < len(keys):
            yield row("source", source, of_source), None
    if len(sources) > 1:
        for number in numbers:
            of_number = [key for key in keys if key[1] == number]
            if 1 < len(of_number) < len(keys):
                yield row("turns", "", of_number), number
    if len(keys) > 1:
        yield row("all", "", keys), None


def _turn_ranges(numbers: Iterable[int]) -> dict[int, tuple[int, str]]:
    """The range of each number of turns: its low end and its name."""
    known = sorted(set(numbers) - {0})
    ranges = {0: (0, "")}
    if len(known) <= MAX_TURN_NUMBERS:
        return ranges | {n: (n, str(n)) for n in known}
    lows = (1, *(end + 1 for end in _RANGE_ENDS))
    for n in known:
        place = sum(end < n for end in _RANGE_ENDS)
        low = lows[place]
        if place == len(_RANGE_ENDS):
            name = f"{low}+"
        else:
            end = _RANGE_ENDS[place]
            name = str(low) if low == end else f"{low}-{end}"
        ranges[n] = (low, name)
    return ranges


def _lemma_language(language: str) -> tuple[str | None, str]:
    """The code that lemmas are looked up with, and by what; None if there is no dictionary."""
    code = language.lower().split("-")[0]
    try:
        return code, lemmatise([], language=code).source
    except ValueError:
        return None, ""


def _texts(study: Study) -> Iterator[_Text]:
    sources: dict[int, str] = {}
    for pk, source in study.contexts.values_list("pk", "source").iterator(chunk_size=_CHUNK):
        sources[pk] = source
    only_checked = _contexts_of(study, is_studied=False) - _contexts_of(study, is_studied=True)
    turns = (
        Turn.objects.filter(context__study=study)
        .order_by("context_id", "position")
        .values_list("context_id", "text")
        .iterator(chunk_size=_CHUNK)
    )
    for pk, of_context in groupby(turns, key=itemgetter(0)):
        texts = [text for _pk, text in of_context]
        if pk not in only_checked:
            yield _Text("contexts", pk, sources[pk], len(texts), texts)
    yield from _item_texts(study)


def _contexts_of(study: Study, *, is_studied: bool) -> set[int]:
    """The contexts that the items use, or those that checks and calibration use."""
    items = _studied(study)
    if not is_studied:
        items = study.items.exclude(pk__in=items.values("pk"))
    names = ("pool__context_id", "target_turn__context_id", "candidate_turn__context_id")
    rows = items.values_list(*names).iterator(chunk_size=_CHUNK)
    return {pk for row in rows for pk in row if pk is not None}


def _studied(study: Study) -> QuerySet[Item]:
    """The items that are data."""
    return study.items.without_checks().exclude(key__in=kind_of(study).items.calibration(study))


def _item_texts(study: Study) -> Iterator[_Text]:
    """Targets and candidates, as often as items have them.

    Turns are among them where pairs are asked about; else they are measured with their contexts.
    """
    studied = set(_studied(study).values_list("pk", flat=True))
    texts: list[str | Coalesce] = ["target_text", "candidate_text"]
    if kind_of(study).items.asks_item_by_item:
        texts = [
            Coalesce(f"{side}_text", f"{side}_turn__text") for side in ("target", "candidate")
        ]
    rows = (
        Item.objects.filter(study=study)
        .order_by("number")
        .values_list(
            "pk",
            "pool__context__n_turns",
            "target_turn__context__n_turns",
            "candidate_turn__context__n_turns",
            *texts,
        )
        .iterator(chunk_size=_CHUNK)
    )
    for source, (pk, *numbers, target, candidate) in zip(
        item_table(study).sources, rows, strict=True
    ):
        if pk not in studied:
            continue
        n_turns = next((n for n in numbers if n), 0)
        for part, text in (("targets", target), ("candidates", candidate)):
            if text:
                yield _Text(part, text, source, n_turns, [text])


# -- What is stored ------------------------------------------------------------------------------


def state_of_texts(study: Study) -> dict[str, Any]:
    """What the statistics depend on; a change of texts, checks, sources or language changes it."""
    ends = {"n": Count("pk"), "last": Max("pk")}
    return {
        "items": study.items.aggregate(**ends),
        "contexts": Context.objects.filter(study=study).aggregate(**ends),
        "checks": study.checks.aggregate(**ends),
        "calibration": kind_of(study).items.calibration(study),
        "n_relabellings": relabellings.n_splitting(study),
        "language": study.language,
    }


def current(study: Study) -> Mapping[str, Any] | None:
    """The statistics of the texts as they are now; None if none were computed since."""
    done = study.jobs.filter(
        kind=Job.Kind.LEXICAL, state=Job.State.DONE, figures__isnull=False
    ).first()
    if done is None or stored(done)["state_of_texts"] != state_of_texts(study):
        return None
    return stored(done)


def stored(job: Job) -> Mapping[str, Any]:
    """What a finished job computed."""
    figures: Mapping[str, Any] = job.figures or {}
    return figures


def label(row: Mapping[str, Any], *, unknown: str, every: str) -> str:
    """Source and number of turns of a row, as its first cell says them."""
    if row["level"] == "all":
        return every
    source = every if row["level"] == "turns" else row["source"] or unknown
    turns = every if row["level"] == "source" else row["turns"]
    return ", ".join(filter(None, (source, turns)))
