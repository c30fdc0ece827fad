"""A selection study in `results/`."""

from annotation.kinds.contract.results import ResultsPart


class SelectionResults(ResultsPart):
    """Answers what `results/` asks."""
