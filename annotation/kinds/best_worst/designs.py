"""A best-worst study in `designs/`."""

from annotation.kinds.contract.designs import DesignsPart


class BestWorstDesigns(DesignsPart):
    """Answers what `designs/` asks."""
