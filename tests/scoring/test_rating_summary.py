import json

import numpy as np
import pytest
from hypothesis import given, settings

from scoring.error_bounds import error_bound
from scoring.rating_reliability import rating_alpha
from scoring.rating_summary import summarise_ratings
from scoring.ratings import Ratings, unit_scores
from tests.scoring.rating_batches import rating_batches, simulated


def with_repeats() -> Ratings:
    """A simulated study in which two people rate five units again, far off."""
    first = simulated(n_units=30)
    again = [np.flatnonzero(first.annotator == person)[:5] for person in (0, 1)]
    rows = np.concatenate([np.arange(first.n_ratings), *again])
    value = first.value[rows]
    value[first.n_ratings :] = 6 - value[first.n_ratings :]
    order = np.arange(len(rows))
    return Ratings(
        first.annotator[rows],
        first.unit[rows],
        value,
        first.n_annotators,
        40,
        low=0,
        high=6,
        order=order,
        thinking_ms=order * 100.0,
    )


def test_repeats_count_in_the_intra_annotator_agreement_only() -> None:
    ratings = with_repeats()
    first = ratings.of_ratings(np.arange(150))

    summary = summarise_ratings(ratings, n_resamples=0, rng=np.random.default_rng(1))

    assert (summary.n_ratings, summary.n_repeats) == (160, 10)
    assert (summary.n_units, summary.n_unrated, summary.n_annotators) == (30, 10, 12)
    assert summary.intra_annotator.n == 10
    assert summary.intra_annotator.pearson == pytest.approx(-1)
    np.testing.assert_array_equal(summary.scores.mean, unit_scores(first).mean)
    assert summary.alpha["interval"].value == rating_alpha(first, level="interval").value
    assert summary.error_bound["paper"].value == error_bound(first, kind="paper").value
    assert summary.annotators.n.sum() == 150


def test_the_distribution_covers_the_scale() -> None:
    summary = summarise_ratings(simulated(), n_resamples=0, rng=np.random.default_rng(1))

    assert summary.distribution.counts.sum() == 60
    assert (summary.distribution.edges[0], summary.distribution.edges[-1]) == (0, 6)
    assert summary.distribution.mean == pytest.approx(summary.scores.mean.mean())


@given(rating_batches())
@settings(max_examples=20, deadline=None)
def test_any_batch_makes_plain_json(ratings: Ratings) -> None:
    summary = summarise_ratings(ratings, n_resamples=5, rng=np.random.default_rng(1))

    figures = json.loads(json.dumps(summary.as_dict(), allow_nan=False))

    assert figures["n_ratings"] == ratings.n_ratings
    assert len(figures["scores"]["mean"]) == ratings.n_units
    for kind in ("1,1", "2,k"):
        assert (figures["icc"][kind]["icc"] is None) == (
            figures["icc"][kind]["reason"] is not None
        )


def test_no_ratings_say_why_nothing_follows() -> None:
    figures = summarise_ratings(Ratings([], [], [], 0, 0), rng=np.random.default_rng(1)).as_dict()

    assert figures["alpha"]["interval"]["reason"] == "there are no ratings"
    assert figures["icc"]["1,1"]["reason"] == "no unit has two ratings"
    assert figures["error_bound"]["paper"]["reason"] == "there are no ratings"
    assert figures["distribution"]["counts"] == []
    assert figures["calibration_curve"] is None


def test_one_seed_gives_one_summary_and_levels_do_not_depend_on_each_other() -> None:
    one, same = (
        summarise_ratings(with_repeats(), n_resamples=20, rng=np.random.default_rng(4)).as_dict()
        for _ in range(2)
    )

    assert one == same
    assert one["error_by_thinking_time"]["n"]


def test_the_calibration_block_reaches_the_annotators() -> None:
    ratings = with_repeats()

    summary = summarise_ratings(
        ratings, n_resamples=0, in_calibration=ratings.unit < 10, rng=np.random.default_rng(1)
    )

    assert summary.annotators.n_calibration.sum() == 50
