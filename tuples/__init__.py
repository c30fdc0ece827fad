"""Tuples for best-worst studies: make them, certify them, compose booklets of them.

Plain Python on numpy: arrays in, arrays or small frozen dataclasses out. `python -m tuples` does
the same for a list of items in a file.
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

__all__ = [
    "Booklets",
    "Certificate",
    "DesignCertificate",
    "ImpossibleDesignError",
    "PoolGroup",
    "appearances",
    "certify",
    "combine",
    "components",
    "compose_booklets",
    "count_tuples",
    "make_tuples",
    "pair_counts",
    "pool_seed",
    "position_counts",
    "sum_of_squares_bound",
    "sum_of_squares_bound_for",
]
