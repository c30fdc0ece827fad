"""What `scoring` says of ratings, for `annotation.reported`: its English, word for word."""

from annotation.sentences import Sentence, ngettext
from annotation.sentences import sentence as _

KNOWN_OF_RATINGS: tuple[Sentence, ...] = (
    # scoring.rating_forecasts
    _("fewer than two items have two ratings, so nothing says how much they vary"),
    _("items differ no more than ratings of one item do, so noise is all there is"),
    _("all ratings are at one end of the scale"),
    _(
        "the ratings lie on too few points of the scale to tell noise from what items differ in:"
        " type the noise in"
    ),
    # scoring.rater_agreement
    _(
        "Every rating against the mean of its stack, over all ratings together; the rating itself"
        " counts in the mean [CzechSTS]."
    ),
    _(
        "Every rating against the mean of its stack, over all ratings together; the mean is that"
        " of the other annotators."
    ),
    _("What a person rated again against the same person's rating before."),
    _(
        "Each annotator's ratings against the mean of the other annotators' ratings of the same"
        " units; the mean over annotators is the typical human [STSS131]."
    ),
    _("no unit was rated by two annotators"),
    _("nobody rated a unit twice"),
    _("no annotator shares two units of different value with somebody else"),
    # scoring.rating_reliability
    _(
        "Krippendorff's alpha (%(level)s) [Krippendorff2011], %(distance)s. Distances are"
        " squared. low and high: percentile bootstrap interval (95 %%) over units, or over pools"
        " of them where these were given [Efron1993]."
    ),
    _("nominal"),
    _("ordinal"),
    _("interval"),
    _("ratio"),
    _("values being the same or not"),
    _(
        "the distance of two values being the number of ratings between them, half of those that"
        " name either counted in"
    ),
    _("the distance of two values being their difference"),
    _("the distance of two values being their difference relative to their sum"),
    _("there are no ratings"),
    _("no unit has two ratings"),
    _("at ratio level values must be at least 0: a negative one has no ratio to others"),
    _("there is one of the units: nothing varies"),
    _("the values of every resample are all equal"),
    # scoring.intraclass
    _("ICC(%(kind)s) [ShroutFleiss1979]: reliability of %(what)s."),
    _("one rating of a unit, whoever gave it"),
    _("the mean of a stack of k ratings, whoever gave them"),
    _("one rating, annotators being a sample (absolute agreement)"),
    _("the mean of k ratings, annotators being a sample (absolute agreement)"),
    _("one rating, annotators being fixed (consistency)"),
    _("the mean of k ratings, annotators being fixed (consistency)"),
    _("only one unit has two ratings, so nothing can differ between units"),
    _("all ratings are equal, so there is no variance to divide"),
    _("the variance that the units' differences would have a share of is estimated as 0"),
    # scoring.error_bounds
    _(
        "Mean over units of df / (df - 2) s^2 / n, df = n - 1 [CzechSTS]: the variance of a t"
        " distribution scaled by the standard error. Units of fewer than four ratings have none."
    ),
    _(
        "Mean over units of s^2 / n: the expected squared error of a unit's mean. Units of fewer"
        " than two ratings have none."
    ),
    _("no unit has four ratings"),
    # scoring.aggregation
    _(
        "The value that the ratings of a unit name most often, be it fewer than half of them;"
        " where several are named equally often, none."
    ),
    # scoring.annotation_curves
    _(
        "Ratings against the mean of the other annotators, by the number of annotations that their"
        " annotator had already made [CzechSTS]."
    ),
    _(
        "Ratings against the mean of the other annotators, by thinking time in buckets of"
        " %(seconds)s s [CzechSTS]."
    ),
    _(
        "Ratings against what the first round said of the same units, by the number of annotations"
        " that their annotator had already made [CzechSTS]."
    ),
    _(
        "Ratings against what the first round said of the same units, by thinking time in buckets"
        " of %(seconds)s s [CzechSTS]."
    ),
    _("no rating can be compared with those of other annotators"),
    _("the first round said nothing of the units that were rated"),
    _("the thinking time of no rating is known"),
    # scoring.rating_summary
    _(
        "Number, mean, standard deviation (n - 1 in the denominator) and histogram of the pairs'"
        " scores, each the mean of the pair's ratings, by intended class [CzechSTS]."
    ),
    _("no pair of the class is rated"),
    _("one pair has no spread"),
    # scoring.selection_summary
    _(
        "Number, mean and variance (n - 1 in the denominator) of the ratings, each given by the"
        " person who chose the pair [CzechSTS]."
    ),
    _("it has no pairs"),
    # scoring.context_effects
    _(
        "Two-sided %(test)s, for each pair. Gain: mean in context less mean without. Adjusted"
        " p-values after Benjamini and Hochberg [BH1995]."
    ),
    _(
        "Two-sided %(test)s, for each pair. Gain: mean difference of those who rated both."
        " Adjusted p-values after Benjamini and Hochberg [BH1995]."
    ),
    _("t-test of independent ratings with one variance, as in the paper [CzechSTS]"),
    _("t-test of the differences of those who rated both"),
    _("a condition has no ratings, or both together fewer than three"),
    _("fewer than two people rated the pair in both conditions"),
    _("the ratings of each condition are all equal, so there is no error to compare with"),
    _("everybody's difference is the same, so there is no error to compare with"),
    _("there are no pairs"),
    # scoring.selected_pairs
    _(
        "Pairs whose rating is at most %(limit)s from the expectation of their intended class:"
        " N%(limit)s [CzechSTS]."
    ),
    _(
        "%(method)s in the selected pairs, and in random subsets of as many pairs, drawn without"
        " replacement from all, the selected ones among them [CzechSTS]. low and high: 2.5 and"
        " 97.5 percentiles over subsets. p: twice the smaller share of subsets, the selected one"
        " counted among them, whose correlation is at most, or at least, as high"
        " [PhipsonSmyth2010]."
    ),
    _("Pearson's correlation"),
    _("fewer than two pairs are selected"),
    _("the selected pairs have no correlation: %(reason)s"),
    # scoring.covariates
    _(
        "Pearson's correlation of what is left of both variables after a linear regression on the"
        " covariates [Fisher1924]."
    ),
    _("there are fewer than two complete cases"),
    ngettext(
        "%(n)s cases are too few for %(covariates)s covariate: at least 3 more cases than"
        " covariates are needed",
        "%(n)s cases are too few for %(covariates)s covariates: at least 3 more cases than"
        " covariates are needed",
        "covariates",
    ),
    _("one variable is constant, or the covariates explain it wholly"),
    _("no covariate varies, so that this is the plain correlation"),
    # annotation.services.rating_scoring
    _("not every annotator has rated every item exactly once"),
    _("no item has an intended class"),
    _("there are more than %(n)s of them, too many for one figure"),
    _(
        "Number, mean, standard deviation (n - 1 in the denominator) and histogram of the items'"
        " scores by domain: that of their contexts, or else their own."
    ),
    _(
        "Number, mean, standard deviation (n - 1 in the denominator) and histogram of the items'"
        " scores by source: that of their contexts, or else their own."
    ),
    _("no item of the calibration block has an expected rating"),
    _("there are no ratings of a calibration block"),
    _(
        "Ratings of the calibration block less what is expected of its items: their mean, the mean"
        " of their sizes, and the root of the mean of their squares. In no score."
    ),
    _("What a person rated again against the same person's rating in the earlier round."),
    _("nobody rated an item of the earlier round again"),
    _("no item has an earlier rating"),
    _("fewer than three items have both a score and an earlier rating"),
    _("Correlation of the items' scores with their earlier ratings."),
    # annotation.services.phase_comparison
    _("the design has not both a context-free and a context-dependent phase"),
    _("no item has both an earlier rating and one of the classes similar, middle and dissimilar"),
    _("fewer than three of the items have a score in both phases"),
    _("nobody has completed both phases yet"),
    # annotation.queries.rating_phases
    _(
        "Hours from the moment in which a person completed the one phase to the first screen of"
        " the next one that was shown to the same person and answered; runs that are scored only."
    ),
)
