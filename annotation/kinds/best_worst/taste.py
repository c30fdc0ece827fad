"""Which items a simulated annotator picks as best and as worst."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.kinds.answer import Answer
from annotation.kinds.best_worst.answer import BestWorstAnswer
from annotation.kinds.queries.orders import shown_order
from annotation.kinds.taste import AskedQuestion, Taste, latent_values
from annotation.models import Assignment, Question, Study
from scoring.arrays import FloatArray


@dataclass(frozen=True)
class BestWorstTaste(Taste):
    """Latent scores that all share, and how far each answer strays from them.

    An annotator sees each option at its latent score plus `noise` times a Gumbel deviate, and
    picks the highest as best and the lowest as worst. Noise 0 follows the scores exactly;
    infinite noise is random clicking.
    """

    latent: Mapping[int, float]
    noise: float
    seed: int
    scale = categories = None

    def pick(self, options: Sequence[int], *, person: int, question: int) -> tuple[int, int]:
        """Best and worst of these items (primary keys), the same whenever it is asked again."""
        # In an order of its own: what is picked must not depend on where the screen showed it.
        items = sorted(options)
        seen = self.seen(items, person=person, question=question)
        return items[int(seen.argmax())], items[int(seen.argmin())]

    def seen(self, items: Sequence[int], *, person: int, question: int) -> FloatArray:
        """How much of what is asked somebody sees in each of these items."""
        deviates = np.random.default_rng([self.seed, person, question]).gumbel(size=len(items))
        if np.isinf(self.noise):
            return deviates
        return np.array([self.latent[item] for item in items]) + self.noise * deviates

    def answer(self, asked: AskedQuestion, *, person: int) -> Answer:
        best, worst = self.pick(asked.options, person=person, question=asked.number)
        return BestWorstAnswer(best, worst)

    def read(self, question: Question, assignment: Assignment) -> AskedQuestion:
        assert question.tuple is not None  # constraint question_best_worst_or_ranking_has_tuple
        order = shown_order(
            [(member.item.key, member.item_id) for member in question.tuple.members.all()],
            seed=assignment.booklet.design.seed,
            pseudonym=assignment.annotator.pseudonym,
            tuple_number=question.tuple.number,
        )
        return AskedQuestion(question.pk, options=order, number=question.tuple.number)


def draw_best_worst_taste(
    study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None = None
) -> BestWorstTaste:
    """Latent scores given by item id, or drawn from a uniform distribution on [0, 1]."""
    latent = latent_values(study, noise, given, seed, (0.0, 1.0)) | _known_scores(study)
    return BestWorstTaste(latent, noise, seed)


def _known_scores(study: Study) -> dict[int, float]:
    """Of each pool that is a check: its items evenly from 0, the worst, to 1, the best."""
    pools: dict[int, list[int]] = {}
    items = study.items.filter(pool__known_answer__isnull=False)
    # What has no known answer of its own is neither best nor worst.
    middle = list(items.filter(expected=None).values_list("pk", flat=True))
    for pk, pool in items.exclude(expected=None).order_by("expected").values_list("pk", "pool_id"):
        pools.setdefault(pool, []).append(pk)
    return dict.fromkeys(middle, 0.5) | {
        pk: place / (len(members) - 1)
        for members in pools.values()
        for place, pk in enumerate(members)
    }
