"""Statistics of human judgments: plain Python on numpy, arrays in, frozen dataclasses out."""

from scoring.aggregation import Aggregate, aggregate
from scoring.agreement import Alpha, Coding, On, alpha, nominal_disagreement
from scoring.agreement_interval import AlphaInterval, alpha_interval
from scoring.annotation_curves import (
    AgreementCurve,
    WaitingTimes,
    calibration_curve,
    error_by_thinking_time,
    waiting_times,
)
from scoring.annotator_habits import (
    AnnotatorEffects,
    CorrectedScores,
    annotator_effects,
    corrected_scores,
)
from scoring.checks import (
    CheckScore,
    best_worst_credit,
    check_score,
    label_credit,
    rating_credit,
)
from scoring.comparison import Correlation, correlate, fisher_interval
from scoring.compliance import Compliance, compliance
from scoring.context_effects import ContextEffects, Gains, benjamini_hochberg, effects_of_context
from scoring.corpora import CorpusStatistics, MeasuredText, corpus_statistics, measure_text
from scoring.correlation import average_ranks, pearson, spearman, why_undefined
from scoring.correlation_samples import SampleTest, one_sample_t_test, two_sample_t_test
from scoring.correlation_tests import CorrelationTest, compare_dependent, compare_independent
from scoring.counting import Counts, count, counting_scores
from scoring.covariates import PartialCorrelation, partial_correlation
from scoring.differences import CorrelationDifference, compare_by_bootstrap
from scoring.discrepancies import (
    Discrepancies,
    SortedDiscrepancies,
    discrepancies,
    sort_discrepancies,
)
from scoring.error_bounds import ErrorBound, error_bound
from scoring.expert_check import ExpertCheck, expert_check
from scoring.flags import Flag, Flags, flags, label_flags, rating_flags
from scoring.forecasts import Expected, Forecast, forecast
from scoring.half_interval import HalfInterval, half_interval
from scoring.halves import Rule
from scoring.intraclass import IntraclassCorrelation, intraclass_correlation
from scoring.item_intervals import ScoreIntervals, resampled_scores, score_intervals
from scoring.judgments import BestWorst, Picked, tuples_by_set
from scoring.label_agreement import Distance, LabelAlpha, label_alpha
from scoring.label_annotators import (
    IntraLabels,
    LabelersAgainstOthers,
    cohen_kappa,
    intra_labels,
    labelers_against_others,
)
from scoring.label_changes import (
    SymmetryTest,
    bowker_test,
    confusions,
    stuart_maxwell_test,
    together,
    transitions,
)
from scoring.label_kappa import FleissKappa, PairwiseAgreement, fleiss_kappa, pairwise_agreement
from scoring.label_summary import LabelSummary, summarise_labels
from scoring.labels import LabelCounts, Labels, count_labels
from scoring.leaderboard import LeaderboardRow, leaderboard, subsets_by_label
from scoring.majorities import StrongAgreement, strong_agreement
from scoring.newton import NotConvergedError
from scoring.noise import NoiseEstimate, estimate_noise, expected_agreement
from scoring.noise_ceiling import (
    NoiseCeiling,
    noise_ceiling_of_deviations,
    noise_ceiling_of_icc,
)
from scoring.pair_order import PairOrder, pair_order
from scoring.pools import pools_by_comparison
from scoring.positions import PositionBias, PositionTest, position_bias
from scoring.proportions import Proportion, proportion
from scoring.ranking import Model, PoolFit, Ranking, implied_pairs, rank
from scoring.rater_agreement import (
    InterAnnotator,
    PairedAgreement,
    RatersAgainstOthers,
    inter_annotator,
    intra_annotator,
    raters_against_others,
)
from scoring.rating_reliability import RatingAlpha, rating_alpha
from scoring.rating_summary import (
    ClassOfScores,
    RatingSummary,
    ScoresByClass,
    scores_by_class,
    summarise_ratings,
)
from scoring.ratings import Ratings, UnitScores, unit_scores
from scoring.reliability import (
    OverSplits,
    Projection,
    SpearmanBrown,
    SplitHalf,
    project,
    split_half,
)
from scoring.selected_pairs import (
    DiagonalFilter,
    RandomSubsetControl,
    diagonal_filter,
    random_subset_control,
)
from scoring.summary import CellMean, Summary, Weighting, by_group, mean_over_cells, summarise
from scoring.texts import (
    Lemmas,
    lemmatise,
    mtld,
    rttr,
    tokens,
    words,
)

__all__ = [
    "Aggregate",
    "AgreementCurve",
    "Alpha",
    "AlphaInterval",
    "AnnotatorEffects",
    "BestWorst",
    "CellMean",
    "CheckScore",
    "ClassOfScores",
    "Coding",
    "Compliance",
    "ContextEffects",
    "CorpusStatistics",
    "CorrectedScores",
    "Correlation",
    "CorrelationDifference",
    "CorrelationTest",
    "Counts",
    "DiagonalFilter",
    "Discrepancies",
    "Distance",
    "ErrorBound",
    "Expected",
    "ExpertCheck",
    "Flag",
    "Flags",
    "FleissKappa",
    "Forecast",
    "Gains",
    "HalfInterval",
    "InterAnnotator",
    "IntraLabels",
    "IntraclassCorrelation",
    "LabelAlpha",
    "LabelCounts",
    "LabelSummary",
    "LabelersAgainstOthers",
    "Labels",
    "LeaderboardRow",
    "Lemmas",
    "MeasuredText",
    "Model",
    "NoiseCeiling",
    "NoiseEstimate",
    "NotConvergedError",
    "On",
    "OverSplits",
    "PairOrder",
    "PairedAgreement",
    "PairwiseAgreement",
    "PartialCorrelation",
    "Picked",
    "PoolFit",
    "PositionBias",
    "PositionTest",
    "Projection",
    "Proportion",
    "RandomSubsetControl",
    "Ranking",
    "RatersAgainstOthers",
    "RatingAlpha",
    "RatingSummary",
    "Ratings",
    "Rule",
    "SampleTest",
    "ScoreIntervals",
    "ScoresByClass",
    "SortedDiscrepancies",
    "SpearmanBrown",
    "SplitHalf",
    "StrongAgreement",
    "Summary",
    "SymmetryTest",
    "UnitScores",
    "WaitingTimes",
    "Weighting",
    "aggregate",
    "alpha",
    "alpha_interval",
    "annotator_effects",
    "average_ranks",
    "benjamini_hochberg",
    "best_worst_credit",
    "bowker_test",
    "by_group",
    "calibration_curve",
    "check_score",
    "cohen_kappa",
    "compare_by_bootstrap",
    "compare_dependent",
    "compare_independent",
    "compliance",
    "confusions",
    "corpus_statistics",
    "corrected_scores",
    "correlate",
    "count",
    "count_labels",
    "counting_scores",
    "diagonal_filter",
    "discrepancies",
    "effects_of_context",
    "error_bound",
    "error_by_thinking_time",
    "estimate_noise",
    "expected_agreement",
    "expert_check",
    "fisher_interval",
    "flags",
    "fleiss_kappa",
    "forecast",
    "half_interval",
    "implied_pairs",
    "inter_annotator",
    "intra_annotator",
    "intra_labels",
    "intraclass_correlation",
    "label_alpha",
    "label_credit",
    "label_flags",
    "labelers_against_others",
    "leaderboard",
    "lemmatise",
    "mean_over_cells",
    "measure_text",
    "mtld",
    "noise_ceiling_of_deviations",
    "noise_ceiling_of_icc",
    "nominal_disagreement",
    "one_sample_t_test",
    "pair_order",
    "pairwise_agreement",
    "partial_correlation",
    "pearson",
    "pools_by_comparison",
    "position_bias",
    "project",
    "proportion",
    "random_subset_control",
    "rank",
    "raters_against_others",
    "rating_alpha",
    "rating_credit",
    "rating_flags",
    "resampled_scores",
    "rttr",
    "score_intervals",
    "scores_by_class",
    "sort_discrepancies",
    "spearman",
    "split_half",
    "strong_agreement",
    "stuart_maxwell_test",
    "subsets_by_label",
    "summarise",
    "summarise_labels",
    "summarise_ratings",
    "together",
    "tokens",
    "transitions",
    "tuples_by_set",
    "two_sample_t_test",
    "unit_scores",
    "waiting_times",
    "why_undefined",
    "words",
]
