"""Why people's scores have no noise ceiling or no typical human, as messages that are stored."""

from shell.messages import message as _

OF_ALL_ITEMS = _("the reliability was measured on all items, and only some of them count here")
RATED_ALL_ITEMS = _("raters were compared on all items, and only some of them count here")
NO_CEILING_OF_MAJORITIES = _(
    "the reliability is that of means, and these are the most frequent ratings"
)
NO_CORRELATIONS = _("nobody's ratings can be correlated")
NO_SPLIT_HALF = _("there is no split-half reliability")
NO_ICC = _("there is no ICC(1,k)")
NO_DEVIATIONS = _("the column of the ratings' standard deviations is not named")
