"""The model of Dawid and Skene against plain loops, against the truth, and in odd cases."""

import numpy as np
import pytest

from scoring import Labels, count_labels, dawid_skene, differs
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


def test_complete_agreement_is_certain() -> None:
    model = dawid_skene(labels_of_codes([[0, 0, 0], [1, 1, 1], [0, 0, 0]]))

    np.testing.assert_allclose(model.posterior, [[1, 0], [0, 1], [1, 0]], atol=1e-9)
    np.testing.assert_allclose(model.ability, 1)
    assert model.label.tolist() == [0, 1, 0]


def test_a_model_of_nothing_says_why() -> None:
    nothing = dawid_skene(labels_of_codes(np.full((2, 3), -1), n_categories=2))

    assert nothing.reason == "there are no answers"
    assert np.isnan(nothing.posterior).all()
    assert np.isnan(nothing.ability).all()
    assert nothing.label.tolist() == [-1, -1]


def test_units_and_people_without_answers_have_no_figures() -> None:
    model = dawid_skene(labels_of_codes([[0, 0, -1], [-1, -1, -1], [1, 1, -1]]))

    assert np.isnan(model.posterior).all(axis=1).tolist() == [False, True, False]
    assert np.isnan(model.ability).tolist() == [False, False, True]
    assert model.label.tolist() == [0, -1, 1]


def test_with_clickers_it_beats_the_majority_and_tells_who_they_are() -> None:
    study = simulated(n_units=600, clickers=0.3, seed=4)

    model = dawid_skene(study.labels)

    counts = count_labels(study.labels)
    by_majority = (counts.label.argmax(axis=1) == study.truth)[counts.has_label].sum()
    assert (model.label == study.truth).sum() > by_majority + 30
    assert model.ability[study.is_clicker].max() < model.ability[~study.is_clicker].min()
    assert differs(model, counts).any()
