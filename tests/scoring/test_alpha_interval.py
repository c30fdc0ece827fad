"""The interval of alpha: what it leaves out, what it holds, when there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.coverage.best_worst import MODELS, STATISTICS
from benchmarks.coverage.engine import Cell, coverage
from scoring import BestWorst, alpha
from scoring.best_worst.agreement import Coding, On
from scoring.best_worst.agreement_interval import alpha_interval
from scoring.best_worst.tuple_interval import Grouping, TupleJackknife, pairable_judgments
from tests.scoring.batches import (
    batches,
    dialogue_tuples,
    oracle,
    random_clicking,
    relabelled,
    with_people,
)

QUESTIONS: list[On] = ["best", "worst", "stacked", "joint"]
CODINGS: list[Coding] = ["slot", "item", "uniform"]


def clicked(n_pools: int, *, n_people: int, n_answers: int = 4, seed: int = 1) -> BestWorst:
    """Random answers to pools of five items."""
    rng = np.random.default_rng(seed)
    answers = random_clicking(dialogue_tuples(n_pools, rng=rng), n_answers, seed=seed)
    return with_people(answers, np.arange(answers.n_judgments) % n_people)


@pytest.mark.parametrize("on", QUESTIONS)
@pytest.mark.parametrize("coding", CODINGS)
def test_each_person_and_pool_is_left_out_in_turn(on: On, coding: Coding) -> None:
    answers = clicked(7, n_people=35, n_answers=2)
    assert answers.annotator is not None
    pool_of_answer = answers.tuples[answers.tuple_number, 0] // 5

    interval = alpha_interval(answers, on=on, coding=coding)

    def error(groups: np.ndarray) -> float:
        without = [
            alpha(answers.of_judgments(groups != group), on=on, coding=coding).value
            for group in np.unique(groups)
        ]
        return (len(without) - 1) * float(np.var(without))

    of_pools, of_people = error(pool_of_answer), error(answers.annotator)
    assert interval.standard_error**2 >= max(of_pools, of_people) * (1 - 1e-9)
    assert interval.standard_error**2 <= (of_pools + of_people) * (1 + 1e-9)
    unnamed = BestWorst(
        answers.tuples, answers.tuple_number, answers.best, answers.worst, answers.n_items
    )
    alone = alpha_interval(unnamed, on=on, coding=coding)
    assert alone.standard_error == pytest.approx(np.sqrt(of_pools))
    assert (interval.over, alone.over) == ("people and pools", "pools")
    assert (interval.n_units, interval.n_people, alone.df) == (7, 35, 6)


def test_of_few_pools_tuples_that_share_an_item_go_together() -> None:
    answers = clicked(5, n_people=3)
    without = []
    for t in range(answers.n_tuples):
        left = answers.of_judgments(answers.tuple_number != t)
        without.append(alpha(left, on="joint", coding="uniform").value)
    contributions = np.mean(without) - np.array(without)
    # Any two of a pool's tuples share an item: three of five and three of five.
    of_pools = contributions.reshape(5, 10).sum(axis=1)
    # Of five pools, a fifth of all pairs of tuples share one, as many as there are in the pools.
    together = float((of_pools**2).sum()) * 49 / 50 / (4 / 5)
    alone = 49 * float(np.var(without))

    interval = alpha_interval(answers, on="joint", coding="uniform")

    assert interval.over == "tuples"
    assert interval.n_units == 50
    assert interval.standard_error**2 == pytest.approx(max(together, alone))
    assert interval.df == pytest.approx(25 / 3 - 1)


def test_published_alphas_lie_within_their_intervals(published) -> None:
    interval = alpha_interval(published.answers, on="joint", coding="slot")

    assert interval.low < published.expected["alpha"]["joint slot"] < interval.high
    assert (interval.left_out, interval.n_units) == ("pools", 60)


@settings(max_examples=50, deadline=None)
@given(batches(), st.sampled_from(QUESTIONS), st.sampled_from(CODINGS), st.data())
def test_blind_to_labels_or_with_a_reason(
    answers: BestWorst, on: On, coding: Coding, data: st.DataObject
) -> None:
    new_number = np.array(data.draw(st.permutations(range(answers.n_items))))

    first, second = (
        alpha_interval(batch, on=on, coding=coding)
        for batch in (answers, relabelled(answers, new_number))
    )

    # Batches are small: there are never enough items.
    assert first.reason == second.reason
    assert np.isnan(first.low)
    if reason := alpha(answers, on=on, coding=coding).reason:
        assert first.reason == reason


@pytest.mark.parametrize("n_pools", [5, 8])
def test_it_does_not_depend_on_how_items_and_people_are_numbered(n_pools: int) -> None:
    answers = clicked(n_pools, n_people=30)
    rng = np.random.default_rng(5)
    other = relabelled(answers, rng.permutation(answers.n_items))
    in_order = rng.permutation(answers.n_judgments)
    people = rng.permutation(30)[np.arange(answers.n_judgments) % 30]
    other = with_people(other, people).of_judgments(in_order)

    first, second = (alpha_interval(a, on="best", coding="uniform") for a in (answers, other))

    # Which people are in one block depends on their numbers: it hardly changes the whole.
    assert second.standard_error == pytest.approx(first.standard_error, rel=0.3)
    assert second.n_units == first.n_units


def test_perfect_agreement_has_no_interval() -> None:
    tuples = dialogue_tuples(8, rng=np.random.default_rng(1))
    answers = oracle(tuples, np.random.default_rng(2).random(40), n_answers=3)

    interval = alpha_interval(answers, on="joint", coding="slot")

    assert interval.reason == "the value is 1, the highest possible"
    assert interval.as_dict()["low"] is None


def test_pools_can_be_given() -> None:
    answers = clicked(8, n_people=30)

    interval = alpha_interval(answers, on="best", coding="slot", pool=np.zeros(40, int))

    assert interval.left_out == "tuples"


def test_a_statistic_that_is_missing_without_somebody_has_no_interval() -> None:
    answers = clicked(8, n_people=30)

    def without(groups: Grouping) -> np.ndarray:
        return np.where(np.arange(groups.n_groups) == 2, np.nan, 0.5)

    interval = TupleJackknife(pairable_judgments(answers), pool=None).interval(0.5, without)

    assert interval.reason == "without some of the people and pools the value is undefined"


def test_unknown_variants_are_refused() -> None:
    with pytest.raises(ValueError, match="on must be one of"):
        alpha_interval(clicked(2, n_people=2), on="both", coding="slot")
    with pytest.raises(ValueError, match="coding must be one of"):
        alpha_interval(clicked(2, n_people=2), on="best", coding="slots")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "cell"),
    [
        ("people differ (lognormal .6)", Cell(60, 30)),
        ("15 % random clickers", Cell(12, 30)),
        ("two camps (30 %)", Cell(12, 8)),
        ("people alike (Gumbel)", Cell(1, 30, 60, 4)),
    ],
)
def test_it_holds_the_mean_of_other_studies(model: str, cell: Cell) -> None:
    row = coverage(STATISTICS["alpha"], MODELS[model], cell, n_studies=200)

    # Of 200 intervals that hold in .95 of all cases, 99.9 % of the time between these do.
    assert 0.89 <= row.share <= 0.995
    assert row.n_without == 0
