"""A selection study in `answering/`."""

from annotation.kinds.contract.answering import AnsweringPart


class SelectionAnswering(AnsweringPart):
    """Answers what `answering/` asks."""
