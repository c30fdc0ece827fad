"""Tuples for best-worst studies: make them, certify them, compose booklets of them.

For rating studies, the stacks of validators who rate a pair. Plain Python on numpy: arrays in,
arrays or small frozen dataclasses out. `python -m tuples` makes the tuples of a list of items in
a file, `python -m tuples.stacks` the stacks.
"""

from tuples.balance import (
    appearances,
    pair_counts,
    position_counts,
    sum_of_squares_bound,
    sum_of_squares_bound_for,
)
from tuples.booklets import Booklets, compose_booklets
from tuples.certificate import Certificate, certify
from tuples.connection import components
from tuples.design import ImpossibleDesignError, count_tuples, make_tuples, pool_seed
from tuples.pools import DesignCertificate, PoolGroup, combine
from tuples.stacks import StackCertificate, Stacks, certify_stacks, make_stacks

__all__ = [
    "Booklets",
    "Certificate",
    "DesignCertificate",
    "ImpossibleDesignError",
    "PoolGroup",
    "StackCertificate",
    "Stacks",
    "appearances",
    "certify",
    "certify_stacks",
    "combine",
    "components",
    "compose_booklets",
    "count_tuples",
    "make_stacks",
    "make_tuples",
    "pair_counts",
    "pool_seed",
    "position_counts",
    "sum_of_squares_bound",
    "sum_of_squares_bound_for",
]
