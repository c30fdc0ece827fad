"""A ranking study in `items/`."""

from annotation.basics.sentences import sentence as _
from annotation.kinds.best_worst.items import BestWorstItems


class RankingItems(BestWorstItems):
    """The same items as in best-worst scaling; finished orders of other tools are not read."""

    takes = _("This is a ranking study. Upload dialogues with candidates, pairs or single texts.")
    why_no_additions = _(
        "All items of a ranking study must come from one file. Replace the earlier items."
    )
    why_no_finished_answers = _(
        "Finished rankings cannot be imported. Import the items and collect the answers here."
    )
