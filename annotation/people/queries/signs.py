"""How often the page lost the focus, and something was pasted into comments: no verdict."""

from collections.abc import Collection
from statistics import median
from typing import NamedTuple

from django.utils.translation import gettext as _

from annotation.basics.numbers import percent
from annotation.core.queries import run_sums
from annotation.kinds.people_figures import Figure
from annotation.models import Annotator, PhaseRun, Study


class Signs(NamedTuple):
    """Of how many answers of somebody a browser counted, and in how many it counted any."""

    annotator: int
    pseudonym: str
    n: int
    n_with_focus_lost: int
    n_with_paste: int

    def and_also(self, n: int, n_with_focus_lost: int, n_with_paste: int) -> "Signs":
        return self._replace(
            n=self.n + n,
            n_with_focus_lost=self.n_with_focus_lost + n_with_focus_lost,
            n_with_paste=self.n_with_paste + n_with_paste,
        )


def of_study(study: Study, sources: Collection[str]) -> list[Signs]:
    """Everybody whose browser counted, by pseudonym."""
    runs = PhaseRun.objects.filter(
        assignment__annotator__study=study, assignment__annotator__source__in=sources
    )
    seen: dict[tuple[str, int], Signs] = {}
    for pseudonym, annotator, *numbers in run_sums.sums(
        runs,
        ["assignment__annotator__pseudonym", "assignment__annotator"],
        ["n_watched", "n_with_focus_lost", "n_with_paste"],
    ):
        who = (pseudonym, annotator)
        seen[who] = (
            seen[who].and_also(*numbers) if who in seen else Signs(annotator, pseudonym, *numbers)
        )
    return [seen[who] for who in sorted(seen) if seen[who].n]


def figures(person: Annotator) -> list[Figure]:
    """In how many answers, beside the others of the study; empty if no browser counted."""
    by_person = {each.annotator: each for each in of_study(person.study, [person.source])}
    own = by_person.pop(person.pk, None)
    if own is None:
        return []
    others = list(by_person.values())
    return [
        _figure(
            _("Page lost focus"),
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
        note=_("at least as often: %(k)s of %(n)s others")
        % {"k": sum(share >= n_seen / n for share in others), "n": len(others)},
        is_sign=True,
    )
