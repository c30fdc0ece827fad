"""A selection study in `items/`."""

from annotation.kinds.contract.items import ItemsPart


class SelectionItems(ItemsPart):
    """Answers what `items/` asks."""
