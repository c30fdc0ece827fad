"""The README of a best-worst study's export: every file, every column, every statistic."""

from collections.abc import Sequence

from annotation.core.exports.columns import (
    OF_PLATFORMS,
    opening,
    section,
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
`statistics` has `overall`, of all answers, and `groups`: for each grouping the figures of its
`cells` and their `means`, over `n_cells` cells, those in `without` being left out. Every
statistic says in `definition` what it is, and some say in `definitions` what the figures beside
it are; where one is null, `reason` says why. In `means`, `cells` counts each group once and
`judgments` by its answers; `interval_reason` says why a mean has no interval. In particular:

- `split_half`: `mean`, `sd`, `low` and `high` are of the correlations in `n_splits` random splits
  of the same answers. `sd` is the standard deviation over splits; `low` and `high` are the 2.5th
  and the 97.5th percentile: a range of splits, not a confidence interval. They say nothing about
  other annotators or other texts; the `interval` of `random` does, which is that of `spearman`'s
  mean, as those of `alpha` below (of few pools `items` are left out). `n_items`:
  items that both halves showed, in the split with the fewest.
- `strong_agreement`: `unanimous_share` is the share of tuples in which all answers picked the
  same item; `mean_pairwise_agreement` the share of the pairs of answers to a tuple that did, as
  the mean over tuples. Both are of the tuples with at least three answers, and neither is
  corrected for chance.
- `alpha`: by question (`joint`: both picks together; `stacked`: best and worst picks as separate
  units) and by coding (`slot`, `item`, `uniform`). Item coding is not corrected for chance:
  compare it with its `chance_level`. In slot coding two picks are the same if they are in the
  same place of the tuple's stored order; `uniform` compares with a random choice. `n_units`,
  `n_values`: tuples with at least two answers, and their picks; `n_dropped`: tuples with fewer.
  `slot_margins`: share of the picks in each place; `max_deviation`: the largest distance from an
  even share, of which `warning` says if it matters. Each has an `interval` (95 %)
  of the jackknife, in a group over its own people and pools: `left_out` says what was left out in
  turn, `pools` or (below six pools) `tuples`, and `n_units` how many there are. If
  `is_over_people`, each of the `n_people` people was left out, too; with fewer than 30 people, or
  if the answers do not name them, the interval says nothing about other people, and `note` says
  so. `standard_error` and `df` (degrees of freedom) are those of Student's t; the interval is
  taken on the scale of
  -log(1 - alpha).

`overall` is also split by people (`annotator`) and by tuples (`tuple`). Beside `overall` and
`groups` there are, of all answers together:

- `projection`: the reliability to be expected (`values`) with other numbers of answers per tuple
  (`n_answers`); now there are `n_now` on average. At `n_now` it is the Spearman-Brown figure.
- `score_intervals`: of the intervals and ranks in `items.tsv`. `certain_share`: the share of the
  `n_pairs` pairs of items within pools that are in a certain order, `n_certain` of them. Of these
  at most the share `false_discovery_rate` is expected to be wrong. `inflation`: what the variances
  were multiplied by because the answers of one person resemble one another.
- `pools`: how many pools are `n_unconnected`, that is, fall into parts whose tuples share no item;
  each part is then a pool of its own, and there are `n_compared` pools.
- `ranking`: the model of the utilities in `items.tsv`, its log-likelihood over all `n_pools`
  pools, the strength of the `ridge`, and as `penalised_pools` those in which plain maximum
  likelihood has no estimate. A ridge of strength r takes r/2 times the sum of the squared
  utilities off the log-likelihood. `n_without_errors`: pools too large for standard errors.
- `compliance`: of the column in `annotators.tsv`, the median over annotators and the lowest.
- `positions`: chi-square of the displayed positions of all best and of all worst picks against an
  even spread: `counts` in each position, `expected`, `statistic`, `df`, `p`, each a list of one.
- `flags`: by which tests people are compared with the others, and how many were tested by each
  (`n_tested`). What was seen of whom is on the page of people only: it is no verdict.
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
            "A best-worst study, exported from Likeness.",
            population=population,
            note=note,
            spreadsheet=spreadsheet,
        ),
        section(
            "items.tsv",
            "Every item with its score, in the order of the import. " + IF_CURRENT,
            items(),
        ),
        section(
            "annotators.tsv",
            "Every annotator of a counted answer. " + IF_CURRENT,
            annotators(),
        ),
        section("tuples.tsv", "Every tuple that was to be judged.", tuples(size)),
        section(
            "judgments.tsv",
            "Every answer, in the order of storing. Answers of somebody who withdrew are gone;"
            f" `study.json` says how many there were. {OF_PLATFORMS}",
            judgments(),
        ),
        section(
            "annotations_nrc.csv",
            "The counted answers in the columns of the best-worst scripts of S. Kiritchenko and"
            " S. M. Mohammad. Scores and alpha follow from it exactly:\n\n"
            "    python -m scoring counting annotations_nrc.csv\n"
            "    python -m scoring alpha annotations_nrc.csv\n"
            "    python -m scoring split-half annotations_nrc.csv\n\n"
            "Halves and intervals are drawn at random: theirs may differ in the third decimal.",
            nrc(size),
        ),
        *more,
        "## study.json\n\n"
        "One object: `exported_at`; `population`; `note`; `study` (title, language, the two"
        " questions, instructions); `design` (seed, parameters, certificate, code version);"
        " `shown_order` (how to compute the order of the options again); `counts`; `statistics`"
        " (the latest that were computed; null if none were) and `result` (what they were computed"
        " from, and as `is_current` whether that is the counted answers in these files);"
        " `versions`.\n",
        _STATISTICS,
        "## SHA256SUMS\n\n"
        "Check sums of the other files: `sha256sum -c SHA256SUMS`. Two exports of the same data"
        " are the same, byte by byte, except for `exported_at` and so for the sum of"
        " `study.json`.\n",
    ]
    return "\n".join(parts)
