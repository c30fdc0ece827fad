"""Figures of one annotator that several kinds of studies have."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import mean

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import percent
from annotation.kinds.answer import Answer
from annotation.kinds.people_answers import Others, Own
from scoring.flags import longest_run


@dataclass(frozen=True)
class Figure:
    """One thing that was seen, what is usual, and of how many answers."""

    name: str
    value: str
    usual: str = "–"
    note: str = ""


def sameness(
    own: Sequence[Own],
    others: Others,
    *,
    code: Callable[[Answer], object],
    name: Callable[[Answer], str],
) -> list[Figure]:
    """The most frequent answer, the longest run, and how often one is as the one before.

    `code`: what makes two answers equal; `name`: an answer in words.
    """
    if not own:
        return []
    codes = [code(one.answer) for one in own]
    (most, n_most), *_rest = Counter(codes).most_common()
    said = {asked: [code(one) for one in answers] for asked, answers in others.answers.items()}
    by_others = [answer for one in own for answer in said.get(one.asked, [])]
    usual = by_others.count(most) / len(by_others) if by_others else None
    runs, same, chances = [0], [], []
    for _sitting, of_one in groupby(own, key=lambda one: (one.assignment, one.phase)):
        given = list(of_one)
        numbers = {
            known: n for n, known in enumerate(dict.fromkeys(code(o.answer) for o in given))
        }
        runs.append(longest_run(np.array([numbers[code(one.answer)] for one in given])))
        for before, after in pairwise(given):
            first, second = said.get(before.asked), said.get(after.asked)
            if first and second:
                same.append(code(before.answer) == code(after.answer))
                counts = Counter(second)
                chances.append(sum(counts[a] for a in first) / (len(first) * len(second)))
    return [
        Figure(
            _("Most frequent answer"),
            percent(n_most / len(codes)),
            percent(usual),
            name(own[codes.index(most)].answer),
        ),
        Figure(_("Longest run of one answer"), str(max(runs)), note=n_answers(len(own))),
        Figure(
            _("The same answer as just before"),
            percent(mean(same)) if same else "–",
            percent(mean(chances)) if chances else "–",
            n_answers(len(same)),
        ),
    ]


def asked_twice(own: Sequence[Own]) -> list[tuple[Own, Own]]:
    """Every answer to something that was asked before, beside the answer before."""
    before: dict[object, Own] = {}
    pairs = []
    for one in own:
        if earlier := before.get(one.asked):
            pairs.append((earlier, one))
        before[one.asked] = one
    return pairs


def nothing_again() -> Figure:
    return Figure(_("Asked again"), "–", note=_("nothing was asked twice"))


def n_again(n: int) -> str:
    return ngettext("%(n)s asked again", "%(n)s asked again", n) % {"n": n}


def n_answers(n: int) -> str:
    return ngettext("%(n)s answer", "%(n)s answers", n) % {"n": n}
