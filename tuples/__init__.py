"""Tuples for best-worst studies: make them, certify them, compose booklets of them.

For rating studies, the stacks of validators who rate a pair. Plain Python on numpy: arrays in,
arrays or small frozen dataclasses out. `python -m tuples` makes the tuples of a list of items in
a file, `python -m tuples.stacks` the stacks.
"""

import lazy_loader

# Each name of tuples/__init__.pyi is loaded when it is first used, and what it needs with it:
# scientific-python.org/specs/spec-0001.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
