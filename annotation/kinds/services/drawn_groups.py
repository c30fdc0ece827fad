"""A part of an earlier round for the next one: groups drawn, or the first of each person."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from annotation.basics.sentences import sentence as _
from annotation.kinds.design_parameters import ImpossibleParametersError
from annotation.models import Study

# The spawn key of this drawing among all that use a design's seed.
_STREAM = 1

T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """What is taken of an earlier round; by default all of it."""

    # The number of groups that are drawn from the seed.
    n_groups: int | None = None
    # Instead: the number of first groups of each person, in the order of the answers.
    n_first: int | None = None
    # Whether the items that calibrated there are copied, too.
    with_calibration: bool = True

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "Part":
        """Read the parameters of a job; missing ones have their default."""
        return cls(**{name: parameters[name] for name in asdict(cls()) if name in parameters})

    def check(self) -> None:
        """Raise ImpossibleParametersError if it asks for two things at once."""
        if self.n_groups is not None and self.n_first is not None:
            raise ImpossibleParametersError(
                _(
                    "Choose either random groups or the first groups of each person. Leave one "
                    "field empty."
                ),
                "n_first",
            )


EVERYTHING = Part()


def draw(groups: Sequence[T], n_groups: int | None, *, study: Study) -> list[T]:
    """So many of the groups, in their order, drawn from the study's seed; None is all of them.

    Raises ImpossibleParametersError if there are fewer.
    """
    if n_groups is None:
        return list(groups)
    refuse_more(len(groups), n_groups)
    seeds = np.random.SeedSequence([study.design.seed, _STREAM])
    rng = np.random.Generator(np.random.PCG64(seeds))
    drawn = rng.choice(len(groups), size=n_groups, replace=False)
    return [groups[place] for place in sorted(drawn.tolist())]


def refuse_more(n: int, n_groups: int | None) -> None:
    """Raise ImpossibleParametersError if there are not so many groups to draw from."""
    if n_groups is not None and n_groups > n:
        raise ImpossibleParametersError(
            _("There are only %(n)s groups. Choose at most %(n)s, or leave the field empty.")
            % {"n": n},
            "n_groups",
        )


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
