"""A label study in `studies/`."""

from annotation.kinds.contract.studies import StudiesPart


class LabelStudies(StudiesPart):
    """Answers what `studies/` asks."""
