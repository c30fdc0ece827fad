"""A part of an earlier round for the next one: groups drawn, or the first of each person."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np
from django.db.models import QuerySet

from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.kinds.design_parameters import ImpossibleParametersError, RatingParameters
from annotation.models import Block, Judgment, Study
from annotation.models.items import ONE_POOL
from annotation.models.kinds import QuestionKind

# Of the numbers drawn from a design's seed, those of this drawing.
_STREAM = 1

T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """What is taken of an earlier round; by default all of it."""

    # So many groups, drawn from the seed.
    n_groups: int | None = None
    # Or the first groups of each person, in the order in which people answered.
    n_first: int | None = None
    # Whether what calibrated there comes along.
    with_calibration: bool = True

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "Part":
        """As the parameters of a job have it; what is missing there is as usual."""
        return cls(**{name: parameters[name] for name in asdict(cls()) if name in parameters})

    def check(self) -> None:
        """Raise ImpossibleParametersError where it asks for two things at once."""
        if self.n_groups is not None and self.n_first is not None:
            raise ImpossibleParametersError(
                _("Groups are either drawn or the first of each person: leave one empty."),
                "n_first",
            )


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
    return counted_answers.counted_judgments(earlier, "people").filter(kind=QuestionKind.SELECTION)


def first_of_each(groups: Iterable[tuple[int, T]], n_first: int) -> list[T]:
    """The first groups of each person; a group that several people have counts for each.

    `groups`: whose each one is, with the group, person after person in their order.
    """
    of_person: dict[int, dict[T, None]] = {}
    for person, group in groups:
        own = of_person.setdefault(person, {})
        if len(own) < n_first:
            own[group] = None
    return list(dict.fromkeys(group for own in of_person.values() for group in own))


def keys_of_part(earlier: Study, part: Part, *, study: Study) -> list[str]:
    """The items of a rating study that a part has, in the order of the next round.

    An item that is in no group is one of its own. What is not to be drawn is taken as it is: what
    checks, and what calibrates unless that is left out.
    """
    groups = _groups(earlier)
    if part.n_first is not None:
        chosen = _first_rated(earlier, groups, part.n_first)
    else:
        chosen = draw(groups, part.n_groups, study=study)
    data = {key for group in groups for key in group}
    others = [key for key in _keys(earlier) if key not in data]
    if not part.with_calibration:
        calibrates = {*RatingParameters.of(earlier.design).calibration}
        others = [key for key in others if key not in calibrates]
    keys = [key for group in chosen for key in group]
    if part.n_first is not None:
        return others + keys
    wanted = {*others, *keys}
    return [key for key in _keys(earlier) if key in wanted]


def _keys(earlier: Study) -> list[str]:
    return list(earlier.items.order_by("number").values_list("key", flat=True))


def _first_rated(
    earlier: Study, groups: Sequence[tuple[str, ...]], n_first: int
) -> list[tuple[str, ...]]:
    """The first groups of which each person rated an item, in the first phase's main block."""
    group_of = {key: group for group in groups for key in group}
    rated = (
        counted_answers.counted_judgments(earlier, "people")
        .filter(
            kind=QuestionKind.RATING,
            question__block__purpose=Block.Purpose.MAIN,
            question__block__phase__number=1,
        )
        .order_by("assignment__annotator", "assignment", "question__screen", "question__position")
        .values_list("assignment__annotator", "question__item__key")
    )
    return first_of_each(
        ((person, group_of[key]) for person, key in rated.iterator() if key in group_of), n_first
    )


def _groups(earlier: Study) -> list[tuple[str, ...]]:
    """The keys of the items of each group of a rating study."""
    calibrates = {*RatingParameters.of(earlier.design).calibration}
    rows = earlier.items.without_checks().order_by("number").values_list("key", "pool__key")
    groups: dict[tuple[str, str], list[str]] = {}
    for key, pool in rows:
        if key not in calibrates:
            groups.setdefault((pool, key if pool == ONE_POOL else ""), []).append(key)
    return [tuple(group) for group in groups.values()]
