"""A best-worst study in `results/`."""

from annotation.kinds.contract.results import ResultsPart


class BestWorstResults(ResultsPart):
    """Answers what `results/` asks."""
