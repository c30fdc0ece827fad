"""Which sentences a simulated annotator selects, and how they are rated."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

import numpy as np

from annotation.basics.scale import Scale
from annotation.basics.shared_words import words_of
from annotation.kinds.selection.answer import SelectionAnswer
from annotation.kinds.taste import AskedQuestion, Taste, check_noise
from annotation.models import Assignment, Question, Study, Turn


@dataclass(frozen=True)
class SelectionTaste(Taste):
    """How alike sentences are to somebody who looks at their words, and a deviate for each.

    Two sentences are as alike as the share of their words that both have. An annotator sees each
    at that plus `noise` times a normal deviate, and chooses the highest, the lowest and the one
    nearest to the middle of both; each is rated as it was seen. Infinite noise is at random.
    """

    # By question: the sentence of the summary; by sentence: its words.
    asked: Mapping[int, int]
    words: Mapping[int, Set[str]]
    noise: float
    scale: Scale
    seed: int
    latent = MappingProxyType({})
    categories = None

    def select(self, question: int, options: Sequence[int], *, person: int) -> SelectionAnswer:
        """Three of these sentences, rated; the same whenever it is asked again."""
        rng = np.random.default_rng([self.seed, person, question])
        # In an order of its own: what is chosen must not depend on where the screen showed it.
        turns = sorted(options)
        deviates = rng.normal(size=len(turns))
        if np.isinf(self.noise):
            seen = (deviates - deviates.min()) / np.ptp(deviates)
        else:
            seen = np.array([self._alike(self.asked[question], turn) for turn in turns])
            seen = seen + self.noise * deviates
        order = np.argsort(-seen, kind="stable")
        best, worst, between = order[0], order[-1], order[1:-1]
        middle = between[np.abs(seen[between] - (seen[best] + seen[worst]) / 2).argmin()]
        chosen = (best, middle, worst)
        return SelectionAnswer(
            *(turns[place] for place in chosen), *(self._rating(seen[place]) for place in chosen)
        )

    def _alike(self, one: int, other: int) -> float:
        every = self.words[one] | self.words[other]
        return len(self.words[one] & self.words[other]) / len(every) if every else 0.0

    def _rating(self, seen: float) -> Decimal:
        points = self.scale.points
        return points[round(min(max(float(seen), 0.0), 1.0) * (len(points) - 1))]

    def answer(self, asked: AskedQuestion, *, person: int) -> SelectionAnswer:
        return self.select(asked.pk, asked.options, person=person)

    def read(self, question: Question, assignment: Assignment) -> AskedQuestion:
        assert question.turn is not None  # constraint question_selection_has_turn
        own = question.turn.context
        reports = Turn.objects.filter(context__group=own.group_id).exclude(context=own)
        options = list(reports.order_by("context_id", "position").values_list("pk", flat=True))
        return AskedQuestion(question.pk, options=options)


def draw_selection_taste(study: Study, *, noise: float, seed: int) -> SelectionTaste:
    """The words of all incidents of a study whose design was made."""
    check_noise(noise)
    asked = Question.objects.filter(
        block__phase__design=study.design, turn__isnull=False
    ).values_list("pk", "turn_id")
    turns = Turn.objects.filter(context__group__study=study).values_list("pk", "text")
    return SelectionTaste(
        asked={question: turn for question, turn in asked if turn is not None},
        words={turn: words_of(text, study.language) for turn, text in turns},
        noise=noise,
        scale=Scale.of(study.scale),
        seed=seed,
    )
