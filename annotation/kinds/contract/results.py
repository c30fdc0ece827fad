"""What `results/` asks of a kind: how answers are scored, and what the pages of results show."""

from abc import ABC


class ResultsPart(ABC):  # noqa: B024 - its questions follow
    """See the module."""
