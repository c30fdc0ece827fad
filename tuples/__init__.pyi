from .balance import (
    appearances,
    pair_counts,
    position_counts,
    sum_of_squares_bound,
    sum_of_squares_bound_for,
)
from .booklets import Booklets, compose_booklets
from .certificate import Certificate, certify
from .connection import components
from .design import (
    ImpossibleDesignError,
    count_tuples,
    make_tuples,
    max_factor,
    min_items,
    pool_seed,
)
from .generators import generator
from .pools import DesignCertificate, PoolGroup, combine
from .stacks import StackCertificate, Stacks, certify_stacks, make_stacks

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
    "generator",
    "make_stacks",
    "make_tuples",
    "max_factor",
    "min_items",
    "pair_counts",
    "pool_seed",
    "position_counts",
    "sum_of_squares_bound",
    "sum_of_squares_bound_for",
]
