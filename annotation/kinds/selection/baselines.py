"""A selection study in `baselines/`."""

from annotation.basics.sentences import sentence as _
from annotation.kinds.contract.baselines import BaselinesPart


class SelectionBaselines(BaselinesPart):
    """Pairs to train on come out of the answers."""

    has_selected_pairs = True
    no_pairs = _(
        "Here people select sentences, so there are no pairs. Begin the next round with the pairs"
        " that they chose, and measure those."
    )
