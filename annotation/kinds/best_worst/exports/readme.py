"""The README of a best-worst study's export: every file, every column, every statistic."""

from collections.abc import Sequence

from annotation.core.exports.columns import (
    ABOUT_JUDGMENTS,
    COMMANDS,
    STATISTICS,
    SUMS,
    about_study_json,
    opening,
    section,
    which_answers_count,
)
from annotation.core.queries.counted_answers import Population
from annotation.kinds.best_worst.exports.columns import (
    IF_CURRENT,
    annotators,
    items,
    judgments,
    nrc,
    tuples,
)

_STATISTICS = """\
`statistics` has two parts: `overall` has the figures of all answers together, and `groups` has the
figures of parts of the data, such as each source. In a group, `cells` has the figures of each
value, and `means` their mean over `n_cells` values. `without` lists the values that have no
figure. In `means`, `cells` weights all values equally, and `judgments` weights them by the number
of answers. `interval_reason` says why a mean has no interval.

Every statistic has a `definition`, and some have `definitions` of their parts. If a value is null,
`reason` says why. Names in square brackets, such as [KM2017], are references to the literature;
the documentation of Likeness lists them. These are the main statistics:

- `split_half`: split-half reliability. The answers are split into two halves `n_splits` times, and
  the scores of the halves are correlated. There are several ways to split them, and the
  `definition` of each explains it: `random`, `fixed` and `balanced` split the answers to each
  tuple, `annotator` splits the people, and `tuple` splits the tuples. `mean`, `sd`, `low` and
  `high` describe the correlations: their mean, their standard deviation, and their 2.5th and
  97.5th percentile. `low` and `high` are a range of splits, not a confidence interval. `random`
  also has a confidence interval of the mean of `spearman`, called `interval`. `n_items` is the
  number of items that both halves contain, in the split with the fewest.
- `strong_agreement`: agreement about the best and about the worst item, in tuples with at least
  three answers. `unanimous_share` is the share of tuples in which all answers picked the same
  item. `mean_pairwise_agreement` is the share of pairs of answers that picked the same item,
  averaged over tuples. Neither is corrected for chance.
- `alpha`: Krippendorff's alpha, which measures agreement. There is one for `best`, one for
  `worst`, one for `joint` (both picks together) and one for `stacked` (both picks as separate
  units). Each is computed with three codings. With `slot`, a pick is the place of the item in the
  order of `tuples.tsv`, and with `uniform`, it is the same but compared with random choice. With
  `item`, a pick is the item itself; this coding is not corrected for chance, so compare it with
  `chance_level`. `n_units` is the number of tuples with at least two answers, `n_values` the
  number of picks in them, and `n_dropped` the number of tuples with fewer answers. `slot_margins`
  is the share of picks in each place, and `max_deviation` the largest distance from an equal
  share; `warning` says if it matters.
- `interval` of an alpha or of split-half reliability: a 95 % jackknife interval. `left_out` says
  what was left out in turn, and `n_units` how many of them there are. If `is_over_people` is true,
  each of the `n_people` people was left out in turn, too. Otherwise the interval says nothing
  about other people, and `note` says why. `standard_error` and `df` (degrees of freedom) belong to
  Student's t distribution. The interval is computed on the scale of -log(1 - alpha).

Beside `overall` and `groups`, `statistics` has these figures of all answers together:

- `projection`: the reliability predicted (`values`) for other numbers of answers per tuple
  (`n_answers`) from the same people. `n_now` is the current average.
- `score_intervals`: about the intervals and ranks in `items.tsv`. `n_pairs` is the number of pairs
  of items in the same pool. In `n_certain` of them, which is the share `certain_share`, the two
  scores differ significantly. About the share `false_discovery_rate` of these, or less, is
  expected to be wrong. `inflation` is the factor by which variances were multiplied at least,
  because the answers of one person resemble each other.
- `pools`: `n_unconnected` pools fall into parts that have no tuple in common. Each part is treated
  as a pool, which makes `n_compared` pools.
- `ranking`: the choice model behind the utilities in `items.tsv`: the probability of choosing item
  i as the best and item j as the worst is proportional to exp(u_i - u_j). It was fitted by maximum
  likelihood in each of the `n_pools` pools. In `penalised_pools`, maximum likelihood alone has no
  solution. There, a `ridge` of strength r was used: r/2 times the sum of the squared utilities is
  subtracted from the log-likelihood. `n_without_errors` is the number of pools that are too large
  for standard errors.
- `compliance`: the median and the lowest value of `compliance` in `annotators.tsv`.
- `positions`: a chi-square test of whether all positions on the screen were picked equally often.
  `counts` is the number of picks in each position; `expected`, `statistic`, `df` and `p` are lists
  with one number each.
- `flags`: the tests that compare each person with the others, and the number of people who were
  tested (`n_tested`). The results for single people are not exported.
"""


def readme(
    *,
    title: str,
    population: Population,
    size: int,
    spreadsheet: bool,
    note: str,
    more: Sequence[str] = (),
) -> str:
    """`README.md` of an export: every file, every column; `more` are sections of other files."""
    parts = [
        *opening(
            title,
            "This is a best-worst scaling study, exported from Likeness, a web application that"
            " collects human judgments of texts. People saw a few items at a time and"
            " chose the best and the worst of them. `study` in `study.json` has the two questions"
            " that they answered.",
            first="items.tsv",
            start="Open `items.tsv` first: it has one row for each item, with its texts and its"
            " score. The other files have the details:\n\n"
            "- `judgments.tsv`: every single answer.\n"
            "- `annotations_nrc.csv`: the answers that count, in a simpler format.\n"
            "- `tuples.tsv`: which items were shown together.\n"
            "- `annotators.tsv`: how many answers each person gave, and how well each person"
            " agrees with the others.\n"
            "- `study.json`: the questions, the design and the statistics, such as"
            " reliability.\n\n"
            "The other sections of this README describe each file and each column.",
            words=("item", "pool", "tuple", "annotator", "booklet"),
            population=population,
            note=note,
            spreadsheet=spreadsheet,
        ),
        which_answers_count(),
        section(
            "items.tsv",
            "One row for each item, in the order of the import. "
            + IF_CURRENT.format(first="score_low", last="utility_se"),
            items(),
        ),
        section("judgments.tsv", ABOUT_JUDGMENTS, judgments()),
        section(
            "annotations_nrc.csv",
            "The answers that count, one row for each. The columns are those of the scripts for"
            " best-worst scaling by S. Kiritchenko and S. M. Mohammad. These commands compute"
            " scores, alpha and split-half reliability from the file:\n\n"
            "    python -m scoring counting annotations_nrc.csv\n"
            "    python -m scoring alpha annotations_nrc.csv\n"
            "    python -m scoring split-half annotations_nrc.csv\n\n"
            "Scores and alpha are exactly those of the study. Split-half reliability and intervals"
            " depend on random draws, so they may differ in the third decimal.",
            nrc(size),
        ),
        section("tuples.tsv", "One row for each tuple of the design.", tuples(size)),
        section(
            "annotators.tsv",
            "One row for each annotator with answers that count. "
            + IF_CURRENT.format(first="compliance", last="worst_position_p"),
            annotators(),
        ),
        *more,
        COMMANDS,
        about_study_json(
            {
                "study": "title, language, the two questions, and the instructions.",
                "design": "the parameters and the seed from which the tuples were drawn, and the"
                " certificate, which shows how balanced the design is.",
                "shown_order": "how to compute the order of the items on the screen.",
                "counts": "numbers of items, tuples, people and answers.",
                **STATISTICS,
            }
        ),
        _STATISTICS,
        SUMS,
    ]
    return "\n".join(parts)
