"""Variance components of items, people and phases."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import PhaseGeneralizability, Ratings, generalizability_of_phases
from scoring.ratings.phase_generalizability import COMPONENTS
from tests.scoring.rating_batches import ratings_of_table

NAN = np.nan
# Two phases, five items, three people.
TABLE = np.array(
    [
        [[1, 2, 4], [3, 3, 5], [6, 5, 6], [2, 4, 3], [0, 2, 1]],
        [[2, 2, 5], [5, 3, 6], [6, 7, 7], [1, 4, 5], [1, 1, 2]],
    ]
)


def phases_of(table: np.ndarray) -> list[Ratings]:
    """Batches of phases x items x people, nan where a person did not rate an item."""
    return [ratings_of_table(phase.T) for phase in np.asarray(table, dtype=np.float64)]


def values(study: PhaseGeneralizability) -> list[float]:
    return list(study.components.values())


def test_two_phases_have_the_estimates_of_another_program() -> None:
    study = generalizability_of_phases(phases_of(TABLE))

    # GeneralizIT 0.1.2, which rounds to four places.
    printed = [3.2750, 0.5917, 0.2083, 0.4417, -0.1417, 0.0083, 0.5917]
    np.testing.assert_allclose(values(study), printed, atol=5.1e-5)
    for n_raters, n_phases, absolute, relative in (
        (3, 1, 0.8131, 0.9048),
        (3, 2, 0.8565, 0.9302),
        (6, 1, 0.8720, 0.9500),
        (6, 2, 0.9094, 0.9638),
    ):
        phi, g = (study.coefficient(n_raters, n_phases, kind) for kind in ("absolute", "relative"))
        assert (phi, g) == pytest.approx((absolute, relative), abs=5.1e-5)


def test_components_follow_from_sums_of_squares() -> None:
    rng = np.random.default_rng(3)
    table = rng.gamma(2, size=(3, 6, 4)) + rng.normal(size=(1, 6, 1)) + rng.normal(size=(1, 6, 4))
    phases, items, people = table.shape
    mean = table.mean()
    of_items = table.mean(axis=(0, 2)) - mean
    of_people = table.mean(axis=(0, 1)) - mean
    both = table.mean(axis=0) - mean - of_items[:, None] - of_people
    study = generalizability_of_phases(phases_of(table))

    # Expected mean squares [Brennan2001]: of items and people, residual + phases x component.
    square = phases * (both**2).sum() / (items - 1) / (people - 1)
    residual = study.components["residual"]
    assert study.components["items_people"] == pytest.approx((square - residual) / phases)
    expected = residual + phases * study.components["items_people"]
    expected += people * study.components["items_phases"]
    expected += phases * people * study.components["items"]
    square = phases * people * (of_items**2).sum() / (items - 1)
    assert square == pytest.approx(expected)


@pytest.mark.slow
def test_estimates_are_right_on_average() -> None:
    rng = np.random.default_rng(4)
    sizes = (3, 8, 5)
    variances = dict(zip(COMPONENTS, (2.0, 0.5, 0.3, 0.4, 0.2, 0.1, 1.0), strict=True))
    estimates = []

    for _study in range(400):
        table = np.zeros(sizes)
        for name, axes in COMPONENTS.items():
            shape = [n if axis in axes else 1 for axis, n in enumerate(sizes)]
            table += math.sqrt(variances[name]) * rng.normal(size=shape)
        estimates.append(values(generalizability_of_phases(phases_of(table))))

    error = np.std(estimates, axis=0, ddof=1) / math.sqrt(400)
    assert (np.abs(np.mean(estimates, axis=0) - list(variances.values())) < 3 * error).all()


@pytest.mark.slow
@given(st.permutations(range(5)), st.permutations(range(3)), st.floats(0.1, 50))
@settings(max_examples=25, deadline=None)
def test_order_and_scale_do_not_matter(items: list, people: list, factor: float) -> None:
    study = generalizability_of_phases(phases_of(TABLE))
    other = generalizability_of_phases(phases_of(7 - factor * TABLE[::-1][:, items][:, :, people]))

    np.testing.assert_allclose(
        values(other), factor**2 * np.array(values(study)), rtol=1e-9, atol=1e-9 * factor**2
    )


def test_effects_that_add_up_have_no_interactions() -> None:
    table = np.add.outer([0.1, 0.4], np.add.outer([1.3, 2.7, 5.9], [0.2, 0.3, 0.7]))

    study = generalizability_of_phases(phases_of(table))

    assert values(study)[3:] == [0, 0, 0, 0]
    assert study.components["items"] == pytest.approx(np.var([1.3, 2.7, 5.9], ddof=1))
    assert study.coefficient(1, 1, "relative") == 1


def test_repeats_and_missing_numbers_do_not_count() -> None:
    wide = np.full((2, 7, 4), NAN)
    wide[:, 1:6, 1:] = TABLE
    phases = phases_of(wide)
    first = phases[0]
    rows = np.append(np.arange(first.n_ratings), 0)
    again = Ratings(first.annotator[rows], first.unit[rows], np.append(first.value, 6), 4, 7)

    study = generalizability_of_phases([again, phases[1]])

    assert values(study) == values(generalizability_of_phases(phases_of(TABLE)))
    assert (study.n_phases, study.n_items, study.n_people) == (2, 5, 3)


def with_gap() -> np.ndarray:
    table = TABLE.astype(np.float64)
    table[1, 3, 2] = NAN
    return table


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (np.full((2, 2, 2), NAN), "there are no ratings"),
        (TABLE[:, :1], "only one item was rated"),
        (TABLE[:, :, :1], "only one person rated"),
        (np.full((2, 3, 3), 0.1), "all ratings are equal"),
        (with_gap(), "it needs a rating of every item by the same annotators in every phase, but"),
    ],
)
def test_what_is_undefined_says_why(table: np.ndarray, reason: str) -> None:
    study = generalizability_of_phases(phases_of(table))

    assert study.reason.startswith(reason)
    assert np.isnan(values(study)).all()
    assert np.isnan(study.coefficient(2, 2, "absolute"))
    assert study.as_dict()["decision_study"] == []
    assert study.as_dict()["components"]["phases"] == {"value": None, "share": None}


def test_the_first_gap_is_named() -> None:
    reason = generalizability_of_phases(phases_of(with_gap())).reason

    assert reason.endswith("annotator 2 did not rate item 3 in phase 2")


def test_figures_are_plain_json() -> None:
    figures = generalizability_of_phases(phases_of(TABLE)).as_dict()

    assert list(figures["components"]) == list(COMPONENTS)
    assert sum(part["share"] for part in figures["components"].values()) == pytest.approx(1)
    assert len(figures["decision_study"]) == 40
    assert figures["decision_study"][22]["relative"] == pytest.approx(0.9302, abs=5.1e-5)


def test_wrong_arguments_are_refused() -> None:
    phases = phases_of(TABLE)

    with pytest.raises(ValueError, match="needs at least two, not 1"):
        generalizability_of_phases(phases[:1])
    with pytest.raises(ValueError, match="do not number the same people and units"):
        generalizability_of_phases([phases[0], ratings_of_table(TABLE[0])])
    study = generalizability_of_phases(phases)
    with pytest.raises(ValueError, match="must be above 0, not 2 and 0"):
        study.coefficient(2, 0, "relative")
    with pytest.raises(ValueError, match="not 'G'"):
        study.coefficient(2, 1, "G")
