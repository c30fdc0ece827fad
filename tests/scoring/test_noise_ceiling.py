import json
import math

import numpy as np
import pytest

from scoring import OverSplits, SpearmanBrown, SplitHalf, pearson, split_half
from scoring.noise_ceiling import noise_ceiling_of_halves, noise_ceiling_of_icc
from tests.scoring.conftest import PublishedStudy


def halves_of(stepped_up: SpearmanBrown) -> SplitHalf:
    nothing = OverSplits(np.full(3, np.nan))
    return SplitHalf("random", 3, nothing, nothing, stepped_up, 5)


def test_the_ceiling_is_the_root_of_the_stepped_up_reliability() -> None:
    # r = .7: 1.4 / 1.7 = .823529...
    ceiling = noise_ceiling_of_halves(halves_of(SpearmanBrown(1.4 / 1.7)))

    assert ceiling.value == pytest.approx(0.9074852129730301)
    assert ceiling.reliability == pytest.approx(0.8235294117647058)


def test_the_ceiling_of_a_study(published: PublishedStudy) -> None:
    halves = split_half(
        published.answers, rule="random", n_splits=50, rng=np.random.default_rng(1)
    )

    ceiling = noise_ceiling_of_halves(halves)

    r = halves.pearson.mean
    assert ceiling.value == pytest.approx(math.sqrt(2 * r / (1 + r)))
    figures = ceiling.as_dict()
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


def test_unequal_halves_give_no_ceiling(published: PublishedStudy) -> None:
    halves = split_half(published.answers, rule="fixed", n_splits=2, rng=np.random.default_rng(1))

    ceiling = noise_ceiling_of_halves(halves)

    assert math.isnan(ceiling.value)
    assert ceiling.reason is not None
    assert "unequal size" in ceiling.reason
    assert ceiling.as_dict()["reliability"] is None


def test_a_perfect_measure_reaches_the_ceiling_of_noisy_ratings() -> None:
    # Truth of variance 1, nine ratings with noise of variance 4: ICC(1,9) = 1 / (1 + 4/9)
    rng = np.random.default_rng(5)
    truth = rng.normal(size=20_000)
    scores = truth + 2 * rng.normal(size=(9, 20_000)).mean(axis=0)

    ceiling = noise_ceiling_of_icc(1 / (1 + 4 / 9))

    assert float(pearson(truth, scores)) == pytest.approx(ceiling.value, abs=0.01)


@pytest.mark.parametrize(("icc", "value"), [(0.0, 0.0), (0.25, 0.5), (1.0, 1.0)])
def test_the_ceiling_of_an_icc(icc: float, value: float) -> None:
    assert noise_ceiling_of_icc(icc).value == value


@pytest.mark.parametrize(
    ("icc", "reason"),
    [
        (math.nan, "there is no ICC"),
        (
            -0.2,
            "ICC(1,k) is negative (-0.200): raters differ more on one item than the items do",
        ),
    ],
)
def test_no_reliability_no_ceiling(icc: float, reason: str) -> None:
    ceiling = noise_ceiling_of_icc(icc)

    assert math.isnan(ceiling.value)
    assert ceiling.reason == reason


def test_an_icc_above_1_is_refused() -> None:
    with pytest.raises(ValueError, match=r"an ICC is at most 1, but this one is 1.2"):
        noise_ceiling_of_icc(1.2)
