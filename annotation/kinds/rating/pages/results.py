"""Step 7 of a rating study: what a job stored, and every item as the answers say now."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode

from annotation.basics import references
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import show, url
from annotation.core.queries.counted_answers import Population, basis
from annotation.kinds.queries import adjudications
from annotation.kinds.rating.queries import context_figures
from annotation.kinds.rating.queries import figures as rating_figures
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.kinds.rating.queries.items import ItemFigures
from annotation.kinds.rating.queries.plots import condition_name
from annotation.models import Item, Result, Study
from scoring.arrays import FloatArray
from scoring.json_values import json_number

# The decimals of the columns of a study with both conditions, by the name in the address.
_EFFECTS = {"gain": 3, "pooled": 3, "gain_paired": 3, "n_both": 0, "paired": 3}


def shown(result: Result, population: Population) -> dict[str, Any]:
    """The page's part of one result."""
    return {
        "n_adjudicated": adjudications.count(result.study, population),
        "phases": rating_figures.phases_shown(result),
        "is_over": result.study.state in Study.OVER,
        "agreement": rating_figures.agreement_table(result),
        "context": context_figures.context_shown(result),
        "diagonal": context_figures.diagonal_shown(result),
        "waiting": context_figures.waiting_shown(result),
        "references": references.named_in(context_figures.definitions(result)),
    }


@dataclass(frozen=True)
class OfPhase:
    """An item's figures in one phase."""

    mean: float | None
    sd: float | None
    n: int
    # What an expert decided, and what stands: that, or the mean.
    adjudicated: float | None
    final: float | None
    number: int
    # The address where an expert decides; empty if simulated answers are shown.
    address: str = ""


@dataclass(frozen=True)
class ItemRow:
    item: Item
    phases: list["OfPhase"]
    # Of a study with both conditions, each with its decimals: gain, p pooled, gain of those who
    # rated both, their number, p paired.
    effect: list[tuple[float | None, int]]


def item_table(request: HttpRequest, study: Study, population: Population) -> HttpResponse:
    """Every item with its figures in each phase, by whichever column is asked for."""
    title = _("Items and their scores")
    # A draft may have no scale yet by which to read anything.
    if not basis(study, population).n_judgments:
        return show(
            request,
            study,
            "kinds/rating_items.html",
            title=title,
            section="results",
            population=population,
            n_ratings=0,
        )
    figures = ItemFigures(read_ratings(study, population))
    read = figures.read
    adjudicated = adjudications.ratings(read, population)
    finals = figures.finals(adjudicated)
    # The final value is the mean if no expert decided.
    has_decisions = any(not np.isnan(values).all() for values in adjudicated)
    columns = _columns(figures, adjudicated, finals, has_decisions=has_decisions)
    wanted = request.GET.get("sort", "number")
    name = wanted.removeprefix("-")
    places = np.flatnonzero(figures.is_asked)
    if name in columns:
        places = _sorted(places, columns[name][1], descending=wanted.startswith("-"))
    elif wanted == "-number":
        places = places[::-1]
    page = Paginator(places, 50).get_page(request.GET.get("page"))
    items = Item.objects.select_related("target_turn", "candidate_turn").in_bulk(
        [read.items.pks[n] for n in page]
    )
    n_effects = 0 if read.conditions() is None else len(_EFFECTS)
    rows = [
        ItemRow(
            items[read.items.pks[n]],
            [
                OfPhase(
                    json_number(scores.mean[n]),
                    json_number(scores.sd[n]),
                    int(scores.n[n]),
                    json_number(decided[n]),
                    json_number(final[n]),
                    phase.number,
                    adjudicate_address(
                        study, read.items.pks[n], phase.number, request.get_full_path()
                    )
                    if population == "people" and phase.is_asked[n]
                    else "",
                )
                for phase, scores, decided, final in zip(
                    read.phases, figures.scores, adjudicated, finals, strict=True
                )
            ],
            [(json_number(columns[key][1][n]), digits) for key, digits in _EFFECTS.items()]
            if n_effects
            else [],
        )
        for n in page
    ]
    labels = [("number", _("item"))] + [(key, label) for key, (label, _v) in columns.items()]
    return show(
        request,
        study,
        "kinds/rating_items.html",
        title=title,
        section="results",
        population=population,
        n_ratings=read.basis.n_judgments,
        phases=[
            condition_name({"number": phase.number, "condition": phase.phase.condition})
            for phase in read.phases
        ],
        has_effects=bool(n_effects),
        is_adjudicable=population == "people",
        has_decisions=has_decisions,
        query=urlencode({"population": population, "sort": wanted}),
        page=page,
        rows=rows,
        columns=[
            (
                label,
                f"-{key}" if wanted == key else key,
                "ascending" if wanted == key else "descending" if wanted == f"-{key}" else "",
            )
            for key, label in labels
        ],
    )


def adjudicate_address(study: Study, item: int, phase: int, back: str) -> str:
    """Where an expert decides on an item in a phase, and then comes back from."""
    return f"{url(study, 'adjudicate', item, phase)}?{urlencode({'from': back})}"


def _columns(
    figures: ItemFigures,
    adjudicated: list[FloatArray],
    finals: list[FloatArray],
    *,
    has_decisions: bool,
) -> dict[str, tuple[Any, FloatArray]]:
    """What the table can be sorted by: label and values, by the name in the address."""
    columns: dict[str, tuple[Any, FloatArray]] = {}
    for phase, scores, decided, final in zip(
        figures.read.phases, figures.scores, adjudicated, finals, strict=True
    ):
        n = {"n": phase.number}
        columns[f"mean{phase.number}"] = _("mean %(n)s") % n, scores.mean
        columns[f"sd{phase.number}"] = _("sd %(n)s") % n, scores.sd
        columns[f"n{phase.number}"] = _("ratings %(n)s") % n, scores.n.astype(np.float64)
        if has_decisions:
            columns[f"adjudicated{phase.number}"] = _("adjudicated %(n)s") % n, decided
            columns[f"final{phase.number}"] = _("final %(n)s") % n, final
    if figures.read.conditions() is not None:
        paired = figures.effects("paired")
        columns["gain"] = _("gain"), figures.gain
        columns["pooled"] = _("p, pooled"), figures.effects("pooled")["p"]
        columns["gain_paired"] = _("gain within people who rated both"), paired["gain"]
        columns["n_both"] = _("rated both"), paired["n_free"]
        columns["paired"] = _("p, paired"), paired["p"]
    return columns


def _sorted(
    places: "np.ndarray[tuple[int], np.dtype[np.int64]]", values: FloatArray, *, descending: bool
) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Sort by value, then by number; items without a value come last in both directions."""
    keys = values[places]
    return places[np.lexsort((places, -keys if descending else keys))]
