"""A selection study in `baselines/`."""

from annotation.basics.sentences import sentence as _
from annotation.kinds.contract.baselines import BaselinesPart


class SelectionBaselines(BaselinesPart):
    """Pairs to train on come out of the answers."""

    has_selected_pairs = True
    no_pairs = _(
        "A selection study has no pairs to measure. Start the next round with the chosen pairs "
        "and compute baselines there."
    )
