"""A rating study in `people/`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

import numpy as np
from django.utils.translation import gettext as _

import scoring
from annotation.basics.numbers import decimal, number
from annotation.basics.sentences import sentence
from annotation.kinds.answer import Answer
from annotation.kinds.contract.people import AMONG_FEW, PeoplePart
from annotation.kinds.people_answers import (
    AnswerPart,
    Others,
    OthersChoice,
    Own,
    QuestionText,
    population_of,
)
from annotation.kinds.people_figures import (
    Figure,
    asked_twice,
    n_again,
    nothing_again,
    sameness,
)
from annotation.kinds.rating.answer import RatingAnswer
from annotation.kinds.rating.queries import repeats
from annotation.models import Annotator, Item
from scoring.flags.outlying import MIN_PEOPLE


@dataclass(frozen=True)
class OthersRatings(OthersChoice):
    @property
    def said(self) -> str:
        assert self.mean_rating is not None  # given below
        template = _("mean %(mean)s, ratings: %(n)s")
        return template % {"mean": decimal(self.mean_rating, 2), "n": self.n}


class RatingPeople(PeoplePart):
    """Somebody's ratings, and what they rated again."""

    agreement_name = sentence("Correlation with the mean of the others")
    agreement_explained = sentence(
        "Agrees with the others: the correlation of a person's ratings with the mean ratings of "
        "everybody else. The figure is from the latest scoring. Random "
        "clicking gives about 0."
    )
    few_people = MIN_PEOPLE - 1
    among_few_people = AMONG_FEW

    def agreement_text(self, value: float | None) -> str:
        return number(value, 2)

    def figures(self, person: Annotator, own: Sequence[Own], others: Others) -> list[Figure]:
        return [
            *sameness(own, others, code=_rating, name=_written),
            *_rated_again(person, own),
        ]

    def said(
        self, own_answer: Own, items: Mapping[int, Item], turns: Mapping[int, QuestionText]
    ) -> list[AnswerPart]:
        return [AnswerPart("", None, _written(own_answer.answer))]

    def others_choice(self, own_answer: Own, others: Others) -> OthersChoice | None:
        ratings = [_rating(answer) for answer in others.answers.get(own_answer.question_key, [])]
        if not ratings:
            return None
        centre = mean(ratings)
        return OthersRatings(
            len(ratings), mean_rating=centre, disagreement=abs(_rating(own_answer.answer) - centre)
        )


def _rating(answer: Answer) -> float:
    assert isinstance(answer, RatingAnswer)
    assert answer.rating is not None  # constraint judgment_rating_has_rating
    return float(answer.rating)


def _written(answer: Answer) -> str:
    return f"{_rating(answer):g}"


def _rated_again(person: Annotator, own: Sequence[Own]) -> list[Figure]:
    """Self-agreement: what was asked twice here, and repeats of the earlier round."""
    pairs = asked_twice(own)
    here = [(_rating(before.answer), _rating(after.answer)) for before, after in pairs]
    again = {repeat.pk for _before, repeat in pairs}
    earlier = repeats.rated_before(person, population_of(person))
    of_earlier_round = [
        (before, _rating(own_answer.answer))
        for own_answer in own
        if own_answer.is_repeat and own_answer.pk not in again
        if (before := _in_earlier_round(earlier, own_answer)) is not None
    ]
    figures = [
        *_apart(_("Repeats: mean difference"), here),
        *_apart(_("Repeats: mean difference from the earlier round"), of_earlier_round),
    ]
    return figures or [nothing_again()]


def _in_earlier_round(earlier: Mapping[str, Mapping[int, float]], own_answer: Own) -> float | None:
    """Under the same condition, if the earlier round had it."""
    item = own_answer.question_key.item_id
    of_conditions = [earlier.get(own_answer.condition, {}), *earlier.values()]
    return (
        next((values[item] for values in of_conditions if item in values), None) if item else None
    )


def _apart(name: str, pairs: Sequence[tuple[float, float]]) -> list[Figure]:
    if not pairs:
        return []
    x, y = np.array(pairs, dtype=np.float64).T
    r = float(scoring.pearson(x, y))
    note = n_again(len(pairs))
    if not np.isnan(r):
        note = _("%(n)s, Pearson %(r)s") % {"n": note, "r": number(r, 2)}
    return [Figure(name, decimal(float(np.abs(y - x).mean()), 2), note=note)]
