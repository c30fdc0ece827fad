"""Stacks: who rates which pair, where several ratings of each pair are averaged.

`python -m tuples.stacks` does the same on the command line.
"""

from tuples.stacks.certificate import StackCertificate, certify_stacks
from tuples.stacks.drawing import Arrangement, Stacks, make_stacks

__all__ = ["Arrangement", "StackCertificate", "Stacks", "certify_stacks", "make_stacks"]
