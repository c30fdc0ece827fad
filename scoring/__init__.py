"""Statistics of human judgments: plain Python on numpy, arrays in, frozen dataclasses out."""

import lazy_loader

# Each name of scoring/__init__.pyi is loaded when it is first used, and what it needs with it:
# scientific-python.org/specs/spec-0001.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
