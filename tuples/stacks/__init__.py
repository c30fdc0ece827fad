"""Stacks: who rates which pair, where several ratings of each pair are averaged.

`python -m tuples.stacks` does the same on the command line.
"""

from tuples.stacks.certificate import StackCertificate, certify_stacks
from tuples.stacks.drawing import NOBODY, Arrangement, Stacks, make_stacks, side_by_side
from tuples.stacks.filling import filling_order
from tuples.stacks.uneven import make_uneven_stacks

__all__ = [
    "NOBODY",
    "Arrangement",
    "StackCertificate",
    "Stacks",
    "certify_stacks",
    "filling_order",
    "make_stacks",
    "make_uneven_stacks",
    "side_by_side",
]
