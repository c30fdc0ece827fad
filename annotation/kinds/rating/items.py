"""A rating study in `items/`."""

from annotation.kinds.contract.items import ItemsPart


class RatingItems(ItemsPart):
    """Answers what `items/` asks."""
