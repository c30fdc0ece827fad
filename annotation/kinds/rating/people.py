"""A rating study in `people/`."""

from annotation.kinds.contract.people import PeoplePart


class RatingPeople(PeoplePart):
    """Answers what `people/` asks."""
