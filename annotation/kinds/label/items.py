"""A label study in `items/`."""

from annotation.kinds.contract.items import ItemsPart


class LabelItems(ItemsPart):
    """Answers what `items/` asks."""
