"""A best-worst study in `studies/`."""

from annotation.kinds.contract.studies import StudiesPart


class BestWorstStudies(StudiesPart):
    """Answers what `studies/` asks."""
