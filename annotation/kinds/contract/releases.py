"""What `releases/` asks of a kind: the files of an export, and what its documents say."""

from abc import ABC


class ReleasesPart(ABC):  # noqa: B024 - its questions follow
    """See the module."""
