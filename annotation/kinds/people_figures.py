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
    """One thing that was seen, beside the others' value and what chance gives."""

    name: str
    value: str
    usual: str = "–"
    by_chance: str = "–"
    note: str = ""
    # Whether it was seen of the browser, and may have many causes.
    is_sign: bool = False


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
    codes = [code(answer.answer) for answer in own]
    (most, n_most), *_rest = Counter(codes).most_common()
    codes_by_question = {
        question: [code(other) for other in answers]
        for question, answers in others.answers.items()
    }
    by_others = [
        answer
        for own_answer in own
        for answer in codes_by_question.get(own_answer.question_key, [])
    ]
    usual = by_others.count(most) / len(by_others) if by_others else None
    runs, same, chances = [0], [], []
    for _sitting, of_one in groupby(
        own, key=lambda own_answer: (own_answer.assignment, own_answer.phase)
    ):
        given = list(of_one)
        numbers = {
            known: n for n, known in enumerate(dict.fromkeys(code(o.answer) for o in given))
        }
        runs.append(
            longest_run(np.array([numbers[code(own_answer.answer)] for own_answer in given]))
        )
        for before, after in pairwise(given):
            first, second = (
                codes_by_question.get(before.question_key),
                codes_by_question.get(after.question_key),
            )
            if first and second:
                same.append(code(before.answer) == code(after.answer))
                counts = Counter(second)
                chances.append(sum(counts[a] for a in first) / (len(first) * len(second)))
    return [
        Figure(
            _("Share of the most frequent answer"),
            percent(n_most / len(codes)),
            percent(usual),
            note=_("answer: %(answer)s") % {"answer": name(own[codes.index(most)].answer)},
        ),
        Figure(_("Longest run of one answer"), str(max(runs)), note=n_answers(len(own))),
        Figure(
            _("Same answer as the previous one"),
            percent(mean(same)) if same else "–",
            by_chance=percent(mean(chances)) if chances else "–",
            note=_("%(n)s; expected from the others' answers") % {"n": n_answers(len(same))}
            if same
            else n_answers(0),
        ),
    ]


def asked_twice(own: Sequence[Own]) -> list[tuple[Own, Own]]:
    """Every answer to something that was asked before, beside the answer before."""
    before: dict[object, Own] = {}
    pairs = []
    for answer in own:
        if earlier := before.get(answer.question_key):
            pairs.append((earlier, answer))
        before[answer.question_key] = answer
    return pairs


def nothing_again() -> Figure:
    return Figure(_("Repeats"), "–", note=_("no repeats"))


def n_again(n: int) -> str:
    return ngettext("%(n)s repeat", "%(n)s repeats", n) % {"n": n}


def n_answers(n: int) -> str:
    return ngettext("%(n)s answer", "%(n)s answers", n) % {"n": n}
