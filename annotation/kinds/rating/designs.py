"""A rating study in `designs/`."""

from annotation.kinds.contract.designs import DesignsPart


class RatingDesigns(DesignsPart):
    """Answers what `designs/` asks."""
