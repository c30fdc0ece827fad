"""A study in the shape of GiCCS: dialogues with five candidates, and a score for each.

`python -m tests.system.giccs_shaped` makes nothing: `make` is called where Django is set up.
"""

import random

from annotation.models import Context, Item, Pool, Study, Turn
from annotation.studies.services import studies
from tests.scoring.neural.making import WORDS
from tests.support.factories import make_user

N_CANDIDATES = 5
SLUG = "shaped"


def make(n_dialogues: int) -> Study:
    """A draft whose column "mean" holds the scores; no two texts are the same."""
    rng = random.Random(1)
    study = studies.create(
        owner=make_user("shaper"), title="Shaped", preset="giccs", slug=SLUG, seed=1
    )
    contexts = Context.objects.bulk_create(
        Context(study=study, key=f"d{n}", n_turns=(3, 5)[n % 2]) for n in range(n_dialogues)
    )
    turns = Turn.objects.bulk_create(
        Turn(context=context, position=place, text=_text(rng, f"{n} {place}"))
        for n, context in enumerate(contexts)
        for place in range(1, context.n_turns + 1)
    )
    last = {turn.context_id: turn for turn in turns}
    pools = Pool.objects.bulk_create(
        Pool(study=study, context=context, key=context.key, number=n + 1)
        for n, context in enumerate(contexts)
    )
    Item.objects.bulk_create(
        Item(
            study=study,
            pool=pool,
            number=n * N_CANDIDATES + c + 1,
            key=f"{pool.key}/{c}",
            target_turn=last[pool.context_id],
            candidate_text=_text(rng, f"{n} c {c}"),
            metadata={"mean": f"{rng.random():.3f}"},
        )
        for n, pool in enumerate(pools)
        for c in range(N_CANDIDATES)
    )
    return study


def _text(rng: random.Random, number: str) -> str:
    return f"{' '.join(rng.choices(WORDS, k=4))} {number}"
