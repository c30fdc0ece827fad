"""The model of Dawid and Skene against plain loops, and its confusion matrices."""

import numpy as np
import pytest

from scoring import Labels, dawid_skene
from tests.scoring.annotator_models.simulated import simulated
from tests.scoring.label_batches import labels_of_codes


def loops(labels: Labels, n_rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """EM of Dawid and Skene (1979), equations 2.3 to 2.5, in plain loops."""
    c, u, p = labels.n_categories, labels.n_units, labels.n_annotators
    answers = [
        (int(a), int(i), int(row.argmax()))
        for a, i, row in zip(labels.annotator, labels.unit, labels.chosen, strict=True)
    ]
    posterior = np.zeros((u, c))
    for _a, i, category in answers:
        posterior[i, category] += 1
    posterior /= posterior.sum(axis=1, keepdims=True)
    for _ in range(n_rounds):
        confusion = np.zeros((p, c, c))
        for a, i, category in answers:
            confusion[a, :, category] += posterior[i]
        for a in range(p):
            for k in range(c):
                confusion[a, k] /= max(confusion[a, k].sum(), 1e-300)
        weight = np.tile(posterior.mean(axis=0), (u, 1))
        for a, i, category in answers:
            weight[i] *= confusion[a, :, category]
        posterior = weight / weight.sum(axis=1, keepdims=True)
    return posterior, confusion


@pytest.mark.parametrize(("c", "seed"), [(2, 1), (3, 2), (4, 3)])
def test_the_figures_are_those_of_plain_loops(c: int, seed: int) -> None:
    labels = simulated(n_people=6, n_units=40, per_unit=4, c=c, seed=seed).labels

    model = dawid_skene(labels)
    posterior, confusion = loops(labels, model.n_rounds)

    np.testing.assert_allclose(model.posterior, posterior, atol=1e-6)
    assert model.confusion is not None
    np.testing.assert_allclose(model.confusion, confusion, atol=1e-5)


def test_a_persons_confusions_are_estimated() -> None:
    # The last person calls every second category 1 by the name of category 2.
    codes = np.tile(np.repeat([0, 1, 2], 20)[:, None], (1, 4))
    codes[20:40:2, 3] = 2

    model = dawid_skene(labels_of_codes(codes))

    assert model.confusion is not None
    expected = [[1, 0, 0], [0, 0.5, 0.5], [0, 0, 1]]
    np.testing.assert_allclose(model.confusion[3], expected, atol=1e-6)
    np.testing.assert_allclose(model.ability, [1, 1, 1, 50 / 60], atol=1e-6)


def test_a_category_that_a_person_never_met_has_no_row() -> None:
    model = dawid_skene(labels_of_codes([[0, 0, -1], [0, 0, -1], [1, 1, 1], [1, 1, 1]]))

    assert model.confusion is not None
    assert np.isnan(model.confusion[2]).tolist() == [[True, True], [False, False]]
    assert model.ability[2] == pytest.approx(1)


def test_a_category_that_nobody_chose_changes_nothing() -> None:
    labels = simulated(n_units=40, seed=5).labels
    wider = np.insert(labels.chosen, 1, False, axis=1)

    there = dawid_skene(labels)
    here = dawid_skene(Labels(labels.annotator, labels.unit, wider, 20, 40))

    np.testing.assert_array_equal(here.posterior, np.insert(there.posterior, 1, 0, axis=1))
    np.testing.assert_array_equal(here.ability, there.ability)
