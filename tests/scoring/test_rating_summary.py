import json
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.ratings.error_bounds import error_bound
from scoring.ratings.ratings import Ratings, unit_scores
from scoring.ratings.reliability import rating_alpha
from scoring.ratings.summary import scores_by_class, summarise_ratings
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
    first = ratings.of_rows(np.arange(150))

    summary = summarise_ratings(ratings, with_intervals=False)

    assert (summary.n_ratings, summary.n_repeats) == (160, 10)
    assert (summary.n_units, summary.n_unrated, summary.n_annotators) == (30, 10, 12)
    assert summary.intra_annotator.n == 10
    assert summary.intra_annotator.pearson == pytest.approx(-1)
    np.testing.assert_array_equal(summary.scores.mean, unit_scores(first).mean)
    assert summary.alpha["interval"].value == rating_alpha(first, level="interval").value
    assert summary.error_bound["paper"].value == error_bound(first, kind="paper").value
    assert summary.annotators.n.sum() == 150


def test_the_distribution_covers_the_scale() -> None:
    summary = summarise_ratings(simulated(), with_intervals=False)

    assert summary.distribution.counts.sum() == 60
    assert (summary.distribution.edges[0], summary.distribution.edges[-1]) == (0, 6)
    assert summary.distribution.mean == pytest.approx(summary.scores.mean.mean())


@given(rating_batches())
@settings(max_examples=20, deadline=None)
def test_any_batch_makes_plain_json(ratings: Ratings) -> None:
    summary = summarise_ratings(ratings)

    figures = json.loads(json.dumps(summary.as_dict(), allow_nan=False))

    assert figures["n_ratings"] == ratings.n_ratings
    assert len(figures["scores"]["mean"]) == ratings.n_units
    for kind in ("1,1", "2,k"):
        assert (figures["icc"][kind]["icc"] is None) == (
            figures["icc"][kind]["reason"] is not None
        )


def test_no_ratings_say_why_nothing_follows() -> None:
    figures = summarise_ratings(Ratings([], [], [], 0, 0)).as_dict()

    assert figures["alpha"]["interval"]["reason"] == "there are no ratings"
    assert figures["icc"]["1,1"]["reason"] == "no item has two ratings"
    assert figures["error_bound"]["paper"]["reason"] == "there are no ratings"
    assert figures["distribution"]["counts"] == []
    assert figures["calibration_curve"] is None


def test_the_calibration_block_reaches_the_annotators() -> None:
    ratings = with_repeats()

    summary = summarise_ratings(ratings, with_intervals=False, in_calibration=ratings.unit < 10)

    assert summary.annotators.n_calibration.sum() == 50


def test_scores_by_class_by_hand() -> None:
    scores = [6, 3, 0.3, np.nan, 4.5, 0.2, 0.29]
    classes = ["similar", "middle", "", "middle", "similar", "dissimilar", "dissimilar"]

    found = scores_by_class(scores, classes, low=0, high=6)

    # Twenty bins of .3: 6 in the last, 4.5 and 3 at the lower ends of numbers 15 and 10.
    assert list(found.classes) == ["similar", "middle", "dissimilar"]
    np.testing.assert_allclose(found.edges, np.arange(21) * 0.3)
    similar, middle, dissimilar = found.classes.values()
    assert (similar.n, similar.n_unrated, similar.mean) == (2, 0, 5.25)
    assert similar.sd == pytest.approx(np.sqrt(2 * 0.75**2))
    assert np.flatnonzero(similar.counts).tolist() == [15, 19]
    assert (middle.n, middle.n_unrated, middle.mean) == (1, 1, 3)
    assert np.isnan(middle.sd)
    assert middle.reason == "a single value has no variance"
    assert np.flatnonzero(middle.counts).tolist() == [10]
    assert dissimilar.counts.tolist() == [2] + [0] * 19
    assert dissimilar.mean == pytest.approx(0.245)
    assert found.n_without_class == 1
    as_json = json.loads(json.dumps(found.as_dict()))
    assert as_json["classes"]["middle"]["sd"] is None
    assert as_json["classes"]["similar"]["reason"] is None


names = st.sampled_from(["similar", "middle", "dissimilar", ""])
values = st.one_of(st.just(np.nan), st.integers(0, 12).map(lambda n: n / 2))


@given(st.lists(st.tuples(values, names), max_size=30), st.booleans())
def test_scores_by_class_are_those_of_each_class_alone(
    pairs: list[tuple[float, str]], has_scale: bool
) -> None:
    scores, classes = [score for score, _ in pairs], [name for _, name in pairs]
    low, high = (0, 6) if has_scale else (None, None)

    found = scores_by_class(scores, classes, low=low, high=high)

    assert set(found.classes) == set(classes) - {""}
    assert found.n_without_class == classes.count("")
    for name, of_class in found.classes.items():
        rated = [score for score, other in pairs if other == name and not np.isnan(score)]
        assert (of_class.n, of_class.n_unrated) == (len(rated), classes.count(name) - len(rated))
        assert np.isnan(of_class.mean) == (len(rated) == 0)
        assert np.isnan(of_class.sd) == (len(rated) < 2)
        assert (of_class.reason is None) == (len(rated) > 1)
        if rated:
            assert of_class.mean == pytest.approx(statistics.mean(rated))
        if len(rated) > 1:
            assert of_class.sd == pytest.approx(statistics.stdev(rated))
        last = len(found.edges) - 2
        in_bins = [
            sum(from_ <= score < to or (b == last and score == to) for score in rated)
            for b, (from_, to) in enumerate(zip(found.edges[:-1], found.edges[1:], strict=True))
        ]
        assert of_class.counts.tolist() == in_bins
        assert sum(in_bins) == len(rated)


def test_equal_scores_of_a_class_have_no_spread() -> None:
    # The mean of three .1 is not .1 in binary.
    found = scores_by_class([0.1, 0.1, 0.1, 0.4], ["a", "a", "a", "b"])

    assert found.classes["a"].sd == 0
    assert found.classes["a"].counts[0] == 3


def test_a_mean_at_the_end_of_a_bin_is_in_the_bin_above_it_however_it_is_rounded() -> None:
    # Both stand for 2.8; the first is a sum of tenths, which have no exact binary form.
    scores = [(2.9 + 2.8 + 2.7) / 3, 2.8]
    assert scores[0] < scores[1]

    found = scores_by_class(scores, ["a", "a"], low=0, high=4)

    assert found.classes["a"].counts[14] == 2


def test_rounding_takes_no_score_off_the_scale() -> None:
    found = scores_by_class([0.7 + 1e-15, -1e-17, 0.3], ["a", "a", "a"], low=0, high=0.7)

    assert found.classes["a"].counts.sum() == 3


def test_unrated_pairs_have_no_bins() -> None:
    found = scores_by_class([np.nan, np.nan], ["a", "b"], low=0, high=6)

    assert len(found.edges) == 0
    assert [of_class.reason for of_class in found.classes.values()] == [
        "the class has no rated items",
        "the class has no rated items",
    ]
    assert scores_by_class([], []).classes == {}


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([1.0], r"scores have shape \(1,\), but there are 2 classes"),
        ([1.0, 6.5], "pair 1 has the score 6.5, which is not on the scale"),
        ([-0.5, np.nan], "pair 0 has the score -0.5, which is not on the scale"),
        ([np.inf, 1.0], "pair 0 has the score inf, which is not on the scale"),
    ],
)
def test_scores_without_a_class_or_off_the_scale_are_refused(
    scores: list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        scores_by_class(scores, ["a", "b"], low=0, high=6)
