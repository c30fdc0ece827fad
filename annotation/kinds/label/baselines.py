"""A label study in `baselines/`."""

from annotation.kinds.contract.baselines import BaselinesPart


class LabelBaselines(BaselinesPart):
    """Labels are no scores that a measure could be held against."""
