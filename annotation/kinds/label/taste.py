"""Which categories a simulated annotator chooses."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from annotation.basics.categories import Categories
from annotation.basics.errors import AnnotationError
from annotation.kinds.label.answer import LabelAnswer
from annotation.kinds.taste import AskedQuestion, Taste
from annotation.models import Study

# Where several may be chosen: how often a category belongs to an item beside its first one.
_SHARE_OF_OTHERS = 0.15


@dataclass(frozen=True)
class LabelTaste(Taste):
    """Latent categories that all share, and how far an answer strays from them.

    Where one is chosen, that is the latent one, or with probability `noise` another one at
    random. Where several may be, each latent one is left out with that probability, and as many
    others are chosen on average; never none. Infinite noise is a choice at random.
    """

    # By item, in the order in which they are shown.
    latent: Mapping[int, tuple[str, ...]]
    noise: float
    categories: Categories
    seed: int
    scale = None

    def label(self, item: int, *, person: int, occasion: int) -> tuple[str, ...]:
        """The categories of one person on one occasion, the same whenever it is asked again."""
        rng = np.random.default_rng([self.seed, person, item, occasion])
        names = list(self.categories.names)
        if self.categories.is_several:
            return self._several(names, item, rng)
        if np.isinf(self.noise):
            return (names[int(rng.integers(len(names)))],)
        [own] = self.latent[item]
        if rng.random() >= self.noise:
            return (own,)
        others = [name for name in names if name != own]
        return (others[int(rng.integers(len(others)))],)

    def _several(self, names: list[str], item: int, rng: np.random.Generator) -> tuple[str, ...]:
        draws = rng.random(len(names))
        if np.isinf(self.noise):
            chosen = [name for name, draw in zip(names, draws, strict=True) if draw < 0.5]
            return tuple(chosen) or (names[int(draws.argmin())],)
        own = self.latent[item]
        n_others = len(names) - len(own)
        added = self.noise * len(own) / n_others if n_others else 0.0
        chosen = [
            name
            for name, draw in zip(names, draws, strict=True)
            if (draw >= self.noise if name in own else draw < added)
        ]
        return tuple(chosen) or own[:1]

    def answer(self, asked: AskedQuestion, *, person: int) -> LabelAnswer:
        assert asked.item is not None  # constraint question_rating_or_label_has_item
        return LabelAnswer(self.label(asked.item, person=person, occasion=asked.pk))


def draw_label_taste(study: Study, *, noise: float, seed: int) -> LabelTaste:
    """A latent category of each item at random; where several may be, sometimes more.

    Of a check it is the known answer.
    """
    if not (0 <= noise <= 1 or np.isinf(noise)):
        raise AnnotationError(
            f"noise is {noise}: of labels choose from 0 to 1 (inf for random clicking)."
        )
    categories = Categories.of(study.categories)
    names = list(categories.names)
    rng = np.random.default_rng([seed, 0])
    latent: dict[int, tuple[str, ...]] = {}
    for pk in study.items.order_by("number").values_list("pk", flat=True):
        first = int(rng.integers(len(names)))
        others = rng.random(len(names)) < _SHARE_OF_OTHERS
        latent[pk] = tuple(
            name
            for place, name in enumerate(names)
            if place == first or (categories.is_several and others[place])
        )
    # What a check expects is what everybody sees in it.
    for pk, known in study.checks.filter(item__isnull=False).values_list("item", "categories"):
        latent[pk] = categories.in_order(known) or latent[pk]
    return LabelTaste(latent, noise, categories, seed)
