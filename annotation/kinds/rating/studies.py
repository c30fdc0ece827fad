"""A rating study in `studies/`."""

from annotation.kinds.contract.studies import StudiesPart


class RatingStudies(StudiesPart):
    """Answers what `studies/` asks."""
