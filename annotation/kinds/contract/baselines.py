"""What `baselines/` asks of a kind: which scores measures and models are held against."""

from abc import ABC


class BaselinesPart(ABC):  # noqa: B024 - its questions follow
    """See the module."""
