"""A label study in `answering/`."""

from annotation.kinds.contract.answering import AnsweringPart


class LabelAnswering(AnsweringPart):
    """Answers what `answering/` asks."""
