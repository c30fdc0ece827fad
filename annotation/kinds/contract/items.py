"""What `items/` asks of a kind: what is imported, and how."""

from abc import ABC


class ItemsPart(ABC):  # noqa: B024 - its questions follow
    """See the module."""
