"""The answers about one item: how often it was picked, in each tuple that showed it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from annotation.basics.sentences import Sentence
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import show
from annotation.core.queries.counted_answers import Population
from annotation.models import Item, Member, Study


@dataclass(frozen=True)
class TupleAnswers:
    """A tuple by its number: answers that count, and how many put the item first or last."""

    number: int
    others: Sequence[Item]
    n: int
    n_best: int
    n_worst: int


def item_answers(
    request: HttpRequest,
    study: Study,
    item: Item,
    population: Population,
    counts: dict[int, tuple[int, int, int]],
    *,
    best: Sentence,
    worst: Sentence,
) -> HttpResponse:
    """`counts`: by the key of the tuple, answers, and how often the item was best and worst."""
    members = (
        Member.objects.filter(tuple__design=study.design, tuple__members__item=item)
        .exclude(item=item)
        .select_related("tuple", "item__candidate_turn")
        .order_by("tuple__number", "position")
    )
    others: dict[int, list[Item]] = {}
    numbers: dict[int, int] = {}
    for member in members:
        others.setdefault(member.tuple_id, []).append(member.item)
        numbers[member.tuple_id] = member.tuple.number
    score = None
    if result := study.results.filter(population=population).order_by("-pk").first():
        score = result.item_scores.filter(item=item).first()
    return show(
        request,
        study,
        "kinds/item_answers.html",
        title=_("Answers about %(item)s") % {"item": item.key},
        section="results",
        population=population,
        item=item,
        row=score,
        best=best,
        worst=worst,
        tuples=[
            TupleAnswers(numbers[pk], of_tuple, *counts.get(pk, (0, 0, 0)))
            for pk, of_tuple in others.items()
        ],
    )
