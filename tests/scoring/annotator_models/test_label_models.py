"""What holds of all models of annotators: truth recovered, numbering, odd batches, JSON."""

import json
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import (
    LabelModel,
    Labels,
    count_labels,
    dawid_skene,
    differs,
    glad,
    label_models,
    mace,
)
from scoring.labels.annotator_models import dawid_skene as em
from scoring.labels.annotator_models import rounds
from tests.scoring.annotator_models.simulated import simulated
from tests.scoring.label_batches import label_batches, labels_of_codes, renamed, shuffled

Fit = Callable[[Labels], LabelModel]
MODELS = pytest.mark.parametrize("fit", [dawid_skene, mace, glad])


@MODELS
def test_with_clickers_it_beats_the_majority_and_tells_who_they_are(fit: Fit) -> None:
    study = simulated(n_units=600, clickers=0.3, seed=4)

    model = fit(study.labels)

    counts = count_labels(study.labels)
    by_majority = (counts.label.argmax(axis=1) == study.truth)[counts.has_label].sum()
    assert (model.label == study.truth).sum() > by_majority + 30
    assert model.ability[study.is_clicker].max() < model.ability[~study.is_clicker].min()
    assert differs(model, counts).any()


@MODELS
def test_without_clickers_it_is_the_majority_nearly_everywhere(fit: Fit) -> None:
    study = simulated(n_units=300, per_unit=7, accuracy=(0.85, 0.95), seed=5)

    model = fit(study.labels)

    assert differs(model, count_labels(study.labels)).sum() <= 3
    assert (model.label == study.truth).mean() > 0.98


@MODELS
def test_complete_agreement_is_certain(fit: Fit) -> None:
    codes = np.repeat([0, 1, 2, 0], 10)[:, None].repeat(5, axis=1)

    model = fit(labels_of_codes(codes))

    assert model.label.tolist() == codes[:, 0].tolist()
    assert (model.posterior.max(axis=1) > 0.99).all()
    assert (model.ability > 0.95).all()


@MODELS
def test_somebody_who_always_answers_the_same_counts_little(fit: Fit) -> None:
    study = simulated(n_people=8, n_units=150, c=2, per_unit=8, seed=6)
    chosen = study.labels.chosen.copy()
    chosen[study.labels.annotator == 0] = [True, False]
    labels = Labels(study.labels.annotator, study.labels.unit, chosen, 8, 150)

    model = fit(labels)

    assert model.ability[0] == model.ability.min()
    assert (model.label == study.truth).mean() > 0.95


@MODELS
def test_units_and_people_without_answers_have_no_figures(fit: Fit) -> None:
    model = fit(labels_of_codes([[0, 0, -1], [-1, -1, -1], [1, 1, -1]]))

    assert np.isnan(model.posterior).all(axis=1).tolist() == [False, True, False]
    assert np.isnan(model.ability).tolist() == [False, False, True]
    assert model.label.tolist() == [0, -1, 1]
    if model.difficulty is not None:
        assert np.isnan(model.difficulty).tolist() == [False, True, False]


@MODELS
def test_two_people_who_always_disagree_leave_ties(fit: Fit) -> None:
    model = fit(labels_of_codes([[0, 1]]))

    np.testing.assert_allclose(model.posterior, [[0.5, 0.5]])
    assert model.label.tolist() == [-1]


@pytest.mark.parametrize(
    "codes",
    [
        [[0]],
        [[0, 0], [0, 0]],
        [[0], [1], [0], [1]],
        [[0, -1], [-1, 1], [0, -1]],
        [[19, 3, 19], [0, 0, 1]],
    ],
    ids=["one answer", "one category", "one person", "one answer a unit", "twenty categories"],
)
@MODELS
def test_small_batches_have_figures_and_no_warnings(fit: Fit, codes: list[list[int]]) -> None:
    labels = labels_of_codes(codes, n_categories=20 if np.max(codes) > 1 else 2)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fit(labels)

    assert model.reason is None
    np.testing.assert_allclose(model.posterior.sum(axis=1), 1)
    assert ((model.ability >= 0) & (model.ability <= 1)).all()
    has_answer = np.asarray(codes)[:, 0] >= 0
    label = np.asarray(codes)[:, 0]
    assert (model.label == label)[has_answer].all()


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (labels_of_codes(np.full((2, 3), -1), n_categories=2), "there are no answers"),
        (labels_of_codes([[0, 0]], n_categories=1), "There are fewer than two categories."),
        (
            Labels([0], [0], np.array([[True, True]]), 1, 1, is_several=True),
            "The models are for answers of one category each, but an answer can name several"
            " here.",
        ),
        (Labels([], [], np.zeros((0, 2), dtype=bool), 0, 0), "there are no answers"),
    ],
    ids=["no answers", "one category", "several categories", "nobody and nothing"],
)
def test_without_a_model_there_is_a_reason(labels: Labels, reason: str) -> None:
    for model in label_models(labels).values():
        assert (model.reason, model.n_rounds) == (reason, 0)
        assert np.isnan(model.posterior).all()
        assert np.isnan(model.ability).all()
        assert (model.label == -1).all()
        assert model.posterior.shape == (labels.n_units, labels.n_categories)
        assert json.loads(json.dumps(model.as_dict()))["reason"] == reason


def test_a_fit_that_does_not_come_to_rest_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = simulated(n_units=30, seed=7).labels
    monkeypatch.setattr(rounds, "MAX_ROUNDS", 3)
    monkeypatch.setattr(em, "MAX_ROUNDS", 3)

    model = dawid_skene(labels)

    assert model.reason == "The fit did not converge in 3 rounds."
    assert model.n_rounds == 3
    assert np.isnan(model.posterior).all()


@MODELS
def test_only_first_answers_count(fit: Fit) -> None:
    labels = simulated(n_units=30, seed=8).labels
    again = Labels(
        np.concatenate([labels.annotator, labels.annotator[:20]]),
        np.concatenate([labels.unit, labels.unit[:20]]),
        np.concatenate([labels.chosen, labels.chosen[20:40]]),
        labels.n_annotators,
        labels.n_units,
    )

    np.testing.assert_array_equal(fit(again).posterior, fit(labels).posterior)


@pytest.mark.slow
@MODELS
@given(labels=label_batches(repeats=False), seed=st.integers(0, 100))
def test_the_order_of_rows_does_not_matter(fit: Fit, labels: Labels, seed: int) -> None:
    there, back = fit(labels), fit(shuffled(labels, seed))

    np.testing.assert_array_equal(there.posterior, back.posterior)
    np.testing.assert_array_equal(there.ability, back.ability)


@pytest.mark.slow
@MODELS
@given(seed=st.integers(0, 1000))
def test_other_numbers_change_nothing_else(fit: Fit, seed: int) -> None:
    labels = simulated(n_people=8, n_units=40, seed=seed % 7).labels
    rng = np.random.default_rng(seed)
    people, units, categories = rng.permutation(8), rng.permutation(40), rng.permutation(3)
    numbered = Labels(people[labels.annotator], units[labels.unit], labels.chosen, 8, 40)

    there, back = fit(labels), fit(renamed(numbered, list(categories)))

    expected = there.posterior[:, categories]
    np.testing.assert_allclose(back.posterior[units], expected, atol=1e-4)
    np.testing.assert_allclose(back.ability[people], there.ability, atol=1e-4)


def test_all_models_come_in_plain_json_with_their_names() -> None:
    labels = simulated(n_units=20, seed=9).labels

    models = label_models(labels)
    written = {name: json.loads(json.dumps(model.as_dict())) for name, model in models.items()}

    assert list(written) == ["dawid-skene", "mace", "glad"]
    for name, model in models.items():
        assert written[name]["name"] == model.name == name
        assert written[name]["label"] == [k if k >= 0 else None for k in model.label.tolist()]
        assert written[name]["definition"]
    assert written["mace"]["confusion"] is written["dawid-skene"]["difficulty"] is None
    assert len(written["glad"]["difficulty"]) == 20


def test_a_model_differs_where_both_have_a_label() -> None:
    nan = np.nan
    posterior = np.array([[0.9, 0.1], [0.9, 0.1], [0.5, 0.5], [nan, nan], [0.9, 0.1]])
    model = LabelModel("mace", posterior, np.ones(3), None, None, 1)
    labels = labels_of_codes([[0, 0, 1], [1, 1, 1], [1, 1, 0], [-1, -1, -1], [0, 1, -1]])

    assert differs(model, count_labels(labels)).tolist() == [False, True, False, False, False]
    assert model.label.tolist() == [0, 0, -1, -1, 0]
