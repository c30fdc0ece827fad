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
from annotation.kinds.contract.people import PeoplePart
from annotation.kinds.people_answers import (
    AskedText,
    Others,
    OthersChoice,
    Own,
    SaidText,
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


@dataclass(frozen=True)
class OthersRatings(OthersChoice):
    @property
    def said(self) -> str:
        assert self.mean_rating is not None  # given below
        said = _("mean %(mean)s, ratings: %(n)s")
        return said % {"mean": decimal(self.mean_rating, 2), "n": self.n}


class RatingPeople(PeoplePart):
    """Somebody's ratings, and what they rated again."""

    agreement_name = sentence("Correlation with the mean of the others")
    agreement_explained = sentence(
        "Agrees with the others: the correlation of somebody's ratings with the mean of everybody"
        " else's, when the study was last scored. Random clicking correlates at about 0."
    )

    def agreement_text(self, value: float | None) -> str:
        return number(value, 2)

    def figures(self, person: Annotator, own: Sequence[Own], others: Others) -> list[Figure]:
        return [
            *sameness(own, others, code=_rating, name=_written),
            *_rated_again(person, own),
        ]

    def said(
        self, one: Own, items: Mapping[int, Item], turns: Mapping[int, AskedText]
    ) -> list[SaidText]:
        return [SaidText("", None, _written(one.answer))]

    def others_choice(self, one: Own, others: Others) -> OthersChoice | None:
        ratings = [_rating(answer) for answer in others.answers.get(one.asked, [])]
        if not ratings:
            return None
        centre = mean(ratings)
        return OthersRatings(
            len(ratings), mean_rating=centre, disagreement=abs(_rating(one.answer) - centre)
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
    again = {one.pk for _before, one in pairs}
    earlier = repeats.rated_before(person, population_of(person))
    of_earlier_round = [
        (before, _rating(one.answer))
        for one in own
        if one.is_repeat and one.pk not in again
        if (before := _in_earlier_round(earlier, one)) is not None
    ]
    found = [
        *_apart(_("Asked again: mean distance from before"), here),
        *_apart(_("Asked again: mean distance from the earlier round"), of_earlier_round),
    ]
    return found or [nothing_again()]


def _in_earlier_round(earlier: Mapping[str, Mapping[int, float]], one: Own) -> float | None:
    """Under the same condition, if the earlier round had it."""
    item = one.asked[2]
    of_conditions = [earlier.get(one.condition, {}), *earlier.values()]
    return next((of[item] for of in of_conditions if item in of), None) if item else None


def _apart(name: str, pairs: Sequence[tuple[float, float]]) -> list[Figure]:
    if not pairs:
        return []
    x, y = np.array(pairs, dtype=np.float64).T
    r = float(scoring.pearson(x, y))
    note = n_again(len(pairs))
    if not np.isnan(r):
        note = _("%(n)s, Pearson %(r)s") % {"n": note, "r": number(r, 2)}
    return [Figure(name, decimal(float(np.abs(y - x).mean()), 2), note=note)]
