from .aggregation import Aggregate, aggregate
from .alternative_annotator import (
    AlternativeAnnotatorTest,
    alternative_annotator_test,
    alternative_annotator_tests,
)
from .arrays import packed_floats, unpacked_floats
from .best_worst.agreement import Alpha, Coding, On, alpha, nominal_disagreement
from .best_worst.agreement_interval import alpha_interval
from .best_worst.choice_fits import implied_pairs
from .best_worst.compliance import Compliance, compliance
from .best_worst.counting import Counts, count, counting_scores
from .best_worst.half_draws import Rule
from .best_worst.half_interval import half_interval
from .best_worst.item_intervals import ScoreIntervals, score_intervals
from .best_worst.judgments import BestWorst, Picked, tuples_by_set
from .best_worst.majorities import StrongAgreement, strong_agreement
from .best_worst.newton import NotConvergedError
from .best_worst.pair_order import PairOrder, pair_order
from .best_worst.pools import connected_items, pools_by_comparison
from .best_worst.positions import PositionBias, PositionTest, position_bias
from .best_worst.ranking import Model, PoolFit, Ranking, rank
from .best_worst.reliability import (
    OverSplits,
    Projection,
    SpearmanBrown,
    SplitHalf,
    project,
    split_half,
)
from .best_worst.score_covariance import ScoreCovariance, score_covariance
from .best_worst.summary import (
    CellMean,
    Summary,
    Weighting,
    by_group,
    mean_over_cells,
    summarise,
)
from .checks import (
    CheckScore,
    best_worst_credit,
    check_score,
    label_credit,
    rating_credit,
)
from .correlation import average_ranks, pearson, spearman, why_undefined
from .expert_check import ExpertCheck, expert_check
from .flags import Flag, Flags, flags, label_flags, rating_flags
from .forecasts.best_worst import Expected, Forecast, forecast
from .forecasts.latents import Latents
from .forecasts.noise import NoiseEstimate, estimate_noise
from .forecasts.picks import expected_agreement
from .jackknife import JackknifeInterval
from .labels.agreement import Distance, LabelAlpha, label_alpha
from .labels.annotator_models.all_models import label_models
from .labels.annotator_models.dawid_skene import dawid_skene
from .labels.annotator_models.glad import glad
from .labels.annotator_models.mace import mace
from .labels.annotator_models.model import LabelModel, differs
from .labels.annotators import (
    IntraLabels,
    LabelersAgainstOthers,
    cohen_kappa,
    intra_labels,
    labelers_against_others,
)
from .labels.changes import (
    SymmetryTest,
    bowker_test,
    confusions,
    stuart_maxwell_test,
    together,
    transitions,
)
from .labels.kappa import FleissKappa, PairwiseAgreement, fleiss_kappa, pairwise_agreement
from .labels.labels import LabelCounts, Labels, count_labels
from .labels.summary import LabelSummary, summarise_labels
from .measures.comparison import Correlation, correlate, fisher_interval
from .measures.correlation_samples import one_sample_t_test, two_sample_t_test
from .measures.correlation_tests import (
    CorrelationTest,
    compare_dependent,
    compare_independent,
)
from .measures.covariates import PartialCorrelation, partial_correlation
from .measures.differences import CorrelationDifference, compare_by_jackknife
from .measures.discrepancies import (
    Discrepancies,
    SortedDiscrepancies,
    discrepancies,
    sort_discrepancies,
)
from .measures.leaderboard import LeaderboardRow, leaderboard, subsets_by_label
from .measures.noise_ceiling import NoiseCeiling, noise_ceiling_of_deviations
from .measures.pool_ceiling import noise_ceiling_within_pools
from .measures.sample_tests import SampleTest
from .measures.selected_pairs import (
    DiagonalFilter,
    RandomSubsetControl,
    diagonal_filter,
    random_subset_control,
)
from .measures.within_pools import (
    PoolCorrelation,
    PoolDifference,
    compare_within_pools,
    correlate_within_pools,
)
from .proportions import Proportion, proportion
from .ratings.annotation_curves import (
    AgreementCurve,
    WaitingTimes,
    calibration_curve,
    error_by_thinking_time,
    waiting_times,
)
from .ratings.annotator_habits import (
    AnnotatorEffects,
    CorrectedScores,
    annotator_effects,
    corrected_scores,
)
from .ratings.context_effects import (
    ContextEffects,
    benjamini_hochberg,
    effects_of_context,
)
from .ratings.equivalence import Equivalence
from .ratings.error_bounds import ErrorBound, error_bound
from .ratings.gains import Gains
from .ratings.generalizability import Generalizability, generalizability
from .ratings.icc_interval import icc_interval
from .ratings.intraclass import IntraclassCorrelation, intraclass_correlation
from .ratings.phase_generalizability import PhaseGeneralizability, generalizability_of_phases
from .ratings.rater_agreement import (
    InterAnnotator,
    PairedAgreement,
    RatersAgainstOthers,
    inter_annotator,
    intra_annotator,
    raters_against_others,
)
from .ratings.rating_ceiling import noise_ceiling_of_ratings
from .ratings.ratings import Ratings, UnitScores, unit_scores
from .ratings.reliability import RatingAlpha, rating_alpha
from .ratings.summary import (
    ClassOfScores,
    RatingSummary,
    ScoresByClass,
    scores_by_class,
    summarise_ratings,
)
from .texts.corpora import CorpusStatistics, MeasuredText, corpus_statistics, measure_text
from .texts.texts import Lemmas, lemmatise, mtld, rttr, tokens, words

__all__ = [
    "Aggregate",
    "AgreementCurve",
    "Alpha",
    "AlternativeAnnotatorTest",
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
    "Generalizability",
    "InterAnnotator",
    "IntraLabels",
    "IntraclassCorrelation",
    "JackknifeInterval",
    "LabelAlpha",
    "LabelCounts",
    "LabelModel",
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
    "PhaseGeneralizability",
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
    "alternative_annotator_test",
    "alternative_annotator_tests",
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
    "dawid_skene",
    "diagonal_filter",
    "differs",
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
    "generalizability",
    "generalizability_of_phases",
    "glad",
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
    "label_models",
    "labelers_against_others",
    "leaderboard",
    "lemmatise",
    "mace",
    "mean_over_cells",
    "measure_text",
    "mtld",
    "noise_ceiling_of_deviations",
    "noise_ceiling_of_ratings",
    "noise_ceiling_within_pools",
    "nominal_disagreement",
    "one_sample_t_test",
    "packed_floats",
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
    "unpacked_floats",
    "waiting_times",
    "why_undefined",
    "words",
]
