"""A part of an earlier round: groups of pairs drawn for the next one."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from django.db.models import QuerySet

from annotation.imports.entries import ONE_POOL
from annotation.models import Judgment, Study
from annotation.models.kinds import QuestionKind
from annotation.queries import answers
from annotation.sentences import sentence as _
from annotation.services.design_rows import ImpossibleParametersError
from annotation.services.rating_designs import RatingParameters

# Of the numbers drawn from a design's seed, those of this drawing.
_STREAM = 1

T = TypeVar("T")


def draw(groups: Sequence[T], n_groups: int | None, *, study: Study) -> list[T]:
    """So many of the groups, in their order, drawn from the study's seed; None is all of them.

    Raises ImpossibleParametersError where there are fewer.
    """
    if n_groups is None:
        return list(groups)
    refuse_more(len(groups), n_groups)
    seeds = np.random.SeedSequence([study.design.seed, _STREAM])
    rng = np.random.Generator(np.random.PCG64(seeds))
    drawn = rng.choice(len(groups), size=n_groups, replace=False)
    return [groups[place] for place in sorted(drawn.tolist())]


def refuse_more(n: int, n_groups: int | None) -> None:
    """Raise ImpossibleParametersError where there are not so many groups to draw from."""
    if n_groups is not None and n_groups > n:
        raise ImpossibleParametersError(
            _("There are %(n)s groups to draw from: choose at most as many, or leave it empty.")
            % {"n": n},
            "n_groups",
        )


def count(earlier: Study) -> int:
    """How many groups there are to draw from."""
    if earlier.kind == QuestionKind.SELECTION:
        if not earlier.designs.filter(made_at__isnull=False).exists():
            return 0
        return counted_selections(earlier).count()
    return len(_groups(earlier))


def counted_selections(earlier: Study) -> QuerySet[Judgment]:
    """The answers that count, each a group of three pairs."""
    return answers.counted_judgments(earlier, "people").filter(kind=QuestionKind.SELECTION)


def keys_of_drawn(earlier: Study, n_groups: int, *, study: Study) -> set[str]:
    """The items of so many groups of a rating study, and all that calibrate or check.

    An item that is in no group is one of its own.
    """
    groups = _groups(earlier)
    drawn = draw(groups, n_groups, study=study)
    # What is not to be drawn is taken as it is: what calibrates, and what checks.
    data = {key for group in groups for key in group}
    others = {*earlier.items.values_list("key", flat=True)} - data
    return {key for group in drawn for key in group} | others


def _groups(earlier: Study) -> list[list[str]]:
    """The keys of the items of each group of a rating study."""
    calibrates = {*RatingParameters.of(earlier.design).calibration}
    rows = earlier.items.without_checks().order_by("number").values_list("key", "pool__key")
    groups: dict[tuple[str, str], list[str]] = {}
    for key, pool in rows:
        if key not in calibrates:
            groups.setdefault((pool, key if pool == ONE_POOL else ""), []).append(key)
    return list(groups.values())
