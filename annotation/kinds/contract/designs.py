"""What `designs/` asks of a kind: what is drawn, its form, its certificate, its forecasts."""

from abc import ABC


class DesignsPart(ABC):  # noqa: B024 - its questions follow
    """See the module."""
