"""A selection study in `designs/`."""

from annotation.kinds.contract.designs import DesignsPart


class SelectionDesigns(DesignsPart):
    """Answers what `designs/` asks."""
