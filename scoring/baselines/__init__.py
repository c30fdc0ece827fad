"""Measures of how alike two texts are that need no model, and what is reported of any measure."""

import lazy_loader

# As in scoring/__init__.py.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
