"""What `people/` asks of a kind: what is said of one annotator."""

from abc import ABC


class PeoplePart(ABC):  # noqa: B024 - its questions follow
    """See the module."""
