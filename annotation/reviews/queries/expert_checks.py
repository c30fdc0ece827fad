"""An expert check: scores beside what experts say of their side of the middle."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from annotation.core.queries.counted_answers import Population
from annotation.core.queries.item_texts import ItemTexts, item_texts
from annotation.models import Study
from annotation.reviews.queries.reviewed_answers import (
    ReviewedAnswers,
    ReviewedItem,
    reviewed_answers,
)
from scoring import ExpertCheck, Proportion, expert_check
from scoring.arrays import IntArray
from scoring.expert_check import ABOVE, BELOW, MIDDLE, NEITHER

CONTRADICTED, CONFIRMED, TORN, AT_MIDDLE, UNLABELLED = (
    "contradicted",
    "confirmed",
    "torn",
    "at the middle",
    "unlabelled",
)
SIDES = {ABOVE: "above", BELOW: "below", NEITHER: ""}


@dataclass(frozen=True, eq=False)
class CheckedScores:
    """The answers of one population, and what they say of the scores."""

    answers: ReviewedAnswers

    @property
    def items(self) -> Sequence[ReviewedItem]:
        return self.answers.items

    @property
    def sides(self) -> tuple[str, str]:
        """The categories that mean above and below: the first two."""
        above, below = self.answers.read.categories.names[:2]
        return above, below

    @cached_property
    def labels(self) -> IntArray:
        """Shape (items, people). Whoever chose anything else, or more, is on neither side."""
        chosen = self.answers.chosen
        is_alone = chosen.sum(axis=2) == 1
        above, below = chosen[:, :, 0] & is_alone, chosen[:, :, 1] & is_alone
        return np.where(above, ABOVE, np.where(below, BELOW, NEITHER)).astype(np.int64)

    @cached_property
    def check(self) -> ExpertCheck:
        return expert_check(self.answers.scores, self.labels)

    @cached_property
    def in_order(self) -> list[int]:
        """Contradicted items first, the farthest from the middle first; then the others."""
        first: list[int] = self.check.contradicted.tolist()
        there = {*first}
        return first + [n for n in range(len(self.items)) if n not in there]

    def distance(self, place: int) -> float:
        return abs(self.items[place].reviewed.score - MIDDLE)

    def status(self, place: int) -> str:
        check = self.check
        if not (self.labels[place] != NEITHER).any():
            return UNLABELLED
        if check.majority[place] == NEITHER:
            return TORN
        if check.side[place] == NEITHER:
            return AT_MIDDLE
        return CONFIRMED if check.majority[place] == check.side[place] else CONTRADICTED

    def expert_labels(self, place: int) -> list[str]:
        """What each person chose, in their order; empty of those who did not label it."""
        names = self.answers.read.categories.names
        return [
            "|".join(names[n] for n in np.flatnonzero(of_person).tolist())
            for of_person in self.answers.chosen[place]
        ]


def shares(check: ExpertCheck) -> dict[str, Proportion]:
    """How many scores are contradicted: all, those above, those below, those by any expert."""
    return {
        "all": check.overall,
        "above": check.above,
        "below": check.below,
        "any": check.by_any,
    }


class CheckShare(NamedTuple):
    """How many of some scores are contradicted."""

    scores: str
    contradicted: Proportion


def share_records(scores: CheckedScores) -> list[CheckShare]:
    return [CheckShare(*share) for share in shares(scores.check).items()]


def checked_scores(study: Study, population: Population) -> CheckedScores | None:
    """None where no item is from a scored study, or no design asks about any."""
    answers = reviewed_answers(study, population)
    return CheckedScores(answers) if answers else None


class CheckedItem(NamedTuple):
    """An item of the check with all that a table says of it."""

    item: ReviewedItem
    texts: ItemTexts
    distance: float
    score_side: str
    experts_side: str
    status: str
    n_above: int
    n_below: int
    # Of each expert in their order; empty if the expert did not label the item.
    expert_labels: list[str]


def records(scores: CheckedScores) -> Iterator[CheckedItem]:
    """Every item of the check, for a file: the contradicted ones first, as GiCCS's table 4."""
    texts = {text.key: text for text in item_texts(scores.answers.study)}
    check = scores.check
    for place in scores.in_order:
        item, labels = scores.items[place], scores.labels[place]
        yield CheckedItem(
            item=item,
            texts=texts[item.key],
            distance=scores.distance(place),
            score_side=SIDES[int(check.side[place])],
            experts_side=SIDES[int(check.majority[place])],
            status=scores.status(place),
            n_above=int((labels == ABOVE).sum()),
            n_below=int((labels == BELOW).sum()),
            expert_labels=scores.expert_labels(place),
        )
