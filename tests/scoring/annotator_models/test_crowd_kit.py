"""All models against crowd-kit 1.4.2; see crowd_kit.py for how its figures were made."""

import numpy as np
import pytest

from scoring import dawid_skene, glad, mace
from tests.scoring.annotator_models.crowd_kit import TABLES, figures, table


@pytest.mark.parametrize("name", TABLES)
def test_dawid_skene_is_that_of_crowd_kit(name: str) -> None:
    model, theirs = dawid_skene(table(name)), figures(name)["dawid-skene"]

    np.testing.assert_allclose(model.posterior, theirs["posterior"], atol=1e-5)
    np.testing.assert_allclose(model.posterior.mean(axis=0), theirs["share"], atol=1e-5)
    assert model.confusion is not None
    is_known = ~np.isnan(model.confusion)
    confusion = np.array(theirs["confusion"])[is_known]
    np.testing.assert_allclose(model.confusion[is_known], confusion, atol=1e-4)


@pytest.mark.parametrize("name", TABLES)
def test_mace_is_that_of_crowd_kit(name: str) -> None:
    model, theirs = mace(table(name)), figures(name)["mace"]

    np.testing.assert_allclose(model.posterior, theirs["posterior"], atol=1e-4)
    np.testing.assert_allclose(model.ability, theirs["competence"], atol=1e-4)


@pytest.mark.parametrize("name", TABLES)
def test_glad_is_that_of_crowd_kit_in_another_scale(name: str) -> None:
    model, theirs = glad(table(name)), figures(name)["glad"]
    alpha, log_beta = np.array(theirs["alpha"]), np.array(theirs["log_beta"])
    mean = log_beta.mean()

    np.testing.assert_allclose(model.posterior, theirs["posterior"], atol=1e-4)
    np.testing.assert_allclose(model.ability, 1 / (1 + np.exp(-alpha * np.exp(mean))), atol=1e-4)
    assert model.difficulty is not None
    np.testing.assert_allclose(model.difficulty, np.exp(mean - log_beta), atol=1e-4)
