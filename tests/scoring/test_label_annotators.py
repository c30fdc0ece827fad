"""Each annotator against the others, and against what they said before."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import cohen_kappa_score

from scoring.labels.annotators import cohen_kappa, intra_labels, labelers_against_others
from scoring.labels.labels import Labels
from tests.scoring.label_batches import label_batches, labels_of_codes, shuffled


def test_annotators_against_the_others_by_hand() -> None:
    # Unit 0: the last one disagrees; unit 1: the others of each of the last two are tied.
    labels = labels_of_codes([[0, 0, 0, 1], [1, 1, 0, 0]])

    others = labelers_against_others(labels)

    # Of unit 1 everybody's others say 0, 0, 1 or 1, 1, 0: never what they themselves say.
    assert others.share.tolist() == [0.5, 0.5, 0.5, 0.0]
    assert others.n.tolist() == [2, 2, 2, 2]
    assert others.n_left_out.tolist() == [0, 0, 0, 0]


def test_a_tie_of_the_others_and_a_unit_of_ones_own_are_left_out() -> None:
    others = labelers_against_others(labels_of_codes([[0, 1, 1], [0, -1, -1]]))

    assert others.n.tolist() == [1, 0, 0]
    assert others.n_left_out.tolist() == [1, 1, 1]
    np.testing.assert_array_equal(others.share, [0.0, np.nan, np.nan])


def test_of_several_categories_the_share_in_common_counts() -> None:
    chosen = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 1]], dtype=bool)
    labels = Labels([0, 1, 2], [0, 0, 0], chosen, 3, 1, is_several=True)

    others = labelers_against_others(labels)

    # The others agree on the first category only: one of two, the one, one of two.
    assert others.share.tolist() == [0.5, 1.0, 0.5]


@pytest.mark.slow
@given(label_batches(is_several=True))
def test_the_order_of_rows_does_not_matter_and_shares_are_shares(labels: Labels) -> None:
    there = labelers_against_others(labels)
    back = labelers_against_others(shuffled(labels, 1))

    np.testing.assert_allclose(there.share, back.share)
    assert (there.n + there.n_left_out).sum() == labels.n_answers
    known = there.share[~np.isnan(there.share)]
    assert ((known >= 0) & (known <= 1)).all()
    assert (there.reason is None) == bool(there.n.any())


@given(label_batches())
def test_single_categories_are_compared_with_a_loop_over_the_others(labels: Labels) -> None:
    found = labelers_against_others(labels)
    agreeing, n = np.zeros(4), np.zeros(4)
    codes = labels.distinct[1]
    for person, unit, code in zip(labels.annotator, labels.unit, codes, strict=True):
        theirs = codes[(labels.unit == unit) & (labels.annotator != person)]
        votes = np.bincount(theirs, minlength=3)
        if len(theirs) and (votes == votes.max()).sum() == 1:
            n[person] += 1
            agreeing[person] += votes.argmax() == code

    np.testing.assert_array_equal(found.n, n)
    np.testing.assert_allclose(found.share[n > 0], agreeing[n > 0] / n[n > 0])


def test_repeats_by_hand() -> None:
    # One person, four units twice: three times the same.
    first, again = [0, 0, 1, 1], [0, 0, 1, 0]
    chosen = np.eye(2, dtype=bool)[first + again]
    labels = Labels([0] * 8, [0, 1, 2, 3] * 2, chosen, 1, 4)

    intra = intra_labels(labels)

    assert (intra.share, intra.jaccard, intra.n, intra.n_annotators) == (0.75, 0.75, 4, 1)
    # By chance 2/4 x 3/4 + 2/4 x 1/4 = 1/2: (.75 - .5) / .5.
    assert intra.kappa == pytest.approx(0.5)


def test_without_repeats_or_with_one_category_there_is_a_reason() -> None:
    nothing = intra_labels(labels_of_codes([[0, 1]]))
    same = intra_labels(Labels([0, 0], [0, 0], np.eye(2, dtype=bool)[[1, 1]], 1, 1))

    assert nothing.reason == "nobody labelled an item twice"
    assert (same.share, same.reason) == (1.0, None)
    assert "all answers are equal" in str(same.kappa_reason)


def test_cohens_kappa_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(3, size=50)
    second = np.where(rng.random(50) < 0.6, first, rng.integers(3, size=50))

    assert cohen_kappa(first, second, n_categories=3) == pytest.approx(
        cohen_kappa_score(first, second), abs=1e-12
    )
    assert np.isnan(cohen_kappa(np.array([], int), np.array([], int), n_categories=3))
