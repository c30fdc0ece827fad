"""Statistics of human judgments: plain Python on numpy, arrays in, frozen dataclasses out."""

from scoring.aggregation import Aggregate, aggregate
from scoring.best_worst.agreement import Alpha, Coding, On, alpha, nominal_disagreement
from scoring.best_worst.agreement_interval import alpha_interval
from scoring.best_worst.choice_fits import implied_pairs
from scoring.best_worst.compliance import Compliance, compliance
from scoring.best_worst.counting import Counts, count, counting_scores
from scoring.best_worst.half_draws import Rule
from scoring.best_worst.half_interval import half_interval
from scoring.best_worst.item_intervals import ScoreIntervals, score_intervals
from scoring.best_worst.judgments import BestWorst, Picked, tuples_by_set
from scoring.best_worst.majorities import StrongAgreement, strong_agreement
from scoring.best_worst.newton import NotConvergedError
from scoring.best_worst.pair_order import PairOrder, pair_order
from scoring.best_worst.pools import connected_items, pools_by_comparison
from scoring.best_worst.positions import PositionBias, PositionTest, position_bias
from scoring.best_worst.ranking import Model, PoolFit, Ranking, rank
from scoring.best_worst.reliability import (
    OverSplits,
    Projection,
    SpearmanBrown,
    SplitHalf,
    project,
    split_half,
)
from scoring.best_worst.score_covariance import ScoreCovariance, score_covariance
from scoring.best_worst.summary import (
    CellMean,
    Summary,
    Weighting,
    by_group,
    mean_over_cells,
    summarise,
)
from scoring.checks import (
    CheckScore,
    best_worst_credit,
    check_score,
    label_credit,
    rating_credit,
)
from scoring.correlation import average_ranks, pearson, spearman, why_undefined
from scoring.expert_check import ExpertCheck, expert_check
from scoring.flags import Flag, Flags, flags, label_flags, rating_flags
from scoring.forecasts.best_worst import Expected, Forecast, forecast
from scoring.forecasts.latents import Latents
from scoring.forecasts.noise import NoiseEstimate, estimate_noise
from scoring.forecasts.picks import expected_agreement
from scoring.jackknife import JackknifeInterval
from scoring.labels.agreement import Distance, LabelAlpha, label_alpha
from scoring.labels.annotators import (
    IntraLabels,
    LabelersAgainstOthers,
    cohen_kappa,
    intra_labels,
    labelers_against_others,
)
from scoring.labels.changes import (
    SymmetryTest,
    bowker_test,
    confusions,
    stuart_maxwell_test,
    together,
    transitions,
)
from scoring.labels.kappa import FleissKappa, PairwiseAgreement, fleiss_kappa, pairwise_agreement
from scoring.labels.labels import LabelCounts, Labels, count_labels
from scoring.labels.summary import LabelSummary, summarise_labels
from scoring.measures.comparison import Correlation, correlate, fisher_interval
from scoring.measures.correlation_samples import one_sample_t_test, two_sample_t_test
from scoring.measures.correlation_tests import (
    CorrelationTest,
    compare_dependent,
    compare_independent,
)
from scoring.measures.covariates import PartialCorrelation, partial_correlation
from scoring.measures.differences import CorrelationDifference, compare_by_jackknife
from scoring.measures.discrepancies import (
    Discrepancies,
    SortedDiscrepancies,
    discrepancies,
    sort_discrepancies,
)
from scoring.measures.leaderboard import LeaderboardRow, leaderboard, subsets_by_label
from scoring.measures.noise_ceiling import (
    NoiseCeiling,
    noise_ceiling_of_deviations,
    noise_ceiling_of_icc,
)
from scoring.measures.pool_ceiling import noise_ceiling_within_pools
from scoring.measures.sample_tests import SampleTest
from scoring.measures.selected_pairs import (
    DiagonalFilter,
    RandomSubsetControl,
    diagonal_filter,
    random_subset_control,
)
from scoring.measures.within_pools import (
    PoolCorrelation,
    PoolDifference,
    compare_within_pools,
    correlate_within_pools,
)
from scoring.proportions import Proportion, proportion
from scoring.ratings.annotation_curves import (
    AgreementCurve,
    WaitingTimes,
    calibration_curve,
    error_by_thinking_time,
    waiting_times,
)
from scoring.ratings.annotator_habits import (
    AnnotatorEffects,
    CorrectedScores,
    annotator_effects,
    corrected_scores,
)
from scoring.ratings.context_effects import (
    ContextEffects,
    benjamini_hochberg,
    effects_of_context,
)
from scoring.ratings.equivalence import Equivalence
from scoring.ratings.error_bounds import ErrorBound, error_bound
from scoring.ratings.gains import Gains
from scoring.ratings.icc_interval import icc_interval
from scoring.ratings.intraclass import IntraclassCorrelation, intraclass_correlation
from scoring.ratings.rater_agreement import (
    InterAnnotator,
    PairedAgreement,
    RatersAgainstOthers,
    inter_annotator,
    intra_annotator,
    raters_against_others,
)
from scoring.ratings.ratings import Ratings, UnitScores, unit_scores
from scoring.ratings.reliability import RatingAlpha, rating_alpha
from scoring.ratings.summary import (
    ClassOfScores,
    RatingSummary,
    ScoresByClass,
    scores_by_class,
    summarise_ratings,
)
from scoring.texts.corpora import CorpusStatistics, MeasuredText, corpus_statistics, measure_text
from scoring.texts.texts import Lemmas, lemmatise, mtld, rttr, tokens, words

__all__ = [
    "Aggregate",
    "AgreementCurve",
    "Alpha",
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
    "Equivalence",
    "ErrorBound",
    "Expected",
    "ExpertCheck",
    "Flag",
    "Flags",
    "FleissKappa",
    "Forecast",
    "Gains",
    "InterAnnotator",
    "IntraLabels",
    "IntraclassCorrelation",
    "JackknifeInterval",
    "LabelAlpha",
    "LabelCounts",
    "LabelSummary",
    "LabelersAgainstOthers",
    "Labels",
    "Latents",
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
    "PoolCorrelation",
    "PoolDifference",
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
    "ScoreCovariance",
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
    "compare_by_jackknife",
    "compare_dependent",
    "compare_independent",
    "compare_within_pools",
    "compliance",
    "confusions",
    "connected_items",
    "corpus_statistics",
    "corrected_scores",
    "correlate",
    "correlate_within_pools",
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
    "icc_interval",
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
    "noise_ceiling_within_pools",
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
    "rttr",
    "score_covariance",
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
