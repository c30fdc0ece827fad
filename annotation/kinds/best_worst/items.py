"""A best-worst study in `items/`."""

from annotation.kinds.contract.items import ItemsPart


class BestWorstItems(ItemsPart):
    """Answers what `items/` asks."""
