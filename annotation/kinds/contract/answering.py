"""What `answering/` asks of a kind: what a question shows, and how its answer is read."""

from abc import ABC


class AnsweringPart(ABC):  # noqa: B024 - its questions follow
    """See the module."""
