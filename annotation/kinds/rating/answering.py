"""A rating study in `answering/`."""

from annotation.kinds.contract.answering import AnsweringPart


class RatingAnswering(AnsweringPart):
    """Answers what `answering/` asks."""
