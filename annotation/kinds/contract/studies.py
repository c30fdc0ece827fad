"""What `studies/` asks of a kind: how a study is made, described and listed on its overview."""

from abc import ABC


class StudiesPart(ABC):  # noqa: B024 - its questions follow
    """See the module."""
