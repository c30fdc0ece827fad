"""How often the page lost the focus, and something was pasted into comments: no verdict."""

from collections.abc import Collection
from statistics import median
from typing import NamedTuple

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from annotation.basics.numbers import percent
from annotation.kinds.people_figures import Figure
from annotation.models import Annotator, Judgment, Study


class Signs(NamedTuple):
    """Of how many answers of somebody a browser counted, and in how many it counted any."""

    annotator: int
    pseudonym: str
    n: int
    n_with_focus_lost: int
    n_with_paste: int


def of_study(study: Study, sources: Collection[str]) -> list[Signs]:
    """Everybody whose browser counted, by pseudonym."""
    judgments = Judgment.objects.current().filter(
        assignment__annotator__study=study,
        assignment__annotator__source__in=sources,
        n_away__isnull=False,
    )
    who = ("assignment__annotator", "assignment__annotator__pseudonym")
    rows = (
        judgments.values(*who)
        .annotate(
            n=Count("pk"),
            n_with_focus_lost=Count("pk", filter=Q(n_away__gt=0)),
            n_with_paste=Count("pk", filter=Q(n_pasted__gt=0)),
        )
        .order_by("assignment__annotator__pseudonym")
        .values_list(*who, "n", "n_with_focus_lost", "n_with_paste")
    )
    return [Signs(*row) for row in rows]


def figures(person: Annotator) -> list[Figure]:
    """In how many answers, beside the others of the study; empty if no browser counted."""
    by_person = {each.annotator: each for each in of_study(person.study, [person.source])}
    own = by_person.pop(person.pk, None)
    if own is None:
        return []
    others = list(by_person.values())
    return [
        _figure(
            _("Page lost the focus"),
            own.n_with_focus_lost,
            own.n,
            [each.n_with_focus_lost / each.n for each in others],
        ),
        _figure(
            _("Pasted into the comment"),
            own.n_with_paste,
            own.n,
            [each.n_with_paste / each.n for each in others],
        ),
    ]


def _figure(name: str, n_seen: int, n: int, others: list[float]) -> Figure:
    return Figure(
        name,
        _("%(k)s of %(n)s answers") % {"k": n_seen, "n": n},
        percent(median(others)) if others else "–",
        note=_("%(k)s of %(n)s others as often or more often")
        % {"k": sum(share >= n_seen / n for share in others), "n": len(others)},
    )
