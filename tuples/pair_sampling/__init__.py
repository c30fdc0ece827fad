"""Pairs for a rating study, spread evenly over how alike their texts look."""

from tuples.pair_sampling.candidates import Candidates, candidate_pairs
from tuples.pair_sampling.drawing import Bin, Sample, draw
from tuples.pair_sampling.duplicates import Duplicate, find_duplicates, normalised
from tuples.pair_sampling.embedding import WITH_VECTORS, cosines, spread_pairs, unit
from tuples.pair_sampling.keys import pair_keys
from tuples.pair_sampling.sampling import DrawnPair, SampledPairs, sample_pairs
from tuples.pair_sampling.similarity import MEASURES, features, jaccard

__all__ = [
    "MEASURES",
    "WITH_VECTORS",
    "Bin",
    "Candidates",
    "DrawnPair",
    "Duplicate",
    "Sample",
    "SampledPairs",
    "candidate_pairs",
    "cosines",
    "draw",
    "features",
    "find_duplicates",
    "jaccard",
    "normalised",
    "pair_keys",
    "sample_pairs",
    "spread_pairs",
    "unit",
]
