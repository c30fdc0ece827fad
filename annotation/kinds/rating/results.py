"""A rating study in `results/`."""

from annotation.kinds.contract.results import ResultsPart


class RatingResults(ResultsPart):
    """Answers what `results/` asks."""
