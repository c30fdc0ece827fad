"""A label study in `baselines/`."""

from annotation.kinds.contract.baselines import BaselinesPart


class LabelBaselines(BaselinesPart):
    """Answers what `baselines/` asks."""
