import math

import numpy as np
import pytest

from scoring.baselines.runs import (
    Evaluation,
    RunFigures,
    evaluate,
    evaluations_over_runs,
    over_runs,
)


def test_the_deviation_over_runs_has_n_minus_1_in_its_denominator() -> None:
    found = over_runs([0.7, 0.8, 0.75])

    assert found.mean == pytest.approx(0.75)
    assert found.sd == pytest.approx(0.05)
    assert (found.n, found.reason) == (3, None)


@pytest.mark.parametrize("value", [0.1, 0.7, 0.3333333333333333])
def test_equal_runs_do_not_deviate(value: float) -> None:
    assert over_runs([value] * 3).sd == 0
    # The last digits of what was computed in another order are no deviation.
    assert over_runs([value, value, value * (1 + 2**-52)]).sd == 0
    assert over_runs([value, value, value * (1 + 1e-6)]).sd > 0


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "there is no run"),
        ([0.5], "a single run has no standard deviation"),
        ([0.5, math.nan, math.nan], "undefined in 2 of 3 runs"),
    ],
)
def test_what_is_undefined_over_runs_has_a_reason(values: list[float], reason: str) -> None:
    found = over_runs(values).as_dict()

    assert (found["sd"], found["reason"]) == (None, reason)
    assert found["mean"] == (0.5 if len(values) == 1 else None)


def test_a_test_is_judged_by_both_coefficients_of_the_pairs_with_values() -> None:
    found = evaluate(np.array([1.0, 2, 3, 4, 9]), np.array([0.1, 0.3, 0.2, 0.9, math.nan]))

    # By hand: ranks 1, 3, 2, 4 beside 1, 2, 3, 4.
    assert (found.n, found.reason) == (4, None)
    assert found.spearman == pytest.approx(0.8)
    assert found.pearson == pytest.approx(np.corrcoef([1, 2, 3, 4], [0.1, 0.3, 0.2, 0.9])[0, 1])


def test_a_constant_model_has_a_reason_instead_of_a_coefficient() -> None:
    found = evaluate(np.array([1.0, 2, 3]), np.full(3, 0.5))

    assert (found.n, found.reason) == (3, "all values of one of the two variables are equal")
    assert (found.as_dict()["pearson"], found.as_dict()["spearman"]) == (None, None)


def test_runs_come_back_from_json_as_they_were() -> None:
    run = RunFigures(
        3,
        [0.3, 0.2],
        {"free": Evaluation(20, 0.7, 0.6), "none": Evaluation(1, math.nan, math.nan, "too few")},
    )

    assert RunFigures.of_json(run.as_dict()).as_dict() == run.as_dict()


def test_each_test_has_its_own_mean_over_runs() -> None:
    runs = [
        RunFigures(1, [], {"free": Evaluation(9, 0.6, 0.5), "dependent": Evaluation(9, 0.2, 0.1)}),
        RunFigures(2, [], {"free": Evaluation(9, 0.8, 0.5), "dependent": Evaluation(9, 0.4, 0.3)}),
    ]

    found = evaluations_over_runs(runs)

    assert found["free"]["pearson"].mean == pytest.approx(0.7)
    assert found["dependent"]["spearman"].mean == pytest.approx(0.2)
    assert found["free"]["spearman"].sd == 0
    assert evaluations_over_runs([]) == {}
