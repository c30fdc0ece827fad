"""Variance components of ratings, the decision study, and the intervals of its coefficients."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.coverage.engine import Cell, coverage
from benchmarks.coverage.ratings import MODELS, STATISTICS
from scoring import Generalizability, Ratings, generalizability, intraclass_correlation
from scoring.jackknife import (
    MAX_BLOCK_GROUPS,
    Sampled,
    block_variance,
    numbered,
    one_way_variance,
)
from scoring.ratings.generalizability import MAX_RATERS, MAX_ROWS, Kind
from tests.scoring.rating_batches import (
    rating_batches,
    ratings_of_table,
    renumbered,
    simulated,
    with_values,
)
from tests.scoring.test_intraclass import SHROUT_FLEISS

NAN = np.nan
# Seven items rated by some of five people; rows are items.
WITH_GAPS = np.array(
    [
        [1, 2, NAN, 4, 3],
        [5, 5, 6, NAN, 7],
        [NAN, 1, 3, 2, NAN],
        [4, NAN, NAN, 6, 6],
        [2, 2, 5, 3, NAN],
        [NAN, NAN, 7, 6, 9],
        [0, NAN, 2, 1, NAN],
    ]
)


def components(study: Generalizability) -> np.ndarray:
    """Variances of items, people and residual."""
    return np.array([study.items, study.people, study.residual])


def in_plain_loops(item: np.ndarray, person: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Henderson's Method 1 as it is written: expected sums of squares, solved for components."""
    m = len(value)

    def uncorrected(level: np.ndarray) -> float:
        each = [value[level == number] for number in np.unique(level)]
        return sum(ratings.sum() ** 2 / len(ratings) for ratings in each)

    def mean_size(level: np.ndarray) -> float:
        return sum(int((level == number).sum()) ** 2 for number in np.unique(level)) / m

    n_items, n_people = len(np.unique(item)), len(np.unique(person))
    mean = value.sum() ** 2 / m
    k_items, k_people = mean_size(item), mean_size(person)
    expected = [
        [m - k_items, n_items - k_people, n_items - 1],
        [n_people - k_items, m - k_people, n_people - 1],
        [m - k_items, m - k_people, m - 1],
    ]
    sums = [uncorrected(item) - mean, uncorrected(person) - mean, (value**2).sum() - mean]
    return np.linalg.solve(np.array(expected), np.array(sums))


def test_the_example_of_shrout_and_fleiss() -> None:
    ratings = ratings_of_table(SHROUT_FLEISS.T)

    study = generalizability(ratings)

    # Mean squares of items 11.2417, of judges 32.4861 and residual 1.0194 (their Table 3).
    squares = np.array([56.208333, 97.458333, 15.291667]) / [5, 3, 15]
    of_items, of_judges = (squares[0] - squares[2]) / 4, (squares[1] - squares[2]) / 6
    np.testing.assert_allclose(components(study), [of_items, of_judges, squares[2]], rtol=1e-6)
    # GeneralizIT 0.1.2, which rounds to four places.
    np.testing.assert_allclose(components(study), [2.5556, 5.2444, 1.0194], atol=5.1e-5)
    for n_raters, absolute, relative in ((2, 0.4493, 0.8337), (4, 0.6201, 0.9093)):
        assert study.coefficient(n_raters, "absolute") == pytest.approx(absolute, abs=5.1e-5)
        assert study.coefficient(n_raters, "relative") == pytest.approx(relative, abs=5.1e-5)
    assert study.is_complete
    assert (study.n_ratings, study.n_items, study.n_people, study.n_raters) == (24, 6, 4, 4)


@pytest.mark.parametrize("seed", range(4))
def test_complete_tables_have_the_coefficients_of_the_intraclass_correlations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = [(6, 4), (30, 3), (3, 2), (12, 9)][seed]
    table = rng.gamma(2, size=(n, 1)) + rng.normal(size=(1, k)) + 0.5 * rng.normal(size=(n, k))
    ratings = ratings_of_table(table.T)

    study = generalizability(ratings)

    for kind, number in (("relative", "3"), ("absolute", "2")):
        for n_raters, of in ((1, "1"), (k, "k")):
            icc = intraclass_correlation(ratings, kind=f"{number},{of}")
            assert study.coefficient(n_raters, kind) == pytest.approx(icc.value, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_complete_tables_have_the_analysis_of_variance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = [(7, 4), (40, 3), (3, 2), (5, 11)][seed]
    table = rng.gamma(1, size=(n, k)) + rng.normal(size=(1, k)) + 1000
    mean, of_items, of_people = table.mean(), table.mean(axis=1), table.mean(axis=0)
    rest = table - of_items[:, None] - of_people + mean
    error = (rest**2).sum() / (n - 1) / (k - 1)

    study = generalizability(ratings_of_table(table.T))

    expected = [of_items.var(ddof=1) - error / k, of_people.var(ddof=1) - error / n, error]
    np.testing.assert_allclose(components(study), expected, rtol=1e-10, atol=1e-10)


def test_a_table_with_gaps_has_the_estimates_of_another_program() -> None:
    study = generalizability(ratings_of_table(WITH_GAPS.T))

    # GeneralizIT 0.1.2, which rounds to four places, and sums before that.
    np.testing.assert_allclose(components(study), [4.9427, 2.0244, -0.5489], atol=1e-4)
    assert study.n_raters == pytest.approx(7 / (3 / 4 + 4 / 3))
    assert study.coefficient(study.n_raters, "absolute") == pytest.approx(0.8913, abs=1e-4)
    assert study.coefficient(study.n_raters, "relative") == 1
    assert not study.is_complete
    assert "Henderson" in study.definition


@pytest.mark.slow
@given(rating_batches(max_units=6))
@settings(max_examples=60, deadline=None)
def test_estimates_are_those_of_plain_loops(ratings: Ratings) -> None:
    first = ratings.first_answers()

    study = generalizability(ratings)

    if study.reason is None and study.n_groups == 1:
        expected = in_plain_loops(first.unit, first.annotator, first.value)
        np.testing.assert_allclose(components(study), expected, atol=1e-9)


def test_estimates_of_stacks_are_those_of_plain_loops() -> None:
    ratings = simulated(n_units=50, bias=1.5, per_unit=4)
    rows = np.random.default_rng(1).random(ratings.n_ratings) < 0.6
    part = ratings.of_rows(rows)

    study = generalizability(part)

    expected = in_plain_loops(part.unit, part.annotator, part.value)
    np.testing.assert_allclose(components(study), expected, rtol=1e-10)


@pytest.mark.slow
def test_estimates_of_unequal_stacks_are_right_on_average() -> None:
    rng = np.random.default_rng(5)
    # Items have one to six ratings; a few people do most of the work.
    sizes = rng.integers(1, 7, size=40)
    work = rng.gamma(1, size=15)
    unit = np.repeat(np.arange(40), sizes)
    person = np.concatenate([rng.choice(15, size, False, work / work.sum()) for size in sizes])
    estimates = []

    for _study in range(600):
        # Skewed effects: nothing has to be normal.
        value = rng.exponential(size=40)[unit] + (0.7 * rng.exponential(size=15))[person]
        value += 1.5 * rng.normal(size=len(unit))
        estimates.append(components(generalizability(Ratings(person, unit, value, 15, 40))))

    error = np.std(estimates, axis=0, ddof=1) / np.sqrt(600)
    assert (np.abs(np.mean(estimates, axis=0) - [1, 0.49, 2.25]) < 3 * error).all()


def test_groups_without_common_people_are_compared_within_themselves() -> None:
    first, second = WITH_GAPS, SHROUT_FLEISS + 50.0
    both = np.full((13, 9), NAN)
    both[:7, :5], both[7:, 5:] = first, second
    shifted = both.copy()
    shifted[7:] -= 70

    study, other = (generalizability(ratings_of_table(table.T)) for table in (both, shifted))

    np.testing.assert_allclose(components(study), components(other), rtol=1e-9)
    assert study.n_groups == 2
    assert "2 groups" in study.note
    # The sums of squares within items, people and groups are those of both tables.
    within_items = sum(np.nansum((t - np.nanmean(t, 1)[:, None]) ** 2) for t in (first, second))
    assert study.people + study.residual == pytest.approx(within_items / (48 - 13))


@pytest.mark.slow
def test_groups_are_right_on_average() -> None:
    rng = np.random.default_rng(2)
    unit, seat = np.divmod(np.arange(60 * 3), 3)
    person = unit // 20 * 3 + seat
    estimates = []

    for _study in range(300):
        value = rng.normal(size=60)[unit] + 0.7 * rng.normal(size=9)[person]
        # Pools of other levels were allotted to the groups.
        value += 5 * (unit // 20) + 0.5 * rng.normal(size=len(unit))
        estimates.append(components(generalizability(Ratings(person, unit, value, 9, 60))))

    error = np.std(estimates, axis=0, ddof=1) / np.sqrt(300)
    assert (np.abs(np.mean(estimates, axis=0) - [1, 0.49, 0.25]) < 3 * error).all()


@pytest.mark.slow
@given(rating_batches(), st.permutations(range(4)), st.integers(-40, 40), st.floats(0.1, 50))
@settings(max_examples=50, deadline=None)
def test_order_numbers_and_scale_do_not_matter(
    ratings: Ratings, people: list[int], shift: int, factor: float
) -> None:
    first = ratings.first_answers()
    reverse = first.of_rows(np.arange(first.n_ratings)[::-1])
    units = np.arange(ratings.n_units)[::-1]
    study = generalizability(first)

    others = (
        generalizability(renumbered(reverse, np.array(people), units)),
        generalizability(with_values(first, first.value + shift)),
        generalizability(with_values(first, -factor * first.value)),
    )

    for other, scale in zip(others, (1, 1, factor**2), strict=True):
        assert other.reason == study.reason
        np.testing.assert_allclose(components(other), scale * components(study), atol=1e-9 * scale)


def test_only_the_first_rating_of_an_item_by_a_person_counts() -> None:
    ratings = simulated(n_units=20)
    again = Ratings(
        np.append(ratings.annotator, ratings.annotator[:5]),
        np.append(ratings.unit, ratings.unit[:5]),
        np.append(ratings.value, [0, 6, 0, 6, 0]),
        ratings.n_annotators,
        ratings.n_units,
    )

    once, twice = generalizability(ratings), generalizability(again)

    np.testing.assert_array_equal(components(once), components(twice))
    assert once.n_ratings == twice.n_ratings == 100


def test_coefficients_follow_their_formulas() -> None:
    study = study_of(items=2.0, people=0.5, residual=1.5)

    rows = study.decision_study()

    assert [row.n_raters for row in rows] == list(range(1, MAX_ROWS + 1))
    assert rows[0].relative == 2 / 3.5
    assert rows[0].absolute == 0.5
    assert rows[3].relative == 2 / (2 + 1.5 / 4)
    assert rows[3].absolute == 2 / (2 + 2 / 4)
    assert study.shares() == (0.5, 0.125, 0.375)


def study_of(*, items: float, people: float, residual: float) -> Generalizability:
    """A study of these components, with the rest of a small one."""
    small = generalizability(ratings_of_table(WITH_GAPS.T))
    others = (7, 5, 1, 3.0, False, small.intervals)
    return Generalizability(items, people, residual, 24, *others)


@pytest.mark.parametrize("kind", ["relative", "absolute"])
@pytest.mark.parametrize("target", [0.01, 0.5, 0.7, 0.8, 0.9, 0.95])
def test_fewest_raters_are_enough_and_fewer_are_not(kind: Kind, target: float) -> None:
    study = study_of(items=1.0, people=0.7, residual=2.0)

    least = study.raters_for(target, kind)

    assert study.coefficient(least, kind) >= target - 1e-12
    assert least == 1 or study.coefficient(least - 1, kind) < target


def test_a_number_that_is_just_enough_is_not_rounded_up() -> None:
    # 1 / (1 + 1 / n) is .9 with 9 raters, .7 with 7 / 3.
    study = study_of(items=1.0, people=0.0, residual=1.0)

    assert [study.raters_for(target) for target in (0.5, 0.7, 0.75, 0.8, 0.9)] == [1, 3, 3, 4, 9]


def test_there_may_be_no_number_of_raters() -> None:
    hopeless = study_of(items=-0.1, people=0.5, residual=1.0)
    noisy = study_of(items=0.001, people=1.0, residual=1.0)

    assert hopeless.raters_for(0.5) is None
    assert hopeless.coefficient(5, "absolute") == 0
    assert noisy.raters_for(0.5) == MAX_RATERS
    assert noisy.raters_for(0.51) is None
    assert noisy.raters_for(0.5, "absolute") is None


def test_negative_components_count_as_0() -> None:
    study = study_of(items=2.0, people=-0.3, residual=2.0)
    nothing = study_of(items=-0.1, people=-0.2, residual=-0.1)

    assert study.coefficient(2, "absolute") == study.coefficient(2, "relative") == 2 / 3
    assert study.shares() == (0.5, 0, 0.5)
    assert study.as_dict()["components"]["people"] == {"value": -0.3, "share": 0}
    assert np.isnan(nothing.coefficient(2, "relative"))
    assert nothing.as_dict()["components"]["items"] == {"value": -0.1, "share": None}


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[NAN, NAN], [NAN, NAN]], "there are no ratings"),
        ([[1], [2]], "only one item was rated"),
        ([[1, NAN], [2, NAN]], "only one item was rated"),
        ([[1, 2]], "only one person rated"),
        ([[1, 2, NAN], [NAN, NAN, 3]], "no item was rated by two people"),
        ([[1, NAN], [2, NAN], [NAN, 3]], "no person rated two items"),
        ([[1, 2, NAN], [NAN, 3, 4]], "too few of the same people"),
        # A group of one item beside a group of one person.
        ([[1, NAN, NAN], [2, NAN, NAN], [NAN, 3, 1]], "too few of the same people"),
        ([[0.1, 0.1], [0.1, 0.1]], "all ratings are equal"),
        ([[3, 3, NAN, NAN]] * 2 + [[NAN, NAN, 1, 1]] * 2, "the ratings of each group"),
    ],
)
def test_what_is_undefined_says_why(table: list, reason: str) -> None:
    study = generalizability(ratings_of_table(table))

    figures = study.as_dict()
    assert study.reason.startswith(reason)
    assert np.isnan(components(study)).all()
    assert np.isnan(study.coefficient(3, "relative"))
    assert study.raters_for(0.8) is None
    assert study.note is None
    assert figures["reason"] == figures["coefficients"]["absolute"]["interval"]["reason"]
    assert figures["components"]["people"] == {"value": None, "share": None}
    assert figures["decision_study"] == figures["raters_for"] == []


def test_units_and_people_without_ratings_do_not_count() -> None:
    table = np.full((9, 12), NAN)
    table[2:7, 3:10] = WITH_GAPS.T

    few = generalizability(ratings_of_table(WITH_GAPS.T))
    many = generalizability(ratings_of_table(table), pool=np.arange(12))

    np.testing.assert_array_equal(components(few), components(many))
    assert (many.n_items, many.n_people) == (7, 5)
    # The pools of the seven rated units.
    assert many.intervals["relative"].n_units == 7


def test_effects_that_add_up_leave_no_residual() -> None:
    study = generalizability(ratings_of_table(np.add.outer([0.1, 0.4, 0.2], [1.3, 2.7, 5.9, 3.3])))

    assert study.residual == 0
    assert study.coefficient(1, "relative") == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda study: study.coefficient(0, "relative"), "n_raters must be above 0, not 0"),
        (
            lambda study: study.coefficient(1, "G"),
            "kind must be one of relative, absolute",
        ),
        (lambda study: study.limits(-1, "absolute"), "n_raters must be above 0, not -1"),
        (lambda study: study.limits(1, "G"), "kind must be one of relative, absolute"),
        (lambda study: study.raters_for(1), "coefficient must be between 0 and 1, not 1"),
        (lambda study: study.raters_for(0.5, "Phi"), "not 'Phi'"),
    ],
)
def test_wrong_arguments_are_refused(call, message: str) -> None:
    study = generalizability(ratings_of_table(WITH_GAPS.T))

    with pytest.raises(ValueError, match=message):
        call(study)


def test_pools_must_fit_the_units() -> None:
    with pytest.raises(ValueError, match=r"pool has shape \(3,\) for 7 units"):
        generalizability(ratings_of_table(WITH_GAPS.T), pool=np.arange(3))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["relative", "absolute"])
@pytest.mark.parametrize("n_pools", [None, 8])
def test_intervals_are_those_of_studies_without_each_part(kind: Kind, n_pools: int | None) -> None:
    ratings = simulated(n_units=24, n_annotators=32, per_unit=6, bias=0.7)
    item, person = ratings.unit, np.unique(ratings.annotator, return_inverse=True)[1]
    pool = None if n_pools is None else np.arange(24) % n_pools

    def value(rows: np.ndarray) -> float:
        items, people, residual = in_plain_loops(item[rows], person[rows], ratings.value[rows])
        error = residual + people if kind == "absolute" else residual
        return items / (items + error / 6)

    def variance(label: np.ndarray):
        return one_way_variance(np.array([value(label != each) for each in np.unique(label)]))

    labels = item if pool is None else pool[item]
    row, column = (numbered(each, max_groups=MAX_BLOCK_GROUPS) for each in (person, labels))
    blocks = [
        [value((row != a) | (column != b)) for b in np.unique(column)] for a in np.unique(row)
    ]
    of_units = max(variance(labels), variance(item), key=lambda each: each.value)
    sample = Sampled("items" if pool is None else "pools", 24, 32, 32.0)
    expected = sample.interval(
        value(np.ones(144, dtype=bool)),
        of_units,
        variance(person),
        block_variance(np.array(blocks)),
        lowest=0.0,
    )

    interval = generalizability(ratings, pool=pool).intervals[kind]

    assert interval.is_over_people
    np.testing.assert_allclose(
        [interval.low, interval.high, interval.df],
        [expected.low, expected.high, expected.df],
        rtol=1e-9,
    )


def test_few_people_have_an_interval_over_items_only_of_differences_between_items() -> None:
    """Few people say too little of how much people differ in level, which Phi is about."""
    intervals = generalizability(simulated()).intervals

    assert not intervals["relative"].is_over_people
    assert "12 people, fewer than 30" in intervals["relative"].note
    assert intervals["relative"].low > 0
    assert np.isnan(intervals["absolute"].low)
    assert "12 people, fewer than 30" in intervals["absolute"].reason


def test_limits_are_stepped_up_like_the_coefficients() -> None:
    study = generalizability(simulated())
    interval = study.intervals["relative"]

    low, high = study.limits(study.n_raters, "relative")
    rows = study.decision_study()

    assert (low, high) == pytest.approx((interval.low, interval.high))
    for row in rows:
        assert row.relative_limits[0] < row.relative < row.relative_limits[1]
        assert np.isnan(row.absolute_limits).all()
    # Four times as many raters: c becomes 4c / (1 + 3c).
    single = rows[0].relative_limits[0]
    assert rows[3].relative_limits[0] == pytest.approx(4 * single / (1 + 3 * single))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["G of ratings", "Phi of ratings"])
@pytest.mark.parametrize("model", ["people differ (lognormal .6, levels .8)"])
def test_intervals_hold_in_simulated_studies(name: str, model: str) -> None:
    row = coverage(STATISTICS[name], MODELS[model], Cell(12, 30), n_studies=60)

    assert row.n_intervals == 60
    assert row.share >= 0.88


def test_figures_are_plain_json() -> None:
    figures = generalizability(simulated()).as_dict()

    assert [row["n_raters"] for row in figures["decision_study"]] == list(range(1, 21))
    assert sum(part["share"] for part in figures["components"].values()) == pytest.approx(1)
    assert [row["coefficient"] for row in figures["raters_for"]] == [0.7, 0.8, 0.9]
    assert figures["coefficients"]["relative"]["value"] == pytest.approx(
        figures["decision_study"][4]["relative"]
    )
