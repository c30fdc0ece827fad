"""A label study in `designs/`."""

from annotation.kinds.contract.designs import DesignsPart


class LabelDesigns(DesignsPart):
    """Answers what `designs/` asks."""
