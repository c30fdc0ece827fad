"""What a simulated annotator thinks and picks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.errors import AnnotationError
from annotation.models import Study


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


def draw_taste(
    study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None = None
) -> Taste:
    """Latent scores given by item id, or drawn from a uniform distribution on [0, 1]."""
    if not noise >= 0:
        raise AnnotationError(f"noise is {noise}: choose 0 or more (inf for random clicking).")
    items = list(study.items.order_by("number").values_list("pk", "key"))
    if given is None:
        drawn = np.random.default_rng([seed, 0]).uniform(size=len(items))
        latent = {pk: float(score) for (pk, _), score in zip(items, drawn, strict=True)}
    else:
        if missing := [key for _, key in items if key not in given]:
            raise AnnotationError(
                f"item {missing[0]} and {len(missing) - 1} more have no latent score."
                if len(missing) > 1
                else f"item {missing[0]} has no latent score."
            )
        latent = {pk: given[key] for pk, key in items}
    return Taste(latent, noise, seed)
