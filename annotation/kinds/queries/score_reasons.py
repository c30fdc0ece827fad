"""Why people's scores have no noise ceiling or no typical human, as messages that are stored."""

from shell.messages import message as _

OF_ALL_ITEMS = _("the reliability is only known for all items, but this is a subset")
RATED_ALL_ITEMS = _("the agreement of raters is only known for all items, but this is a subset")
NO_CEILING_OF_MAJORITIES = _(
    "the reliability applies to mean ratings, but these are the most frequent ratings"
)
NO_CORRELATIONS = _("nobody's ratings can be correlated")
NO_SPLIT_HALF = _("there is no split-half reliability")
NO_ICC = _("there is no ICC(1,k)")
NO_DEVIATIONS = _("no column with the ratings' standard deviations was chosen")
