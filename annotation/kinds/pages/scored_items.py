"""The items of a study with the scores that a result stored for them."""

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode

from annotation.basics import references
from annotation.basics.sentences import Sentence, in_words
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import show
from annotation.core.queries.counted_answers import Population
from annotation.kinds.best_worst.queries.figures import ranking_in_words
from annotation.models import ItemScore, Result, Study

# What a column's heading sorts by, and the other way round with a minus.
SORTS = {
    "number": "item__number",
    "score": "score",
    "appearances": "appearances",
    "best": "best",
    "worst": "worst",
    "standard_error": "standard_error",
    "utility": "utility",
}


@dataclass(frozen=True)
class ScoreWords:
    """What a kind of studies calls its score, and what it counts for each item."""

    definition: Sentence
    best: Sentence
    worst: Sentence


BEST_MINUS_WORST = ScoreWords(
    definition=_(
        "Score: picks as best minus picks as worst, divided by appearances; from −1 to 1."
    ),
    best=_("best"),
    worst=_("worst"),
)


def item_table(
    request: HttpRequest,
    study: Study,
    population: Population,
    words: ScoreWords = BEST_MINUS_WORST,
) -> HttpResponse:
    """Every item with its score, by whichever column is asked for."""
    result = study.results.filter(population=population).order_by("-pk").first()
    wanted = request.GET.get("sort", "number")
    column = SORTS.get(wanted.removeprefix("-"), "item__number")
    descending = wanted.startswith("-") and wanted.removeprefix("-") in SORTS
    rows = (
        result.item_scores.select_related(
            "item__pool", "item__target_turn", "item__candidate_turn"
        ).order_by(f"-{column}" if descending else column, "item__number")
        if result
        else ItemScore.objects.none()
    )
    words_wanted = request.GET.get("words", "")
    for word in words_wanted.split():
        rows = rows.filter(_has(word))
    page = Paginator(rows, 50).get_page(request.GET.get("page"))
    return show(
        request,
        study,
        "kinds/scored_items.html",
        title=_("Items and their scores"),
        section="results",
        population=population,
        result=result,
        **_of_items(result),
        definition=words.definition,
        words_wanted=words_wanted,
        search=urlencode({"population": population, "words": words_wanted}),
        query=urlencode({"population": population, "sort": wanted, "words": words_wanted}),
        page=page,
        has_targets=any(row.item.target for row in page),
        has_intervals=any(row.low is not None for row in page),
        columns=[
            (
                label,
                name,
                f"-{name}" if wanted == name else name,
                "ascending" if wanted == name else "descending" if wanted == f"-{name}" else "",
            )
            for name, label in (
                ("number", _("item")),
                ("score", _("score")),
                ("standard_error", _("standard error")),
                ("utility", _("utility")),
                ("appearances", _("appearances")),
                ("best", words.best),
                ("worst", words.worst),
            )
        ],
    )


def _has(word: str) -> Q:
    """A word in an item's id or in one of its texts."""
    fields = ("key", "target_text", "target_turn__text", "candidate_text", "candidate_turn__text")
    conditions = [Q(**{f"item__{field}__icontains": word}) for field in fields]
    return reduce(or_, conditions)


def _of_items(result: Result | None) -> dict[str, Any]:
    """What has to be known of the columns of the table."""
    if result is None:
        return {}
    ranking = ranking_in_words(result.statistics)
    intervals = result.statistics.get("score_intervals")
    return {
        "ranking": ranking,
        "intervals_note": in_words(intervals["reason"] or intervals["note"]) if intervals else "",
        "references": references.named_in([ranking["definition"]] if ranking else []),
    }
