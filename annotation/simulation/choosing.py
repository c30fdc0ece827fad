"""What a simulated annotator thinks and picks."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from annotation.basics.errors import AnnotationError
from annotation.basics.scale import Scale
from annotation.basics.shared_words import words_of
from annotation.kinds.answer_kinds import SelectionAnswer
from annotation.models import Question, Study, Turn
from annotation.models.kinds import QuestionKind
from annotation.simulation.labelling import LabelTaste, draw_label_taste


@dataclass(frozen=True)
class Taste:
    """Latent scores that all share, and how far each answer strays from them.

    An annotator sees each option at its latent score plus `noise` times a Gumbel deviate, and
    picks the highest as best and the lowest as worst. Noise 0 follows the scores exactly;
    infinite noise is random clicking.
    """

    latent: Mapping[int, float]
    noise: float
    seed: int

    def pick(self, options: Sequence[int], *, person: int, question: int) -> tuple[int, int]:
        """Best and worst of these items (primary keys), the same whenever it is asked again."""
        rng = np.random.default_rng([self.seed, person, question])
        # In an order of its own: what is picked must not depend on where the screen showed it.
        items = sorted(options)
        deviates = rng.gumbel(size=len(items))
        if np.isinf(self.noise):
            seen = deviates
        else:
            seen = np.array([self.latent[item] for item in items]) + self.noise * deviates
        return items[int(seen.argmax())], items[int(seen.argmin())]


@dataclass(frozen=True)
class RatingTaste:
    """Latent ratings that all share, and how far each given one strays from them.

    A rating is the latent one plus a normal deviate, brought to the nearest point of the scale.
    Infinite noise is a rating at random.
    """

    # By item, in units of the scale.
    latent: Mapping[int, float]
    # Standard deviation of the ratings of an item.
    noise: Mapping[int, float]
    scale: Scale
    seed: int
    # Standard deviation over people of how much they rate higher or lower than others.
    leniency: float = 0.0

    def rate(self, item: int, *, person: int, occasion: int) -> Decimal:
        """The rating of one person on one occasion, the same whenever it is asked again."""
        rng = np.random.default_rng([self.seed, person, item, occasion])
        points = self.scale.points
        noise = self.noise[item]
        if np.isinf(noise):
            return points[int(rng.integers(len(points)))]
        own = np.random.default_rng([self.seed, person]).normal() * self.leniency
        value = self.latent[item] + own + noise * rng.normal()
        place = round((value - float(self.scale.low)) / float(self.scale.step))
        return points[min(max(place, 0), len(points) - 1)]


@dataclass(frozen=True)
class SelectionTaste:
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


AnyTaste = Taste | RatingTaste | SelectionTaste | LabelTaste


def draw_taste_of(
    study: Study, *, noise: float | None, seed: int, given: Mapping[str, float] | None = None
) -> AnyTaste:
    """Whatever the study asks for; `noise` None is a usual one."""
    if study.kind == QuestionKind.RATING:
        return draw_rating_taste(
            study, noise=0.15 if noise is None else noise, seed=seed, given=given
        )
    if study.kind == QuestionKind.SELECTION:
        return selection_taste(study, noise=0.1 if noise is None else noise, seed=seed)
    if study.kind == QuestionKind.LABEL:
        return draw_label_taste(study, noise=0.15 if noise is None else noise, seed=seed)
    return draw_taste(study, noise=0.3 if noise is None else noise, seed=seed, given=given)


def draw_rating_taste(
    study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None = None
) -> RatingTaste:
    """Latent ratings given by item id; else what is known of an item, or drawn over the scale.

    `noise`: standard deviation of a rating as a share of the scale's length.
    """
    scale = Scale.of(study.scale)
    low, high = float(scale.low), float(scale.high)
    latent = _latent(study, noise, given, seed, (low, high))
    latent |= _known_answers(study, checks_only=given is not None)
    sd = noise * (high - low)
    return RatingTaste(latent, dict.fromkeys(latent, sd), scale, seed, leniency=sd / 3)


def selection_taste(study: Study, *, noise: float, seed: int) -> SelectionTaste:
    """The words of all incidents of a study whose design was made."""
    _check_noise(noise)
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


def _known_answers(study: Study, *, checks_only: bool = False) -> dict[int, float]:
    """What calibrates or checks is rated as it should be, other pairs as in an earlier round."""
    known: dict[int, float] = {}
    items = study.items.filter(known_answer__isnull=False) if checks_only else study.items
    rows = items.order_by("number").values_list("pk", "expected", "earlier_rating")
    for pk, expected, earlier in rows:
        answer = earlier if expected is None else expected
        if answer is not None:
            known[pk] = float(answer)
    return known


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


def draw_taste(
    study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None = None
) -> Taste:
    """Latent scores given by item id, or drawn from a uniform distribution on [0, 1]."""
    latent = _latent(study, noise, given, seed, (0.0, 1.0)) | _known_scores(study)
    return Taste(latent, noise, seed)


def _latent(
    study: Study,
    noise: float,
    given: Mapping[str, float] | None,
    seed: int,
    ends: tuple[float, float],
) -> dict[int, float]:
    _check_noise(noise)
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


def _check_noise(noise: float) -> None:
    if not noise >= 0:
        raise AnnotationError(f"noise is {noise}: choose 0 or more (inf for random clicking).")
