"""The interval of split-half reliability: what it leaves out, and when there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.coverage.best_worst import MODELS, STATISTICS
from benchmarks.coverage.engine import Cell, coverage
from scoring import BestWorst, spearman, split_half
from scoring.best_worst import half_interval as module
from scoring.best_worst.half_interval import correlations_without, half_interval
from scoring.best_worst.halves import drawn_halves
from tests.scoring.batches import batches, dialogue_tuples, oracle


def study(
    n_pools: int, *, n_people: int = 30, n_answers: int = 4, noise: float = 0.3, seed: int = 1
) -> BestWorst:
    """Pools of five items, each with all ten of its 3-tuples."""
    rng = np.random.default_rng([41, n_pools, seed])
    tuples = dialogue_tuples(n_pools, rng=rng)
    latent = rng.uniform(size=5 * n_pools)
    number = np.repeat(np.arange(len(tuples)), n_answers)
    seen = latent[tuples[number]] + noise * rng.gumbel(size=(len(number), 3))
    rows = np.arange(len(number))
    return BestWorst(
        tuples,
        number,
        tuples[number][rows, seen.argmax(axis=1)],
        tuples[number][rows, seen.argmin(axis=1)],
        5 * n_pools,
        rng.integers(n_people, size=len(number)),
    )


def pools_of(answers: BestWorst) -> np.ndarray:
    return np.arange(answers.n_items) // 5


def scores(answers: BestWorst, is_counted: np.ndarray) -> np.ndarray:
    """Counting scores of some of the judgments, in a plain loop."""
    net, shown = np.zeros(answers.n_items), np.zeros(answers.n_items)
    for j in np.flatnonzero(is_counted).tolist():
        net[answers.best[j]] += 1
        net[answers.worst[j]] -= 1
        shown[answers.tuples[answers.tuple_number[j]]] += 1
    return np.array(
        [n / s if s else np.nan for n, s in zip(net.tolist(), shown.tolist(), strict=True)]
    )


@settings(max_examples=40, deadline=None)
@given(batches(min_answers=1), st.data())
@pytest.mark.slow
def test_who_and_what_is_left_out_is_missing_from_the_halves(
    answers: BestWorst, data: st.DataObject
) -> None:
    m, n = answers.n_judgments, answers.n_items
    person = np.array(data.draw(st.lists(st.integers(0, 2), min_size=m, max_size=m)))
    answers = BestWorst(
        answers.tuples, answers.tuple_number, answers.best, answers.worst, n, person
    )
    half_a = np.array(
        data.draw(st.lists(st.integers(0, 1), min_size=2 * m, max_size=2 * m)), dtype=np.int16
    ).reshape(m, 2)
    shown = np.isin(np.arange(n), answers.shown())
    unit = np.where(shown, np.cumsum(shown) - 1, -1)

    left_out = correlations_without(answers, half_a, unit, with_people=True)

    def mean(is_counted: np.ndarray, items: np.ndarray, *, of_items: np.ndarray) -> float:
        """Without the judgments that are not counted, of `of_items`; without other items."""
        values = []
        every = np.ones(m, dtype=bool)
        for is_in_a in half_a.T == 1:
            a, b = (
                np.where(
                    of_items, scores(answers, half & is_counted), scores(answers, half & every)
                )
                for half in (is_in_a, ~is_in_a)
            )
            values.append(float(spearman(a[items], b[items])))
        known = [value for value in values if not np.isnan(value)]
        return float(np.mean(known)) if known else np.nan

    every, all_items = np.ones(m, dtype=bool), np.ones(n, dtype=bool)
    assert left_out.value == pytest.approx(mean(every, all_items, of_items=all_items), nan_ok=True)
    for g in range(unit.max() + 1):
        expected = mean(every, unit != g, of_items=all_items)
        assert left_out.units[g] == pytest.approx(expected, nan_ok=True)
    assert left_out.people is not None
    assert left_out.blocks is not None
    for p, name in enumerate(np.unique(person)):
        expected = mean(person != name, all_items, of_items=all_items)
        assert left_out.people[p] == pytest.approx(expected, nan_ok=True)
        for g in range(unit.max() + 1):
            expected = mean(person != name, all_items, of_items=unit == g)
            assert left_out.blocks[p, g] == pytest.approx(expected, nan_ok=True)


def test_halves_are_those_of_the_rule() -> None:
    answers = study(6, n_answers=5)

    in_order, half_a = drawn_halves(answers, n_splits=20, rng=np.random.default_rng(1))

    for is_in_a in half_a.T:
        in_a = np.bincount(in_order.tuple_number[is_in_a == 1], minlength=60)
        assert set(in_a.tolist()) == {2, 3}


@pytest.mark.parametrize(
    ("n_pools", "n_people", "over"),
    [
        (12, 30, "people and pools"),
        (12, 10, "pools"),
        (5, 30, "people and items"),
        (5, 3, "items"),
    ],
)
def test_it_lies_around_the_reliability_and_says_what_it_is_over(
    n_pools: int, n_people: int, over: str
) -> None:
    answers = study(n_pools, n_people=n_people)
    r = split_half(answers, rule="random", rng=np.random.default_rng(1)).spearman.mean

    interval = half_interval(
        answers, pool=pools_of(answers), n_splits=30, rng=np.random.default_rng(2)
    )

    assert interval.over == over
    assert -1 < interval.low < r < interval.high < 1
    assert (interval.note is None) == interval.is_over_people
    assert interval.n_people == n_people


def test_without_names_it_is_over_pools_only_and_narrower() -> None:
    answers = study(12)
    unnamed = BestWorst(
        answers.tuples, answers.tuple_number, answers.best, answers.worst, answers.n_items
    )

    named, alone = (
        half_interval(batch, pool=pools_of(batch), rng=np.random.default_rng(1))
        for batch in (answers, unnamed)
    )

    assert (alone.over, alone.n_people) == ("pools", None)
    assert alone.standard_error <= named.standard_error


def test_very_many_are_left_out_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = study(40, n_people=80)
    one_by_one = half_interval(answers, pool=pools_of(answers), rng=np.random.default_rng(3))
    monkeypatch.setattr(module, "MAX_GROUPS", 20)

    grouped = half_interval(answers, pool=pools_of(answers), rng=np.random.default_rng(3))

    assert grouped.standard_error == pytest.approx(one_by_one.standard_error, rel=0.4)
    assert grouped.standard_error != one_by_one.standard_error
    assert grouped.n_people == 80


def test_there_is_no_interval_where_all_agree_wholly() -> None:
    tuples = dialogue_tuples(12, rng=np.random.default_rng(1))
    answers = oracle(tuples, np.random.default_rng(2).random(60), n_answers=4)

    interval = half_interval(answers, pool=pools_of(answers), rng=np.random.default_rng(3))

    assert np.isnan([interval.low, interval.high]).all()
    assert interval.reason == "the value is 1, the highest possible"


def test_too_few_items_and_no_answers_have_reasons() -> None:
    few = study(3)
    nothing = few.of_judgments(np.zeros(few.n_judgments, dtype=bool))

    reasons = [
        half_interval(answers, pool=pools_of(answers), rng=np.random.default_rng(1)).reason
        for answers in (few, nothing)
    ]

    assert reasons == [
        "it needs at least 6 pools or 20 items (here: 3 and 15)",
        "there are no answers",
    ]


def test_each_item_needs_a_pool() -> None:
    answers = study(6)

    with pytest.raises(ValueError, match="there are 30 items"):
        half_interval(answers, pool=np.zeros(10, dtype=np.int64), rng=np.random.default_rng(1))


def test_what_nobody_was_shown_yet_does_not_count() -> None:
    few = study(7, n_people=60)
    tuples = np.concatenate([few.tuples, few.tuples + 35])
    with_more = BestWorst(tuples, few.tuple_number, few.best, few.worst, 70, few.annotator)

    alone, interval = (
        half_interval(answers, pool=pools_of(answers), rng=np.random.default_rng(1))
        for answers in (few, with_more)
    )

    assert alone.is_over_people
    assert (interval.low, interval.high) == pytest.approx((alone.low, alone.high))
    assert interval.n_units == alone.n_units == 7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "cell"),
    [
        ("people differ (lognormal .6)", Cell(12, 30)),
        ("15 % random clickers", Cell(12, 30)),
        ("15 % random clickers", Cell(12, 8)),
        ("people alike (Gumbel)", Cell(6, 30)),
    ],
)
def test_it_holds_the_mean_of_other_studies(model: str, cell: Cell) -> None:
    row = coverage(STATISTICS["split-half"], MODELS[model], cell, n_studies=100)

    # Of 100 intervals that hold in .95 of all cases, 99.9 % of the time so many do.
    assert row.share >= 0.87
    assert row.n_without == 0
