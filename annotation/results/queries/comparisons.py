"""Scores with and without some people, as a page and a file show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.basics import charts_of_measures
from annotation.basics.errors import StateError
from annotation.basics.numbers import number, signed
from annotation.basics.plot import Plot
from annotation.basics.sentences import in_words
from annotation.kinds.contract.comparison import ComparisonPart
from annotation.kinds.queries.interval_words import about_interval, with_ends
from annotation.kinds.queries.said_once import said_once
from annotation.kinds.registry import kind_of
from annotation.models import Annotator, Item, Job, Phase, Study

# Rows of a part on the page, the largest changes first; the file has all.
MAX_LISTED_ITEMS = 50


@dataclass(frozen=True)
class ItemPair:
    """One item's score with the people and without them."""

    key: str
    whole: float
    part: float | None
    rank_whole: float | None
    rank_part: float | None
    # The label of the item, in label studies only.
    label_whole: str = ""
    label_part: str = ""

    @property
    def difference(self) -> float | None:
        return None if self.part is None else self.part - self.whole

    @property
    def climbed(self) -> float | None:
        """Ranks that the item gains without these people."""
        if self.rank_whole is None or self.rank_part is None:
            return None
        return self.rank_whole - self.rank_part

    @property
    def is_relabelled(self) -> bool:
        return self.label_whole != self.label_part

    @property
    def cells(self) -> list[str]:
        cells = [number(self.whole), number(self.part), signed(self.difference)]
        if self.label_whole or self.label_part:
            return [*cells, self.label_whole or "–", self.label_part or "–"]
        if self.rank_whole is None:
            return cells
        climbed = self.climbed
        change = "–" if climbed is None else f"{'+' if climbed > 0 else ''}{_place(climbed)}"
        return [*cells, _place(self.rank_whole), _place(self.rank_part), change]


def _place(rank: float | None) -> str:
    """A rank as text: items of equal scores share their mean rank, which may end in .5."""
    return number(rank, 0 if rank is not None and rank == round(rank) else 1)


@dataclass(frozen=True)
class AgreementPair:
    """One agreement statistic: with the people, without them, of them alone."""

    name: str
    whole: str
    part: str
    alone: str


@dataclass(frozen=True)
class Part:
    """The study, or one phase of it."""

    title: str
    rows: Sequence[ItemPair]
    agreement: Sequence[AgreementPair]
    # What its intervals are over, or why they are missing.
    about_intervals: Sequence[str]
    # Why there is no split-half reliability; empty if there is one.
    no_halves: str
    pearson: str
    spearman: str
    reason: str
    n_both: int
    # Between these people and the others.
    apart: Mapping[str, str]
    n_lost: int
    n_changed: int | None
    columns: Sequence[str]
    plot: Plot

    @property
    def largest(self) -> Sequence[ItemPair]:
        return self.rows[:MAX_LISTED_ITEMS]

    @property
    def n_more(self) -> int:
        return len(self.rows) - len(self.largest)


def comparison_of(study: Study) -> ComparisonPart:
    """The rules for comparing a study's scores. Raises StateError if it has no scores."""
    results = kind_of(study).results
    if results.comparison is None:
        raise StateError(results.not_compared)
    return results.comparison


def people(job: Job) -> list[Annotator]:
    """The people whom the comparison leaves out, except those who have withdrawn since."""
    return list(
        job.study.annotators.filter(pk__in=job.parameters["without"], withdrawn_at=None).order_by(
            "pk"
        )
    )


def parts(job: Job) -> list[Part]:
    """The parts of a finished comparison; empty if its figures were deleted."""
    figures: Mapping[str, Any] = job.figures or {"parts": []}
    items = Item.objects.filter(study=job.study).values_list("pk", "key")
    keys = dict(items)
    return [_part(job, part, keys) for part in figures["parts"]]


def _part(job: Job, figures: Mapping[str, Any], keys: Mapping[int, str]) -> Part:
    rows = [
        ItemPair(keys[pk], whole, part, rank_whole, rank_part, *labels)
        for pk, whole, part, rank_whole, rank_part, *labels in figures["rows"]
        if pk in keys
    ]
    comparison = comparison_of(job.study)
    # Items that lose their score altogether come first.
    rows.sort(
        key=lambda row: (
            row.difference is not None,
            not row.is_relabelled,
            -abs(row.difference or 0),
        )
    )
    title = ""
    if figures["number"]:
        condition = Phase.Condition(figures["condition"]).label
        title = _("Phase %(n)s: %(condition)s") % {"n": figures["number"], "condition": condition}
    # Translate now: files are written in the active language.
    columns = [_("with"), _("without"), _("change"), *map(str, comparison.further_columns)]
    return Part(
        title=title,
        rows=rows,
        agreement=_agreement(figures["agreement"]),
        about_intervals=_about_intervals(figures["agreement"]),
        no_halves=str(comparison.no_halves),
        pearson=number(figures["pearson"]),
        spearman=number(figures["spearman"]),
        reason=in_words(figures["reason"]),
        n_both=figures["n_both"],
        apart=_apart(figures["apart"]),
        n_lost=figures["n_lost"],
        n_changed=figures.get("n_changed"),
        columns=columns,
        plot=_plot(rows, columns, title, figures["number"], what=str(comparison.score_name)),
    )


def _apart(figures: Mapping[str, Any]) -> dict[str, str]:
    return {
        "n": str(figures["n_both"]),
        "pearson": number(figures["pearson"]),
        "spearman": number(figures["spearman"]),
        "reason": in_words(figures["reason"]),
    }


_NAMES = {
    "split_half": gettext_lazy("Split-half reliability (Spearman)"),
    "icc": gettext_lazy("Reliability of the means, ICC(1,k)"),
    "alpha": gettext_lazy("Krippendorff's alpha"),
}


_SIDES = {
    "with": gettext_lazy("with"),
    "without": gettext_lazy("without"),
    "alone": gettext_lazy("these people alone"),
}


def _agreement(figures: Mapping[str, Any]) -> list[AgreementPair]:
    return [
        AgreementPair(str(label), *(_in_interval(figures[name][side]) for side in _SIDES))
        for name, label in _NAMES.items()
        if name in figures
    ]


def _in_interval(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return in_words(figure["reason"]) or "–"
    return with_ends(number(figure["value"]), figure["interval"])


def _about_intervals(figures: Mapping[str, Any]) -> list[str]:
    """What the intervals are over, or why they are missing, and of which of them it is said."""
    mentions = [
        (f"{_NAMES[name]} ({side_name})", about)
        for name, pair in figures.items()
        for side, side_name in _SIDES.items()
        if pair[side]["value"] is not None
        and (about := about_interval(pair[side]["interval"])) is not None
    ]
    notes = list(said_once(mentions))
    n_values = sum(pair[side]["value"] is not None for pair in figures.values() for side in _SIDES)
    # A note on all figures need not name them.
    return [
        text if len(names) == n_values else f"{', '.join(names)}: {text}" for names, text in notes
    ]


def _plot(
    rows: Sequence[ItemPair], columns: Sequence[str], part: str, number_of: int, *, what: str
) -> Plot:
    title = _("Scores with and without these people")
    if part:
        title = f"{title}: {part}"
    points = [(row.key, row.whole, row.part) for row in rows if row.part is not None]
    caption = _(
        "Each ring is one of %(n)s items. Horizontal: its score with these people; "
        "vertical: its score without them. On the dashed line, both are equal."
    ) % {"n": len(points)}
    return Plot(
        f"with-and-without-{number_of}" if number_of else "with-and-without",
        title,
        caption,
        charts_of_measures.scatter(
            points,
            title=title,
            x_label=_("%(what)s, with") % {"what": what},
            y_label=_("%(what)s, without") % {"what": what},
            description=caption,
            diagonal=_("equal scores"),
        ),
        [_("item"), *columns],
        [_data(row, len(columns)) for row in rows],
        most_rows=MAX_LISTED_ITEMS,
    )


def _data(row: ItemPair, n_columns: int) -> list[str | int | float | None]:
    cells: list[str | int | float | None] = [row.key, row.whole, row.part, row.difference]
    if n_columns == 5:
        return [*cells, row.label_whole, row.label_part]
    return [*cells, row.rank_whole, row.rank_part, row.climbed]
