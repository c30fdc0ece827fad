"""A rating study of two phases, for the students of a benchmark.

    python -m benchmarks.rating_study make PEOPLE   a study for so many
    python -m benchmarks.rating_study open          lets the 72 hours pass for whoever waits
    python -m benchmarks.rating_study check         counted ratings of each pair, by phase

It works on the database that the environment names, and prints JSON.
"""

import json
import os
import random
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402 - models need the settings
from django.core.management import call_command  # noqa: E402

from annotation.basics import clock  # noqa: E402
from annotation.core.queries import counted_answers  # noqa: E402
from annotation.designs.services import designs  # noqa: E402
from annotation.kinds.design_parameters import PhaseParameters, RatingParameters  # noqa: E402
from annotation.models import (  # noqa: E402
    Assignment,
    Block,
    Context,
    Item,
    Judgment,
    Phase,
    PhaseRun,
    Pool,
    Study,
    Turn,
)
from annotation.studies.services import studies  # noqa: E402
from benchmarks.import_export import sentence  # noqa: E402

RATINGS_PER_PAIR, PAIRS_EACH = 9, 50
CALIBRATION = ("0", "3", "6", "0", "3", "6")
N_REPEATS = 5


def make(n_people: int) -> dict[str, Any]:
    """Pairs of sentences in their contexts, as many as so many people rate nine times."""

    rng = random.Random(1)
    owner, _ = User.objects.get_or_create(username="benchmark")
    study = studies.create(
        owner=owner, title="Two phases", preset="sts-context", seed=7, slug=f"students-{n_people}"
    )
    study.comprehension, study.idle_minutes = {}, 60 * 24
    study.save()
    pool = Pool.objects.create(study=study, key="all", number=1)
    n_pairs = n_people * PAIRS_EACH // RATINGS_PER_PAIR + len(CALIBRATION)
    contexts = Context.objects.bulk_create(
        [Context(study=study, key=f"c{n}", n_turns=7) for n in range(2 * n_pairs)]
    )
    turns = Turn.objects.bulk_create(
        [
            Turn(context=context, position=place, text=sentence(rng))
            for context in contexts
            for place in range(1, 8)
        ]
    )
    Item.objects.bulk_create(
        Item(
            study=study,
            pool=pool,
            number=n + 1,
            key=f"p{n + 1}",
            target_turn=turns[14 * n + 3],
            candidate_turn=turns[14 * n + 10],
            expected=CALIBRATION[n] if n < len(CALIBRATION) else None,
        )
        for n in range(n_pairs)
    )
    parameters = RatingParameters(
        ratings_per_item=RATINGS_PER_PAIR,
        items_per_booklet=PAIRS_EACH,
        phases=[
            PhaseParameters(Phase.Condition.FREE.value),
            PhaseParameters(Phase.Condition.DEPENDENT.value, 72.0, 14.0),
        ],
        calibration=[f"p{n + 1}" for n in range(len(CALIBRATION))],
        n_repeats=N_REPEATS,
        repeat_distance=25,
    )
    designs.set_parameters(study=study, parameters=parameters, seed=7)
    design = designs.make(design=study.design)
    studies.open_study(study=study)
    return {"token": study.join_token, "booklets": design.booklets.count()}


def open_now() -> dict[str, Any]:

    return {"opened": PhaseRun.objects.filter(completed_at=None).update(opens_at=clock.now())}


def check() -> dict[str, Any]:

    study = Study.objects.order_by("-pk")[0]
    counted = counted_answers.counted_judgments(study, "people").filter(
        question__block__purpose=Block.Purpose.MAIN
    )
    sizes: Counter[tuple[int, int]] = Counter()
    stacks = Counter(
        counted.order_by().values_list("question__block__phase__number", "question__item")
    )
    for (phase, _item), size in stacks.items():
        sizes[phase, size] += 1
    submitted = Assignment.objects.filter(annotator__study=study, state=Assignment.State.SUBMITTED)
    return {
        "stacks": [[phase, size, n] for (phase, size), n in sorted(sizes.items())],
        "submitted": submitted.count(),
        "judgments": Judgment.objects.filter(assignment__annotator__study=study).count(),
    }


COMMANDS: dict[str, Callable[..., dict[str, Any]]] = {
    "make": lambda n: make(int(n)),
    "open": open_now,
    "check": check,
}

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    print(json.dumps(COMMANDS[sys.argv[1]](*sys.argv[2:])))
