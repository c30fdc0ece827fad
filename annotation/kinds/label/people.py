"""A label study in `people/`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from django.utils.translation import gettext as _

from annotation.basics.numbers import percent
from annotation.basics.sentences import sentence
from annotation.kinds.answer import Answer
from annotation.kinds.contract.people import AMONG_FEW, PeoplePart
from annotation.kinds.label.answer import LabelAnswer
from annotation.kinds.people_answers import AnswerPart, Others, OthersChoice, Own, QuestionText
from annotation.kinds.people_figures import (
    Figure,
    asked_twice,
    n_again,
    nothing_again,
    sameness,
)
from annotation.models import Annotator, Item
from scoring.flags.outlying import MIN_PEOPLE


@dataclass(frozen=True)
class OthersLabels(OthersChoice):
    @property
    def said(self) -> str:
        template = _("%(share)s of %(n)s: %(what)s")
        return template % {
            "share": percent(self.majority_share),
            "n": self.n,
            "what": ", ".join(self.majority or ()),
        }


class LabelPeople(PeoplePart):
    """Somebody's categories, and what they labelled again."""

    agreement_explained = sentence(
        "Agrees with the others: how often a person chose the category that most others chose "
        "for the same item. If several categories are allowed: the mean share of categories that "
        "the person and the majority have in common. The figure is from the latest scoring."
    )
    few_people = MIN_PEOPLE - 1
    among_few_people = AMONG_FEW

    def figures(self, person: Annotator, own: Sequence[Own], others: Others) -> list[Figure]:
        return [*sameness(own, others, code=_chosen, name=_written), _labelled_again(own)]

    def said(
        self, own_answer: Own, items: Mapping[int, Item], turns: Mapping[int, QuestionText]
    ) -> list[AnswerPart]:
        return [AnswerPart("", None, _written(own_answer.answer))]

    def others_choice(self, own_answer: Own, others: Others) -> OthersChoice | None:
        labels = [_chosen(answer) for answer in others.answers.get(own_answer.question_key, [])]
        if not labels:
            return None
        (majority, n_majority), *_rest = Counter(labels).most_common()
        same = labels.count(_chosen(own_answer.answer))
        return OthersLabels(
            len(labels),
            majority=majority,
            majority_share=n_majority / len(labels),
            same_label=same,
            disagreement=1 - same / len(labels),
        )


def _chosen(answer: Answer) -> tuple[str, ...]:
    """The categories in a fixed order, so that equal sets are equal."""
    assert isinstance(answer, LabelAnswer)
    return tuple(sorted(answer.categories or ()))


def _written(answer: Answer) -> str:
    return ", ".join(_chosen(answer))


def _labelled_again(own: Sequence[Own]) -> Figure:
    """Self-agreement: what was asked twice."""
    pairs = asked_twice(own)
    if not pairs:
        return nothing_again()
    return Figure(
        _("Repeats: same answer"),
        percent(mean(_chosen(a.answer) == _chosen(b.answer) for a, b in pairs)),
        note=n_again(len(pairs)),
    )
