"""A label study in `people/`."""

from annotation.kinds.contract.people import PeoplePart


class LabelPeople(PeoplePart):
    """Answers what `people/` asks."""
