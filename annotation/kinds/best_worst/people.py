"""A best-worst study in `people/`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

import scoring
from annotation.basics.numbers import percent
from annotation.basics.sentences import sentence
from annotation.kinds.best_worst.answer import BestWorstAnswer
from annotation.kinds.contract.people import PeoplePart
from annotation.kinds.people_answers import AnswerPart, Others, OthersChoice, Own, QuestionText
from annotation.kinds.people_figures import Figure, n_answers
from annotation.models import Annotator, AnnotatorStatistics, Item
from scoring.flags import longest_run
from scoring.flags.best_worst import ordered_again
from scoring.flags.runs import expected_largest_share, usual_run


@dataclass(frozen=True)
class OthersPicks(OthersChoice):
    @property
    def said(self) -> str:
        template = ngettext(
            "%(n)s other person answered this. Same best: %(best)s; same worst: %(worst)s; both: "
            "%(both)s",
            "%(n)s other people answered this. Same best: %(best)s; same worst: %(worst)s; both: "
            "%(both)s",
            self.n,
        )
        return template % {
            "best": self.same_best,
            "n": self.n,
            "worst": self.same_worst,
            "both": self.same_both,
        }


class BestWorstPeople(PeoplePart):
    """Somebody's picks, and the places where they stood."""

    agreement_explained = sentence(
        "Agrees with the others: how often the person's order of two items matches the scores "
        "from everybody else's answers. The figure is from the latest scoring. "
        "Random clicking gives about 50 %."
    )

    def n_compared(self, statistics: AnnotatorStatistics) -> int | None:
        # Best and worst are compared pair by pair, so the pairs are no count of questions.
        return statistics.n_judgments

    def figures(self, person: Annotator, own: Sequence[Own], others: Others) -> list[Figure]:
        return [*_places(own), *_ordered(own)]

    def said(
        self, own_answer: Own, items: Mapping[int, Item], turns: Mapping[int, QuestionText]
    ) -> list[AnswerPart]:
        best, worst = _picks(own_answer)
        picks = ((pgettext("answer", "best"), best), (pgettext("answer", "worst"), worst))
        return [
            AnswerPart(name, QuestionText(items[pk].key, items[pk].candidate))
            for name, pk in picks
        ]

    def others_choice(self, own_answer: Own, others: Others) -> OthersChoice | None:
        picks = [answer.items for answer in others.answers.get(own_answer.question_key, [])]
        if not picks:
            return None
        own = _picks(own_answer)
        same_best = sum(best == own[0] for best, _worst in picks)
        same_worst = sum(worst == own[1] for _best, worst in picks)
        return OthersPicks(
            len(picks),
            same_best=same_best,
            same_worst=same_worst,
            same_both=picks.count(own),
            disagreement=1 - (same_best + same_worst) / (2 * len(picks)),
        )


def _picks(own_answer: Own) -> tuple[int, int]:
    assert isinstance(own_answer.answer, BestWorstAnswer)
    best, worst = own_answer.answer.items
    return best, worst


def _positions(own_answer: Own) -> tuple[int, int] | None:
    """Where the picks stood on the screen; of imported answers nobody knows."""
    best, worst = _picks(own_answer)
    order = own_answer.shown_order
    return (order.index(best), order.index(worst)) if {best, worst} <= set(order) else None


def _places(own: Sequence[Own]) -> list[Figure]:
    known = [(answer, places) for answer in own if (places := _positions(answer))]
    if not known:
        return [Figure(_("Positions on the screen"), "–", note=_("the order is unknown"))]
    k, n = len(known[0][0].shown_order), len(known)
    rows = []
    names = (
        (
            _("Most frequent position of the best pick"),
            _("Longest run of one position, best pick"),
        ),
        (
            _("Most frequent position of the worst pick"),
            _("Longest run of one position, worst pick"),
        ),
    )
    by_chance = expected_largest_share(n=n, k=k)
    for on, (often, run) in enumerate(names):
        at = np.array([places[on] for _one, places in known])
        counts = np.bincount(at, minlength=k)
        note = _("position %(place)s; picks in each position: %(counts)s") % {
            "place": int(counts.argmax()) + 1,
            "counts": ", ".join(map(str, counts.tolist())),
        }
        rows += [
            Figure(often, percent(counts.max() / n), by_chance=percent(by_chance), note=note),
            Figure(
                run,
                str(longest_run(at)),
                by_chance=str(usual_run(n=n, k=k)),
                note=n_answers(n),
            ),
        ]
    return rows


def _ordered(own: Sequence[Own]) -> list[Figure]:
    """Self-agreement: pairs of items that the person ordered more than once."""
    whole = [answer for answer in own if len(answer.shown_order) > 2]
    if not whole:
        return []
    number_of = {
        item: n
        for n, item in enumerate(sorted({i for answer in whole for i in answer.shown_order}))
    }
    size = len(whole[0].shown_order)
    tuples: dict[frozenset[int], int] = {}
    for answer in whole:
        tuples.setdefault(frozenset(number_of[i] for i in answer.shown_order), len(tuples))
    answers = scoring.BestWorst(
        np.array([sorted(members) for members in tuples]).reshape(-1, size),
        np.array(
            [tuples[frozenset(number_of[i] for i in answer.shown_order)] for answer in whole]
        ),
        np.array([number_of[_picks(answer)[0]] for answer in whole]),
        np.array([number_of[_picks(answer)[1]] for answer in whole]),
        len(number_of),
    )
    _who, is_same = ordered_again(np.zeros(len(whole), dtype=np.int64), answers)
    return [
        Figure(
            _("Same order when two items were compared again"),
            percent(float(is_same.mean())) if len(is_same) else "–",
            by_chance=percent(0.5),
            note=ngettext("%(n)s pair ordered twice", "%(n)s pairs ordered twice", len(is_same))
            % {"n": len(is_same)},
        )
    ]
