"""The simulation that shows when models of annotators help."""

import numpy as np
import pytest

from benchmarks.label_models import MODELS, Cell, Model, figures, right_share


def test_a_tie_counts_as_a_draw() -> None:
    probability = np.array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5], [0.4, 0.4, 0.2]])

    assert right_share(probability, np.array([1, 2, 2])) == pytest.approx(0.5)


def test_a_unit_without_probabilities_is_refused() -> None:
    with pytest.raises(ValueError, match="a unit has no probabilities"):
        right_share(np.array([[np.nan, np.nan]]), np.array([0]))


@pytest.mark.parametrize("name", MODELS)
def test_people_label_as_the_model_says(name: str) -> None:
    labels, truth = MODELS[name].study(Cell(20, 2_000, 5, 3), np.random.default_rng(1))

    chosen = labels.distinct[1]
    is_right = chosen == truth[labels.unit]
    model = MODELS[name]
    if model.rare:
        assert (truth == 0).mean() == pytest.approx(model.rare, abs=0.02)
    if model.clickers:
        assert is_right[labels.annotator == 0].mean() == pytest.approx(1 / 3, abs=0.1)
    if model.camp:
        camp = labels.annotator >= 14
        contested = labels.unit % 3 == 0
        assert is_right[camp & contested].mean() < 0.3
        assert is_right[~camp].mean() > 0.6
    assert labels.n_answers == 10_000


def test_figures_of_one_study_are_shares_and_their_surplus() -> None:
    row = figures(Model(), Cell(6, 20, 3, 2), [1])

    assert len(row) == 7
    assert all(0 <= share <= 1 for share in row[:4])
