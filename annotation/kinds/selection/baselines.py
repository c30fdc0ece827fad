"""A selection study in `baselines/`."""

from annotation.kinds.contract.baselines import BaselinesPart


class SelectionBaselines(BaselinesPart):
    """Answers what `baselines/` asks."""
