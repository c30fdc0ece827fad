"""A selection study in `studies/`."""

from annotation.kinds.contract.studies import StudiesPart


class SelectionStudies(StudiesPart):
    """Answers what `studies/` asks."""
