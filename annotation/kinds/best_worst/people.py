"""A best-worst study in `people/`."""

from annotation.kinds.contract.people import PeoplePart


class BestWorstPeople(PeoplePart):
    """Answers what `people/` asks."""
