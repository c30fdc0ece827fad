"""What `scoring` says of measures of likeness, for `annotation.reported`: its English."""

from annotation.reported_models import KNOWN_OF_MODELS
from annotation.sentences import Sentence, ngettext
from annotation.sentences import sentence as _

_OF_LEXICAL: tuple[Sentence, ...] = (
    # scoring.baselines.lexical
    _("Exact match"),
    _("Edit similarity"),
    _("TF-IDF cosine"),
    _(
        "F1 of the words of both texts, each as often as it occurs, as in SQuAD's evaluation:"
        " lower case, without ASCII punctuation and without a, an, the. 1 if neither has a word."
    ),
    _("1 if both texts are the same words in the same order, cut as for SQuAD F1; else 0."),
    _(
        "F of the longest common subsequence of words, cut as in the package rouge-score without"
        " its stemmer: runs of a–z and 0–9 in lower case, so that umlauts split words. Of two"
        " texts without such words 1 if they are equal, else 0."
    ),
    _(
        "BLEU of the first text against the second one: 1- to 4-grams, split at white space,"
        " brevity penalty, no smoothing. 0 without a common 4-gram, so also for equal texts of up"
        " to three words."
    ),
    _(
        "chrF of the first text against the second one, as in the package sacrebleu: 1- to 6-grams"
        " of characters without white space, recall counted twice. 0 if a text is empty."
    ),
    _(
        "METEOR of the first text against the second one, by nltk, alpha .9, beta 3, gamma .5."
        " Words (runs of letters, digits and their accents, case folded) are matched exactly, then"
        " by their stems; by WordNet's synonyms only where the name says so. 0 without a match, so"
        " also if a text is empty."
    ),
    _(
        "1 less the Levenshtein distance of the characters divided by the length of the longer"
        " text. 1 if both are empty."
    ),
    _(
        "Share of the different words (runs of letters, digits and their accents, case folded)"
        " that both texts have. 1 if neither has a word."
    ),
    _(
        "Cosine of the texts' vectors of word counts (runs of letters, digits and their accents,"
        " case folded), weighted with ln((1 + t) / (1 + d)) + 1 of a word in d of the t different"
        " texts of all pairs. 1 if neither has a word."
    ),
    _("there is no measure %(given)s; there are %(those)s"),
    _("%(measure)s has no setting %(given)s; it has none"),
    _("%(measure)s has no setting %(given)s; it has %(those)s"),
    _("%(measure)s: %(setting)s is %(given)s, but may be %(those)s"),
    # scoring.baselines.translation
    _("there is no stemmer %(given)s; there are %(those)s"),
    _("there are no synonyms %(given)s; there are %(those)s"),
    _(
        "the data of WordNet are not there: install them (python -m nltk.downloader wordnet), or"
        " take METEOR without synonyms"
    ),
    _("the data of WordNet are not complete: %(reason)s"),
)

_OF_CONDITIONS: tuple[Sentence, ...] = (
    # scoring.baselines.expression_values
    _("whether it holds a digit"),
    _("its words, split at white space"),
    _("its characters"),
    _("the same in lower case"),
    _("whether the part is in it, upper and lower case apart"),
    _("whether it starts with the part"),
    _("whether it ends with the part"),
    _("whether the regular expression is found in it"),
    _("whether both hold the same word, whatever its case"),
    _("the number without its sign"),
    _("the smaller one"),
    _("the larger one"),
    _("whether an item has this piece of metadata"),
    _("metadata whose name is no single word"),
    _("a regular expression may have %(most)s characters"),
    _(r"in a regular expression write \{ for a brace, and {2,5} for repetition"),
    _("in a regular expression brackets may start with (?: (?= (?! (?<= (?<! (?i) or a name"),
    _("this regular expression counts too many repetitions"),
    _("the regular expression cannot be read: %(reason)s"),
    _(
        "the regular expression %(given)s takes too long: avoid repetitions inside repetitions,"
        " such as (a+)+"
    ),
    # scoring.baselines.expression
    _(
        "the condition cannot be read at column %(column)s: write it like has_digit(first) and"
        ' domain == "news"'
    ),
    _(
        "the condition cannot be read at column %(column)s, %(given)s: there are names, numbers,"
        " texts in quotes, brackets, and %(those)s"
    ),
    _("the condition is nested too deeply: write it in parts"),
    _("a condition has at most %(most)s parts: write a shorter one"),
    _("the condition is empty: write one like has_digit(first)"),
    _("the condition has %(n)s characters, and at most %(most)s are read"),
    _("write the condition on one line"),
    _("write r before the quotes of a text with a backslash, as in %(example)s"),
    _("this is neither true nor false: compare it with something, as in x > 3"),
    # scoring.baselines.expression_reader
    _("this is neither true nor false: compare it, as in x > 3"),
    _("this is no part of a condition; there are %(those)s, and the functions %(functions)s"),
    _("this number is too large"),
    _("there are texts in quotes, numbers, True and False"),
    _("%(function)s is a function: write %(example)s"),
    _("there is no such function; there are %(those)s"),
    _("%(function)s takes its arguments one by one, without names"),
    _("give %(function)s so many arguments: %(wanted)s, not %(n)s"),
    _("column takes the name of metadata in quotes"),
    _("known takes the name of metadata"),
    _("matches takes a regular expression in quotes"),
    _("there is no such comparison; there are %(those)s"),
    _("there is nothing in these brackets"),
    _("a text is compared with a number"),
    _("a text is compared with a truth"),
    _("a number is compared with a text"),
    _("a number is compared with a truth"),
    _("a truth is compared with a text"),
    _("a truth is compared with a number"),
    _("a text is wanted here, not a number"),
    _("a text is wanted here, not a truth"),
    _("a number is wanted here, not a text"),
    _("a number is wanted here, not a truth"),
    _("column %(column)s: %(problem)s"),
    # scoring.baselines.subsets
    _(
        "%(name)s has %(n)s different values, and at most %(most)s subsets are made of one: choose"
        " a column with fewer, or write a condition"
    ),
    _("%(given)s names all items together: give that subset another name"),
    _("two subsets are called %(given)s: divide the items by one"),
    _("these are %(n)s subsets, and a report has at most %(most)s: divide the items by less"),
)

_OF_REPORTS: tuple[Sentence, ...] = (
    # scoring.baselines.report
    _(
        "First less second measure, on the items that both have. p by the paired bootstrap: twice"
        " the smaller share of the resamples on either side of 0, the data counted as one more"
        " resample. The test is of Pearson's coefficients. No p is corrected for the number of"
        " comparisons."
    ),
    _(
        "Whole pools are drawn where the items of a correlation are of at least %(least)s pools,"
        " otherwise items: fewer pools say too little of how pools differ. But where the items of"
        " a pool are alike, intervals from items are too narrow."
    ),
    _("no noise ceiling is known of these scores"),
    _("no noise ceiling was computed of this subset"),
    _("the noise ceiling of all items does not hold for a part of them"),
    _("there is no measure to report on"),
    _("measure %(measure)s: %(problem)s"),
    # scoring.baselines.overlaps
    _("the values of one side are all equal but for rounding"),
    # scoring.baselines.subset_report
    _("%(measure)s has no correlation with people's scores: %(reason)s"),
    ngettext(
        "there are only %(n)s items, and the test takes %(least)s",
        "there are only %(n)s items, and the test takes %(least)s",
        "n",
    ),
    _("with more than %(most)s items Kendall's tau-b is not resampled: it would take too long"),
    # scoring.comparison
    _("Pearson's product-moment correlation; p by Student's t with n - 2 degrees of freedom."),
    _(
        "Spearman's rho, Pearson's correlation of the average ranks [Spearman1904]; p by Student's"
        " t with n - 2 degrees of freedom, an approximation."
    ),
    _(
        "Kendall's tau-b, which allows for ties [Kendall1945]; p exact for up to 33 items without"
        " ties, otherwise by the normal approximation."
    ),
    _("By Fisher's z with the variance 1 / (n - 3) [Fisher1921]."),
    _("By Fisher's z with the variance (1 + r^2 / 2) / (n - 3) [BonettWright2000]."),
    _("By Fisher's z with the variance .437 / (n - 4) [Fieller1957]."),
    ngettext(
        "there are only %(n)s items, and the variance of Fisher's z takes %(least)s",
        "there are only %(n)s items, and the variance of Fisher's z takes %(least)s",
        "n",
    ),
    _("%(name)s[%(place)s] is %(value)s; a missing value is nan"),
    # scoring.bootstrap
    _("Percentiles of the statistic over the resamples [Efron1993]."),
    _(
        "Percentiles over the resamples, corrected for bias and for a spread that changes with the"
        " statistic (BCa) [Efron1987]."
    ),
    _("the estimate lies outside all resamples, so their bias is unknown"),
    _("the data themselves have no value"),
    ngettext(
        "there are only %(n)s items, and the bootstrap takes %(least)s",
        "there are only %(n)s items, and the bootstrap takes %(least)s",
        "n",
    ),
    ngettext(
        "there are only %(n)s pools, and the bootstrap takes %(least)s",
        "there are only %(n)s pools, and the bootstrap takes %(least)s",
        "n",
    ),
    ngettext(
        "%(n)s of %(resamples)s resamples have no value",
        "%(n)s of %(resamples)s resamples have no value",
        "n",
    ),
    # scoring.correlation_tests
    _(
        "Z test of r12 against r13, which share a variable, on Fisher's z [Meng1992]. What"
        " STSS-131 prints as Steiger's z is this test."
    ),
    _(
        "Z test of r12 against r13, which share a variable, on Fisher's z, their covariance taken"
        " at the mean of both [Steiger1980]."
    ),
    _(
        "Z test of r12 against r13, which share a variable, on Fisher's z, their covariance taken"
        " at each one's own value [DunnClark1969]."
    ),
    _(
        "t test of r12 against r13, which share a variable, with n - 3 degrees of freedom"
        " [Williams1959], in the form that [Steiger1980] recommends."
    ),
    _("r23 is 1: the measures are the same, and nothing is to compare"),
    _("Fisher's z of a correlation of 1 or -1 is infinite"),
    _("the three are so dependent that the difference has no spread"),
    _(
        "Z test of a correlation against a stated value, which is taken as exact, on Fisher's z"
        " [Fisher1921]."
    ),
    _("Z test of two correlations from different items, on Fisher's z [Fisher1921]."),
    _("%(name)s is %(n)s, but the test takes at least 4 items: it divides by %(name)s - 3"),
    # scoring.difference_intervals
    _(
        "Interval of the difference, from Fisher's intervals of both correlations and how they"
        " depend on one another [Zou2007]."
    ),
    _("Fisher's interval of the correlation, less the stated value [Fisher1921]."),
    # scoring.correlation_samples
    _(
        "t test of the mean of a sample of correlations against a given one [Student1908]; the"
        " correlations taken as they are [STSS131]."
    ),
    _(
        "t test of the means of two samples of correlations, with one variance [Student1908]; the"
        " correlations taken as they are [STSS131]."
    ),
    _("a sample has fewer than two correlations"),
    _("the correlations of a sample are all equal, so their mean has no spread"),
    # scoring.baselines.compared
    _("there is no part %(name)s of the items"),
    _("choose two different correlations to compare"),
    _("the leaderboard has no measure %(name)s"),
    _("a standard deviation is one of raters: compare it with the typical human"),
    _("give the number of raters that the standard deviation is of, 2 or more"),
    _("the typical human is known of all items only"),
    _("no raters are known of these scores"),
    _(
        "the leaderboard is of an earlier version, which did not keep how measures correlate with"
        " each other; compute it again"
    ),
    # scoring.noise_ceiling
    _(
        "Square root of the reliability by Spearman-Brown, 2r / (1 + r), of the mean Pearson"
        " correlation r of equal halves of the answers [Spearman1910] [Brown1910]."
    ),
    _("Square root of ICC(1,k), the reliability of the mean of k ratings [ShroutFleiss1979]."),
    _(
        "Square root of the reliability of the items' means, 1 less their error variance (the mean"
        " of s^2 / n) divided by their variance [LordNovick1968]; of each item s is the standard"
        " deviation of its n ratings; variances have the number of values less 1 in the"
        " denominator. With the same n for all items the reliability is ICC(1,k)."
    ),
    _("there is no ICC"),
    _("ICC(1,k) is negative (%(icc)s): raters differ more on one item than the items do"),
    _("how many ratings each item has is not known"),
    ngettext(
        "there are only %(n)s items with a mean and a standard deviation, and it takes %(least)s",
        "there are only %(n)s items with a mean and a standard deviation, and it takes %(least)s",
        "n",
    ),
    _("the means of all items are equal"),
    _(
        "the reliability is negative (%(reliability)s): ratings differ more on one item than the"
        " items do"
    ),
    _("deviations[%(place)s] is %(value)s, but a standard deviation is not negative"),
    _("an item has %(n)s ratings, but a standard deviation takes a whole number of at least 2"),
    # annotation.queries.human_scores
    _("raters were compared on all items, and only some of them count here"),
    _("nobody's ratings can be correlated"),
    _("there is no split-half reliability"),
    _("there is no ICC(1,k)"),
    _("the column of the ratings' standard deviations is not named"),
    _("the reliability was measured on all items, and only some of them count here"),
    _("the reliability is that of means, and these are the most frequent ratings"),
    # scoring.baselines.labelled_pairs
    _(
        "Shares of labels are of the pairs that have one. Lengths are means over all pairs, in"
        " characters and in words, which are split at white space. Two texts overlap where SQuAD's"
        " F1 of them is above 0 [Mustafazade2022]."
    ),
    # scoring.pool_ranking
    _(
        "Of each pool with two or more items that have both values and are not all scored alike by"
        " people. Precision at 1: whether the item that the measure puts first is one that people"
        " scored highest. NDCG: sum of the gains of the items in the measure's order, each divided"
        " by the binary logarithm of its rank plus 1, divided by that sum in the best order"
        " [JarvelinKekalainen2002]; the gain of an item is people's score less the lowest score of"
        " all items. Items that the measure values alike count by their mean over all orders"
        " [McSherryNajork2008]. Spearman's correlation within each pool; pools of which the"
        " measure values all items alike have none. Means over pools, standard deviation over"
        " pools divided by the root of their number."
    ),
    _("no pool has two items that people scored differently and the measure has values of"),
    _("the measure values all items of each pool alike, so nothing correlates"),
    _("one pool has no spread, and so no standard error"),
    # scoring.baselines.choices
    _(
        "Share of the dialogues in which the chosen option is one of those that people scored"
        " highest [GiCCS]; of several shuffles of the options, the mean over them. Standard error:"
        " standard deviation over dialogues, n - 1 in the denominator, divided by the root of"
        " their number. The spread over shuffles says how far the order of the options decides."
    ),
    _("one dialogue has no spread, and so no standard error"),
    _("no dialogue has scores for all of its options"),
    # scoring.baselines.runs
    _("there is no run"),
    ngettext("undefined in %(n)s of %(runs)s runs", "undefined in %(n)s of %(runs)s runs", "n"),
    _("one run has no deviation"),
)

KNOWN_OF_MEASURES: tuple[Sentence, ...] = (
    *_OF_LEXICAL,
    *_OF_CONDITIONS,
    *_OF_REPORTS,
    *KNOWN_OF_MODELS,
)
