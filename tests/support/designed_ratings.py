"""Rating studies with items, so that a test of their designs spells out only what it is about."""

import itertools
from dataclasses import replace
from decimal import Decimal
from typing import Any

from annotation.designs.services import designs
from annotation.kinds.design_parameters import RatingParameters
from annotation.models import Design, Item, Pool, Study
from annotation.studies.services import studies
from tests.support.factories import make_user, name_contact

_numbers = itertools.count(1)

SCALE = {"low": "0", "high": "6", "step": "1", "labels": {"0": "not at all", "6": "completely"}}


def rating_study(
    *,
    pairs: int = 12,
    groups: int = 0,
    calibration: tuple[int, ...] = (),
    numbers: dict[str, Any] | None = None,
    preset: str = "",
    **columns: Any,
) -> Study:
    """A draft whose pairs are all in one pool, or in so many groups of as many pairs each.

    `calibration` gives the known answers of more items, c1, c2 and so on; they are in a group of
    their own where there are groups. Numbers that are not given are the preset's, or the usual.
    """
    study = studies.create(
        owner=make_user(),
        title=f"Ratings {next(_numbers)}",
        seed=1,
        preset=preset or "training",
    )
    if not preset:
        study.scale = SCALE
        study.rating_question = "How alike are they?"
    for name, value in columns.items():
        setattr(study, name, value)
    study.save()
    name_contact(study)
    pools = [
        Pool.objects.create(study=study, key=f"g{n}" if groups else "all", number=n)
        for n in range(1, max(groups, 1) + 1)
    ]
    first = pools[0]
    if calibration and groups:
        first = Pool.objects.create(study=study, key="calibration", number=groups + 1)
    Item.objects.bulk_create(
        [
            *(
                _item(study, first, n, f"c{n}", expected=Decimal(expected))
                for n, expected in enumerate(calibration, start=1)
            ),
            *(
                _item(study, pools[n * len(pools) // pairs], len(calibration) + n + 1, f"p{n + 1}")
                for n in range(pairs)
            ),
        ]
    )
    design = study.design
    keys = [f"c{n}" for n in range(1, len(calibration) + 1)]
    chosen = RatingParameters.of(design) if preset else RatingParameters()
    parameters = replace(chosen, **{"calibration": keys, **(numbers or {})})
    designs.set_parameters(study=study, parameters=parameters, seed=design.seed)
    return study


def _item(study: Study, pool: Pool, number: int, key: str, **columns: Any) -> Item:
    return Item(
        study=study,
        pool=pool,
        number=number,
        key=key,
        target_text=f"First text of {key}.",
        candidate_text=f"Second text of {key}.",
        **columns,
    )


def made(**arguments: Any) -> Design:
    """The design of such a study, made."""
    return designs.make(design=rating_study(**arguments).design)
