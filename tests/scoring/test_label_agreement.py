"""Agreement on labels: alpha with three distances, Fleiss' kappa, pairs of answers."""

import itertools

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from nltk.metrics import jaccard_distance, masi_distance
from nltk.metrics.agreement import AnnotationTask

from scoring.labels.agreement import label_alpha, set_distances
from scoring.labels.kappa import fleiss_kappa, pairwise_agreement
from scoring.labels.labels import Labels
from scoring.ratings.ratings import Ratings
from scoring.ratings.reliability import rating_alpha
from tests.scoring.label_batches import (
    FLEISS_1971,
    label_batches,
    labels_of_codes,
    of_counts,
    renamed,
    shuffled,
)

# Krippendorff (2011), nominal data: twelve units, four observers, missing values.
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
)


def triples(labels: Labels) -> list[tuple[int, int, frozenset[int]]]:
    return [
        (int(who), int(what), frozenset(np.flatnonzero(row).tolist()))
        for who, what, row in zip(labels.annotator, labels.unit, labels.chosen, strict=True)
    ]


def test_nominal_alpha_of_krippendorffs_example() -> None:
    labels = labels_of_codes(KRIPPENDORFF.T - 1)

    alpha = label_alpha(labels, distance="nominal")

    assert alpha.value == pytest.approx(0.743, abs=0.0005)
    # The last unit has one value.
    assert (alpha.n_units, alpha.n_answers, alpha.n_dropped) == (11, 40, 1)


def test_alpha_by_hand() -> None:
    # Pairs of answers within units: one of two differ. Of a, a, a, b: 6 of 12 pairs.
    labels = labels_of_codes([[0, 0], [0, 1]])

    alpha = label_alpha(labels, distance="nominal")

    assert (alpha.observed, alpha.expected) == (0.5, 0.5)
    assert alpha.value == 0.0


def test_alpha_with_masi_by_hand() -> None:
    # {0} and {0, 1}: half in common, one holds the other: 1 - 1/2 x 2/3. Both say {2} of unit 1.
    chosen = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=bool)
    labels = Labels([0, 1, 0, 1], [0, 0, 1, 1], chosen, 2, 2, is_several=True)

    alpha = label_alpha(labels, distance="masi")

    assert alpha.observed == pytest.approx(1 / 3)
    # Of the six pairs one is 2/3 apart, one is equal, four have nothing in common.
    assert alpha.expected == pytest.approx((2 / 3 + 4) / 6)
    assert alpha.value == pytest.approx(4 / 7)


def test_distances_of_sets() -> None:
    sets = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]], dtype=bool)

    found = {name: set_distances(sets[:1], sets, name)[0] for name in ("nominal", "jaccard")}
    masi = set_distances(sets[:1], sets, "masi")[0]

    np.testing.assert_array_equal(found["nominal"], [0, 1, 1, 1])
    np.testing.assert_allclose(found["jaccard"], [0, 1 / 2, 2 / 3, 1])
    np.testing.assert_allclose(masi, [0, 1 - 1 / 3, 1 - 1 / 9, 1])


@settings(max_examples=60)
@given(label_batches())
def test_nominal_alpha_is_that_of_the_krippendorff_package(labels: Labels) -> None:
    alpha = label_alpha(labels, distance="nominal")
    if alpha.reason:
        assert np.isnan(alpha.value)
        return

    counts = np.zeros((labels.n_units, labels.n_categories), dtype=int)
    np.add.at(counts, (labels.unit, labels.distinct[1]), 1)

    assert alpha.value == pytest.approx(
        krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"), abs=1e-12
    )


@settings(max_examples=60)
@given(label_batches(is_several=True))
def test_alpha_with_other_distances_is_that_of_a_loop_over_pairs(labels: Labels) -> None:
    by_unit: dict[int, list[frozenset[int]]] = {}
    for _who, what, said in triples(labels):
        by_unit.setdefault(what, []).append(said)
    units = [said for said in by_unit.values() if len(said) > 1]
    every = [one for said in units for one in said]

    for name, between in (("jaccard", jaccard_distance), ("masi", masi_distance)):
        alpha = label_alpha(labels, distance=name)
        if alpha.reason:
            continue
        observed = sum(
            sum(between(a, b) for a, b in itertools.permutations(said, 2)) / (len(said) - 1)
            for said in units
        ) / len(every)
        pairs = list(itertools.permutations(every, 2))
        expected = sum(between(a, b) for a, b in pairs) / len(pairs)

        # nltk rounds the third of MASI to 0.33 and 0.67.
        tolerance = 0.02 if name == "masi" else 1e-9
        assert alpha.value == pytest.approx(1 - observed / expected, abs=tolerance)


def test_alpha_with_jaccard_is_that_of_nltk() -> None:
    rng = np.random.default_rng(4)
    chosen = rng.random((60, 4)) < 0.4
    chosen[~chosen.any(axis=1), 0] = True
    labels = Labels(np.tile(np.arange(3), 20), np.repeat(np.arange(20), 3), chosen, 3, 20, True)

    alpha = label_alpha(labels, distance="jaccard")

    task = AnnotationTask(triples(labels), distance=jaccard_distance)
    assert alpha.value == pytest.approx(task.alpha(), abs=1e-12)


@pytest.mark.slow
@given(label_batches(is_several=True))
def test_alpha_depends_on_no_order_and_never_exceeds_1(labels: Labels) -> None:
    other = renamed(shuffled(labels, 5), [1, 2, 0])
    for distance in ("nominal", "jaccard", "masi"):
        alpha = label_alpha(labels, distance=distance)
        again = label_alpha(other, distance=distance)

        assert alpha.reason == again.reason
        assert np.isnan(alpha.value) or alpha.value <= 1
        np.testing.assert_allclose(alpha.value, again.value, atol=1e-12)


def test_the_interval_is_that_of_nominal_ratings() -> None:
    rng = np.random.default_rng(2)
    codes = rng.integers(3, size=(40, 3))
    codes[rng.random((40, 3)) < 0.6] = 1
    labels, pool = labels_of_codes(codes), np.arange(40) // 3
    ratings = Ratings(labels.annotator, labels.unit, labels.distinct[1].astype(float), 3, 40)

    for of_unit in (None, pool):
        found = label_alpha(labels, distance="nominal", with_interval=True, pool=of_unit).interval
        known = rating_alpha(ratings, level="nominal", with_interval=True, pool=of_unit).interval

        assert found is not None
        assert known is not None
        assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=1e-12)
        assert found.over == known.over


def test_what_cannot_be_computed_says_why() -> None:
    nobody = Labels([], [], np.zeros((0, 2), bool), 2, 3)
    alone = labels_of_codes([[0, -1], [-1, 1]])
    equal = labels_of_codes([[0, 0], [0, 0]], n_categories=2)
    one_unit = labels_of_codes([[0, 1, 1]])

    assert label_alpha(nobody, distance="nominal").reason == "there are no answers"
    assert label_alpha(alone, distance="nominal").reason == "no item has two answers"
    assert "all answers are equal" in str(label_alpha(equal, distance="nominal").reason)
    assert "all answers are equal" in str(fleiss_kappa(equal).reason)
    assert pairwise_agreement(alone).reason == "no item has two answers"
    assert pairwise_agreement(equal).share == 1.0
    interval = label_alpha(one_unit, distance="nominal", with_interval=True).interval
    assert interval is not None
    assert "at least 6 pools or 20 items" in str(interval.reason)


def test_wrong_arguments_are_refused() -> None:
    labels = labels_of_codes([[0, 1]])

    with pytest.raises(ValueError, match="distance must be one of nominal, jaccard, masi"):
        label_alpha(labels, distance="dice")
    with pytest.raises(ValueError, match=r"pool has shape \(2,\) for 1 units"):
        label_alpha(labels, distance="nominal", pool=np.arange(2))


def test_fleiss_kappa_of_his_own_table() -> None:
    kappa = fleiss_kappa(of_counts(FLEISS_1971))

    # Fleiss (1971): .430 in all, and .245, .245, .520, .471, .566 of the categories.
    assert kappa.value == pytest.approx(0.430, abs=0.0005)
    assert kappa.of_category == pytest.approx([0.245, 0.245, 0.520, 0.471, 0.566], abs=0.0005)
    assert (kappa.n_units, kappa.n_each) == (30, 6)


def test_fleiss_kappa_needs_equally_many_answers() -> None:
    kappa = fleiss_kappa(labels_of_codes([[0, 0, 1], [1, 1, -1]]))

    assert np.isnan(kappa.value)
    assert kappa.reason == "the items have 2 to 3 answers, but all must have equally many"
    # Units without any answer do not count.
    assert fleiss_kappa(labels_of_codes([[0, 1], [-1, -1], [1, 1]])).reason is None


def test_pairs_of_answers_by_hand() -> None:
    # Three of three pairs are equal, one of three, and of a unit with two answers none.
    pairwise = pairwise_agreement(labels_of_codes([[0, 0, 0], [0, 0, 1], [1, 0, -1], [1, -1, -1]]))

    assert pairwise.share == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert pairwise.unanimous == pytest.approx(1 / 3)
    assert pairwise.n_units == 3
