"""A best-worst study in `answering/`."""

from annotation.kinds.contract.answering import AnsweringPart


class BestWorstAnswering(AnsweringPart):
    """Answers what `answering/` asks."""
