"""A selection study in `people/`."""

from annotation.kinds.contract.people import PeoplePart


class SelectionPeople(PeoplePart):
    """Answers what `people/` asks."""
