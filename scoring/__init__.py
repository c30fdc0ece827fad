"""Statistics of human judgments: plain Python on numpy, arrays in, frozen dataclasses out."""

from scoring.agreement import Alpha, Coding, On, alpha, nominal_disagreement
from scoring.correlation import average_ranks, pearson, spearman, why_undefined
from scoring.counting import Counts, count, counting_scores
from scoring.halves import Rule
from scoring.judgments import BestWorst, Picked, tuples_by_set
from scoring.majorities import StrongAgreement, strong_agreement
from scoring.reliability import OverSplits, SpearmanBrown, SplitHalf, split_half
from scoring.summary import CellMean, Summary, Weighting, by_group, mean_over_cells, summarise

__all__ = [
    "Alpha",
    "BestWorst",
    "CellMean",
    "Coding",
    "Counts",
    "On",
    "OverSplits",
    "Picked",
    "Rule",
    "SpearmanBrown",
    "SplitHalf",
    "StrongAgreement",
    "Summary",
    "Weighting",
    "alpha",
    "average_ranks",
    "by_group",
    "count",
    "counting_scores",
    "mean_over_cells",
    "nominal_disagreement",
    "pearson",
    "spearman",
    "split_half",
    "strong_agreement",
    "summarise",
    "tuples_by_set",
    "why_undefined",
]
