"""What `scoring` says of scored items looked at again, for `annotation.reported`."""

from annotation.sentences import Sentence
from annotation.sentences import sentence as _

KNOWN_OF_REVIEWS: tuple[Sentence, ...] = (
    # scoring.expert_check
    _(
        "An item is contradicted where more of its experts say above the middle and its score is"
        " below it, or the other way round [GiCCS]. Items whose experts are torn, or whose score"
        " is exactly the middle, are named apart. Intervals of shares: Wilson's score"
        " interval (95 %) [Wilson1927]. Agreement of two experts: Cohen's kappa [Cohen1960]; of"
        " any number: Krippendorff's alpha, nominal [Krippendorff2011]."
    ),
    _("there are fewer than three pairs of values"),
    _("Cohen's kappa is of two experts, and there are %(n)s"),
    _("no item was labelled by both experts"),
    _("both experts gave every item the same label, so chance alone agrees fully"),
    # scoring.discrepancies
    _(
        "Both turned into ranks from 0 (lowest) to 1 (highest), equal values sharing the mean of"
        " theirs; the difference is that of the people less that of the measure."
    ),
    _(
        "From both the mean is taken, and they are divided by their standard deviations (n - 1 in"
        " the denominator); the difference is that of the people less that of the measure."
    ),
)
