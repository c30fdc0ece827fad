"""A part of an earlier round for the next one: groups drawn, or the first of each person."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from annotation.basics.sentences import sentence as _
from annotation.kinds.design_parameters import ImpossibleParametersError
from annotation.models import Study

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


EVERYTHING = Part()


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
