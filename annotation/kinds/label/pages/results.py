"""Step 7 of a label study: what a job stored, and every item as the answers say now."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode

from annotation.basics import references
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import show
from annotation.core.queries.counted_answers import Population, basis
from annotation.kinds.label.queries import category_tables
from annotation.kinds.label.queries import figures as label_figures
from annotation.kinds.label.queries.answers import read_labels
from annotation.kinds.label.queries.items import ItemLabel, ItemLabels
from annotation.kinds.queries import adjudications
from annotation.kinds.rating.pages.results import adjudicate_address
from annotation.kinds.rating.queries.plots import condition_name
from annotation.models import Item, Result, Study


def shown(result: Result, population: Population) -> dict[str, Any]:
    """The page's part of one result."""
    return {
        "n_adjudicated": adjudications.count(result.study, population),
        "phases": label_figures.phases_shown(result),
        "by_phase": category_tables.categories_by_phase(result),
        "change": label_figures.change_shown(result),
        "references": references.named_in(label_figures.definitions(result)),
    }


@dataclass(frozen=True)
class ItemRow:
    """One item with its texts, and what is said of it in the phases that are shown."""

    item: Item
    # Each with its number, and with the address where an expert decides; empty if simulated
    # answers are shown.
    phases: Sequence[tuple[int, ItemLabel, str]]


# Which items are listed, by the name in the address.
_SHOWN: dict[str, Callable[[ItemLabel], bool]] = {
    "all": lambda _label: True,
    "undecided": lambda label: label.is_undecided,
    "no-majority": lambda label: label.n > 0 and not label.majority,
    "tied": lambda label: label.is_tied,
    "adjudicated": lambda label: bool(label.adjudicated),
}


def item_table(request: HttpRequest, study: Study, population: Population) -> HttpResponse:
    """Every item with its labels in each phase, those that need a decision first."""
    page_of: dict[str, Any] = {
        "title": _("Items and their labels"),
        "section": "results",
        "population": population,
    }
    # A draft may have no categories yet by which to read anything.
    if not basis(study, population).n_judgments:
        return show(request, study, "kinds/label_items.html", n_answers=0, **page_of)
    read = read_labels(study, population)
    labels = ItemLabels.of(study, read, population)
    everything = [
        (place, labels.labels(place)) for place in np.flatnonzero(labels.is_asked).tolist()
    ]

    def addresses(place: int, back: str) -> list[str]:
        return [
            adjudicate_address(study, read.items.pks[place], phase.number, back)
            if population == "people" and phase.is_asked[place]
            else ""
            for phase in read.phases
        ]

    wanted = request.GET.get("show", "all")
    is_shown = _SHOWN.get(wanted, _SHOWN["all"])
    selected = [row for row in everything if any(is_shown(label) for label in row[1])]
    sort = request.GET.get("sort", "urgency")
    if sort == "share":
        selected.sort(key=lambda row: _least_share(row[1]))
    elif sort != "number":
        selected.sort(key=lambda row: _urgency(row[1]))
    page = Paginator(selected, 50).get_page(request.GET.get("page"))
    items = Item.objects.select_related("target_turn", "candidate_turn").in_bulk(
        [read.items.pks[place] for place, _labels in page]
    )
    rows = [
        ItemRow(
            items[read.items.pks[place]],
            [
                (number, label, address)
                for number, (label, address) in enumerate(
                    zip(row_labels, addresses(place, request.get_full_path()), strict=True), 1
                )
                if is_shown(label)
            ],
        )
        for place, row_labels in page
    ]
    return show(
        request,
        study,
        "kinds/label_items.html",
        n_answers=read.basis.n_judgments,
        names=read.categories.names,
        is_several=read.categories.is_several,
        phases=[
            condition_name({"number": phase.number, "condition": phase.phase.condition})
            for phase in read.phases
        ],
        page=page,
        rows=rows,
        # Single texts have no target to show.
        has_targets=any(row.item.target for row in rows),
        is_adjudicable=population == "people",
        query=urlencode({"population": population, "show": wanted, "sort": sort}),
        filters=[
            (
                name,
                label,
                sum(any(map(_SHOWN[name], row_labels)) for _place, row_labels in everything),
            )
            for name, label in (
                ("all", _("all items")),
                ("undecided", _("without a label")),
                ("no-majority", _("without a majority")),
                ("tied", _("tied")),
                ("adjudicated", _("adjudicated")),
            )
        ],
        sorts=[
            ("urgency", _("undecided items first")),
            ("share", _("least agreement first")),
            ("number", _("order of import")),
        ],
        wanted=wanted if wanted in _SHOWN else "all",
        sort=sort if sort in {"share", "number"} else "urgency",
        **page_of,
    )


def _least_share(labels: Sequence[ItemLabel]) -> float:
    """What nobody labelled comes last."""
    return min((label.share for label in labels if label.share is not None), default=2.0)


def _urgency(labels: Sequence[ItemLabel]) -> tuple[bool, float]:
    return not any(label.is_undecided for label in labels), _least_share(labels)
