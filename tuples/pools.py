"""Certify a design of several pools, such as the candidates of sixty dialogues."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from tuples.certificate import Certificate, about_positions

# What depends on the drawn order of the members and differs from pool to pool by chance.
POSITION_FIELDS = ("position_deviation", "position_chi_square", "position_chi_square_expected")


@dataclass(frozen=True, kw_only=True)
class PoolGroup:
    """Pools whose certificates are alike but for the places, which differ by chance.

    Attributes
    ----------
    certificate : Certificate
        The one they share, with the figures of places of the pool that varies most.
    pools : tuple of int
        Their numbers, in the order in which `combine` was given the certificates.
    """

    certificate: Certificate
    pools: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class DesignCertificate:
    """What is true of the tuples of all pools of a design.

    Attributes
    ----------
    n_pools, n_items, n_tuples : int
        Totals.
    n_repeated_tuples, n_pairs_repeated : int
        Totals; repetition is within a pool, as are all comparisons.
    appearances_min, appearances_max, pair_count_max : int
        The least and the greatest of any pool.
    n_pools_at_bound, n_pools_connected : int
        Pools whose pairs are as even as can be, and pools in which all items are comparable.
    distance_from_bound : int
        Total over the pools.
    position_deviation : float
        The greatest of any pool.
    position_chi_square, position_chi_square_expected : float
        Totals.
    groups : tuple of PoolGroup
        The pools, alike ones together.
    """

    n_pools: int
    n_items: int
    n_tuples: int
    n_repeated_tuples: int
    n_pairs_repeated: int
    appearances_min: int
    appearances_max: int
    pair_count_max: int
    n_pools_at_bound: int
    n_pools_connected: int
    distance_from_bound: int
    position_deviation: float
    position_chi_square: float
    position_chi_square_expected: float
    groups: tuple[PoolGroup, ...]

    @property
    def are_all_at_bound(self) -> bool:
        return self.n_pools_at_bound == self.n_pools

    @property
    def are_all_connected(self) -> bool:
        return self.n_pools_connected == self.n_pools

    def as_dict(self) -> dict[str, object]:
        """Return all figures as JSON knows them; what is undefined is None."""
        figures: dict[str, object] = {
            field.name: getattr(self, field.name) for field in fields(self)
        }
        figures["are_all_at_bound"] = self.are_all_at_bound
        figures["are_all_connected"] = self.are_all_connected
        figures["groups"] = [
            {"pools": list(group.pools), "certificate": group.certificate.as_dict()}
            for group in self.groups
        ]
        return figures

    def sentences(self) -> list[str]:
        """Say it in plain English: the whole first, then each group of pools alike."""
        if self.n_pools == 1:
            return self.groups[0].certificate.sentences()
        sentences = [
            f"The design has {self.n_tuples:,} tuples for {self.n_items:,} items in "
            f"{self.n_pools:,} pools. Items are compared only within their pool.",
            "In every pool, all pairs of items appear together equally often, as far as possible."
            if self.are_all_at_bound
            else f"In {self.n_pools_at_bound:,} of {self.n_pools:,} pools, all pairs of items "
            "appear together equally often, as far as possible.",
            "In every pool, the tuples connect all items, so all of them can be compared."
            if self.are_all_connected
            else f"In {self.n_pools - self.n_pools_connected:,} pools, not all items can be "
            "compared with one another.",
            about_positions(
                deviation=self.position_deviation,
                chi_square=self.position_chi_square,
                expected=self.position_chi_square_expected,
            ),
        ]
        for group in self.groups:
            number = len(group.pools)
            which = (
                f"Pool {group.pools[0] + 1}:"
                if number == 1
                else f"{number:,} pools have the same figures. In each of them,"
            )
            # What holds in every pool is said above, as are positions, which differ by chance.
            alike = group.certificate.sentences_without_positions(
                says_bound=not self.are_all_at_bound, says_connection=not self.are_all_connected
            )
            sentences.append(f"{which} {' '.join(alike)}")
        return sentences


def combine(certificates: Sequence[Certificate]) -> DesignCertificate:
    """Sum up the certificates of the pools of one design.

    Parameters
    ----------
    certificates : sequence of Certificate
        One for each pool, at least one.

    Raises
    ------
    ValueError
        If there is no certificate.
    """
    if not certificates:
        raise ValueError("a design has at least one pool, but there is no certificate")
    alike: dict[tuple[object, ...], list[int]] = {}
    for number, certificate in enumerate(certificates):
        alike.setdefault(_apart_from_places(certificate), []).append(number)

    return DesignCertificate(
        n_pools=len(certificates),
        n_items=sum(c.n_items for c in certificates),
        n_tuples=sum(c.n_tuples for c in certificates),
        n_repeated_tuples=sum(c.n_tuples - c.n_distinct_tuples for c in certificates),
        n_pairs_repeated=sum(c.n_pairs_repeated for c in certificates),
        appearances_min=min(c.appearances_min for c in certificates),
        appearances_max=max(c.appearances_max for c in certificates),
        pair_count_max=max(c.pair_count_max for c in certificates),
        n_pools_at_bound=sum(c.distance_from_bound == 0 for c in certificates),
        n_pools_connected=sum(c.is_connected for c in certificates),
        distance_from_bound=sum(c.distance_from_bound for c in certificates),
        position_deviation=max(c.position_deviation for c in certificates),
        position_chi_square=sum(c.position_chi_square for c in certificates),
        position_chi_square_expected=sum(c.position_chi_square_expected for c in certificates),
        groups=tuple(
            PoolGroup(
                certificate=max(
                    (certificates[number] for number in numbers),
                    key=lambda c: (c.position_chi_square, c.position_deviation),
                ),
                pools=tuple(numbers),
            )
            for numbers in alike.values()
        ),
    )


def _apart_from_places(certificate: Certificate) -> tuple[object, ...]:
    # From the dictionary, whose None is equal to itself where nan is not.
    figures = certificate.as_dict()
    return tuple(value for name, value in figures.items() if name not in POSITION_FIELDS)
