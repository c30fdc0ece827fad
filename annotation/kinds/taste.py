"""How simulated annotators answer: what they think, and how far an answer strays from it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.basics.categories import Categories
from annotation.basics.errors import AnnotationError
from annotation.basics.scale import Scale
from annotation.kinds.answer import Answer
from annotation.models import Assignment, Question, Study


@dataclass(frozen=True)
class AskedQuestion:
    """What a simulated annotator sees of a question."""

    pk: int
    # The item that it is about, if it is about one.
    item: int | None = None
    # The items or turns to choose from, as they are shown.
    options: Sequence[int] = ()
    # By what an answer is drawn, so that the same question is answered alike.
    number: int = 0


class Taste(ABC):
    """What somebody says to each question, the same whenever it is asked again."""

    # What all share, by item, if there is something of that sort.
    latent: Mapping[int, float | tuple[str, ...]]
    # What they choose from, if it is a scale or categories.
    scale: Scale | None
    categories: Categories | None

    @abstractmethod
    def answer(self, asked: AskedQuestion, *, person: int) -> Answer:
        """A complete answer of one person."""

    def read(self, question: Question, assignment: Assignment) -> AskedQuestion:
        """A question as its screen shows it, read without a page."""
        return AskedQuestion(question.pk, item=question.item_id)


def latent_values(
    study: Study,
    noise: float,
    given: Mapping[str, float] | None,
    seed: int,
    ends: tuple[float, float],
) -> dict[int, float]:
    """By item: given by its id, or drawn evenly between two ends."""
    check_noise(noise)
    items = list(study.items.order_by("number").values_list("pk", "key"))
    if given is None:
        drawn = np.random.default_rng([seed, 0]).uniform(*ends, size=len(items))
        return {pk: float(score) for (pk, _), score in zip(items, drawn, strict=True)}
    # What is known of checks is known without.
    studied = study.items.without_checks().order_by("number")
    if missing := [key for key in studied.values_list("key", flat=True) if key not in given]:
        raise AnnotationError(
            f"item {missing[0]} and {len(missing) - 1} more have no latent score."
            if len(missing) > 1
            else f"item {missing[0]} has no latent score."
        )
    return {pk: given[key] for pk, key in items if key in given}


def check_noise(noise: float) -> None:
    if not noise >= 0:
        raise AnnotationError(f"noise is {noise}: choose 0 or more (inf for random clicking).")
