"""A label study in `results/`."""

from annotation.kinds.contract.results import ResultsPart


class LabelResults(ResultsPart):
    """Answers what `results/` asks."""
