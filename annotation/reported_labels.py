"""What `scoring` says of labels, for `annotation.reported`: its English, word for word."""

from annotation.sentences import Sentence
from annotation.sentences import sentence as _

KNOWN_OF_LABELS: tuple[Sentence, ...] = (
    # scoring.label_forecasts
    _("an answer may name several categories, which has no single error"),
    _("no item has two labels, so nothing says how often people err"),
    _("there is one category, so nobody can err"),
    _("people agree no more often than by chance, so errors are all there is"),
    # scoring.label_summary
    _(
        "The category that people chose most often, be it fewer than half of them; where several"
        " are chosen equally often, none."
    ),
    _("The categories that more than half of the people chose; where there is none, none."),
    # scoring.label_agreement
    _(
        "Krippendorff's alpha of labels [Krippendorff2011], %(distance)s. low and high: percentile"
        " bootstrap interval (95 %%) over units, or over pools of them where these were given"
        " [Efron1993]."
    ),
    _("answers being the same or not"),
    _(
        "the distance of two answers being the share of their categories that they do not have in"
        " common [Jaccard1912]"
    ),
    _(
        "the distance of two answers being MASI, which also tells sets of which one holds the"
        " other from those that merely overlap [Passonneau2006]"
    ),
    _("there are no answers"),
    _("no unit has two answers"),
    _("all answers are equal, so there is no disagreement by chance to compare with"),
    _("the answers of every resample are all equal"),
    # scoring.label_kappa
    _(
        "Fleiss' kappa [Fleiss1971]: agreement beyond what the shares of the categories lead to"
        " expect, where every unit has equally many answers. Where several categories may be"
        " chosen, answers are the same if all their categories are."
    ),
    _("the units have from %(least)s to %(most)s answers, not equally many"),
    _(
        "Share of the pairs of answers about a unit that are the same: the mean over units with at"
        " least two, each counting once. Not corrected for chance."
    ),
    # scoring.label_annotators
    _(
        "Share of each annotator's answers that are what most of the other annotators said of the"
        " unit. Units of which the others are tied are left out."
    ),
    _(
        "Each annotator's answers against the categories that more than half of the other"
        " annotators chose: the share that both have in common [Jaccard1912], as the mean over"
        " units. Units to which the others give no label are left out."
    ),
    _("no unit has a label by the others of its answers"),
    _(
        "What a person labelled again against the same person's answer before: share of the pairs"
        " that are the same, and Cohen's kappa of the two [Cohen1960]."
    ),
    _("nobody labelled a unit twice"),
    # scoring.label_changes
    _(
        "Bowker's test of symmetry [Bowker1948]: whether from each category to each other one as"
        " many change as back; of two categories McNemar's test without correction [McNemar1947]."
        " Pairs of categories between which nothing changed are left out of the degrees of"
        " freedom. Of few changes p is a rough approximation."
    ),
    _(
        "Stuart-Maxwell test of marginal homogeneity [Stuart1955] [Maxwell1970]: whether the"
        " shares of the categories are the same before and after. Of few changes p is a rough"
        " approximation."
    ),
    _("nothing changed, so there is no direction of change to test"),
    _("the changes fall into groups of categories, between which nothing changed"),
    # annotation.services.label_scoring
    _("several categories may be chosen, so that a label changes to no single one"),
    _("no item has a label in both phases"),
    _("nobody labelled an item in both phases"),
)
