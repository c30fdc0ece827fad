"""Halves of people and of tuples, and the reliability that other numbers of answers would have."""

from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import BestWorst, by_group, counting_scores, split_half, summarise
from scoring.best_worst import halves as of_halves
from scoring.best_worst.half_draws import Rule
from scoring.best_worst.reliability import OverSplits, _spearman_brown, project
from tests.scoring.batches import batches, dialogue_tuples, oracle, random_clicking, with_people

WHOLE: list[Rule] = ["annotator", "tuple"]


def lopsided(n_people: int = 4) -> BestWorst:
    """Five tuples of five items, 14 answers of four (or five) people, who answer 1 to 5 each."""
    tuples = np.array([[0, 1, 2], [2, 3, 0], [4, 1, 3], [0, 4, 3], [1, 2, 4]])
    judgments = [
        *[(0, 0, 1, 7), (0, 1, 2, 3), (0, 0, 2, 5)],
        *[(1, 2, 3, 7), (1, 0, 3, 3), (1, 0, 2, 9)],
        *[(2, 4, 3, 7), (2, 1, 3, 3), (2, 4, 1, 5)],
        *[(3, 4, 3, 7), (3, 0, 3, 5), (3, 4, 0, 9)],
        *[(4, 4, 2, 5), (4, 2, 1, 11 if n_people == 5 else 9)],
    ]
    tuple_number, best, worst, people = np.array(judgments).T
    return BestWorst(tuples, tuple_number, best, worst, 5, people)


@pytest.mark.parametrize("rule", WHOLE)
@pytest.mark.parametrize("cells_at_once", [of_halves.CELLS_AT_ONCE, 100])
def test_the_mean_is_that_of_all_possible_halves(
    rule: Rule, cells_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = lopsided()
    group = answers.annotator if rule == "annotator" else answers.tuple_number
    names = np.unique(group)
    by_enumeration = []
    for chosen in combinations(names, len(names) // 2):
        is_in_a = np.isin(group, chosen)
        a, b = (
            counting_scores(part.shown(), part.best, part.worst, n_items=5)
            for part in (answers.of_judgments(is_in_a), answers.of_judgments(~is_in_a))
        )
        both = ~np.isnan(a + b)
        by_enumeration.append(
            (
                scipy.stats.pearsonr(a[both], b[both]).statistic,
                scipy.stats.spearmanr(a[both], b[both]).statistic,
            )
        )
    monkeypatch.setattr(of_halves, "CELLS_AT_ONCE", cells_at_once)

    result = split_half(answers, rule=rule, n_splits=1000, rng=np.random.default_rng(3))

    for over_splits, values in zip(
        (result.pearson, result.spearman), np.array(by_enumeration).T, strict=True
    ):
        assert over_splits.mean == pytest.approx(values.mean(), abs=4 * values.std() / 1000**0.5)
        # Every half that is possible occurs, and no other.
        assert set(over_splits.values.round(9)) == set(values.round(9))


def test_nobody_is_in_both_halves() -> None:
    # Two people who always disagree: their halves are opposite, whatever the draw.
    tuples = dialogue_tuples(3, rng=np.random.default_rng(1))
    one = oracle(tuples, np.arange(15.0), n_answers=1)
    both = BestWorst(
        tuples,
        np.tile(one.tuple_number, 2),
        np.concatenate([one.best, one.worst]),
        np.concatenate([one.worst, one.best]),
        15,
        np.repeat([8, 2], 30),
    )

    result = split_half(both, rule="annotator", n_splits=20, rng=np.random.default_rng(1))

    np.testing.assert_allclose(result.pearson.values, -1)
    assert "correlate negatively" in result.spearman_brown.reason


def test_people_who_agree_with_themselves_alone_are_seen_by_people_not_by_answers() -> None:
    # Each person answers every tuple twice alike, by a taste of their own: the answers of a tuple
    # halve into the same people, so the rule "random" calls taste reliable.
    rng = np.random.default_rng(4)
    tuples = dialogue_tuples(20, rng=rng)
    parts = [oracle(tuples, rng.random(100), n_answers=2) for _ in range(6)]
    answers = BestWorst(
        tuples,
        np.concatenate([part.tuple_number for part in parts]),
        np.concatenate([part.best for part in parts]),
        np.concatenate([part.worst for part in parts]),
        100,
        np.repeat(np.arange(6), 400),
    )

    by_answer, by_person = (
        split_half(answers, rule=rule, rng=np.random.default_rng(1)).pearson.mean
        for rule in ("random", "annotator")
    )

    assert by_answer > 0.3
    assert abs(by_person) < 0.2


@pytest.mark.parametrize("rule", WHOLE)
def test_random_clicking_scores_like_random_clicking(rule: Rule) -> None:
    tuples = dialogue_tuples(60, rng=np.random.default_rng(1))
    answers = random_clicking(tuples, 5, seed=1)
    people = np.random.default_rng(2).integers(0, 30, 3000)

    result = split_half(with_people(answers, people), rule=rule, rng=np.random.default_rng(1))

    assert abs(result.pearson.mean) < 0.2


def test_published_people_are_reliable(published) -> None:
    by_rule = {
        rule: split_half(published.answers, rule=rule, rng=np.random.default_rng(1))
        for rule in ("fixed", *WHOLE)
    }

    # The answers were drawn without tastes of people, but halves of people hold any number from 0
    # to 5 of a tuple's answers, which costs a little.
    fixed, people = by_rule["fixed"].pearson.mean, by_rule["annotator"].pearson.mean
    assert fixed - 0.03 < people < fixed
    # The other tuples of a dialogue compare an item with others: less alike than other answers.
    assert by_rule["tuple"].pearson.mean < people
    for rule in WHOLE:
        r = by_rule[rule].pearson.mean
        assert by_rule[rule].spearman_brown.value == pytest.approx(2 * r / (1 + r))


@settings(max_examples=40, deadline=None)
@given(batches(), st.sampled_from(WHOLE), st.integers(1, 4))
def test_bounded_or_with_a_reason(answers: BestWorst, rule: Rule, n_people: int) -> None:
    people = np.arange(answers.n_judgments) % n_people
    result = split_half(
        with_people(answers, people), rule=rule, n_splits=5, rng=np.random.default_rng(1)
    )

    assert (result.reason is None) == np.isfinite(result.pearson.mean)
    for values in (result.pearson.values, result.spearman.values):
        assert (np.isnan(values) | (np.abs(values) <= 1)).all()
    assert np.isnan(result.spearman_brown.value) == (result.spearman_brown.reason is not None)


def test_people_have_to_be_known() -> None:
    answers = random_clicking(np.array([[0, 1, 2]]), 4, seed=1)

    with pytest.raises(ValueError, match="needs to know who gave each answer"):
        split_half(answers, rule="annotator", rng=np.random.default_rng(1))


def test_one_person_or_one_tuple_cannot_be_halved() -> None:
    answers = with_people(
        random_clicking(np.array([[0, 1, 2], [1, 2, 3]]), [4, 0], seed=1), [3] * 4
    )

    reasons = [split_half(answers, rule=r, rng=np.random.default_rng(1)).reason for r in WHOLE]

    assert reasons == [
        "there is only one annotator, so there are no halves",
        "there is only one answered tuple, so there are no halves",
    ]


def test_nothing_is_stepped_up_from_unequal_halves() -> None:
    four, five = (
        split_half(lopsided(n), rule="annotator", rng=np.random.default_rng(1)).spearman_brown
        for n in (4, 5)
    )

    assert four.reason is None
    assert five.reason == "5 annotators split into 2 and 3, but the formula needs equal halves"


def test_spearman_brown_over_splits_is_that_of_each() -> None:
    stepped = _spearman_brown(OverSplits(np.array([0.5, 1, np.nan, 0])), None)

    np.testing.assert_allclose(stepped.over_splits.values, [2 / 3, 1, np.nan, 0])


def test_one_negative_split_leaves_no_spread_of_spearman_brown() -> None:
    stepped = _spearman_brown(OverSplits(np.array([0.5, -0.1])), None)

    assert stepped.value == pytest.approx(2 * 0.2 / 1.2)
    assert stepped.over_splits.n_undefined == 2


def test_projection_by_hand() -> None:
    # Four answers a tuple, so halves of two, with r = .6: to four answers 2 x .6 / 1.6 = .75; to
    # two .6 itself; to one .5 x .6 / (1 - .5 x .6) = 3/7; to eight 4 x .6 / (1 + 3 x .6) = 6/7.
    answers = random_clicking(np.array([[0, 1, 2], [1, 2, 3], [0, 1, 3]]), [4, 4, 0], seed=1)
    result = split_half(answers, rule="random", n_splits=2, rng=np.random.default_rng(1))
    result.pearson.values[:] = 0.5, 0.7
    object.__setattr__(result.spearman_brown, "reason", None)

    projection = project(answers, result, n_answers=[4, 2, 1, 8])

    assert projection.n_now == 4
    np.testing.assert_allclose(projection.values, [0.75, 0.6, 3 / 7, 6 / 7])


def test_projection_to_the_answers_there_are_is_spearman_brown(published) -> None:
    halves = split_half(published.answers, rule="random", rng=np.random.default_rng(1))

    projection = project(published.answers, halves, n_answers=[1, 2, 5, 10, 100])

    assert projection.values[2] == pytest.approx(halves.spearman_brown.value, abs=1e-12)
    assert (np.diff(projection.values) > 0).all()
    assert projection.values[-1] < 1
    assert projection.as_dict()["n_now"] == 5


def test_projection_foretells_fewer_answers() -> None:
    rng = np.random.default_rng(8)
    tuples = dialogue_tuples(60, rng=rng)
    tuple_number = np.repeat(np.arange(600), 8)
    utility = rng.normal(size=300)[tuples[tuple_number]] + rng.gumbel(size=(4800, 3))
    picks = np.take_along_axis(tuples[tuple_number], np.argsort(utility, axis=1), axis=1)
    eight = BestWorst(tuples, tuple_number, picks[:, 2], picks[:, 0], 300)
    four = eight.of_judgments(np.arange(4800) % 8 < 4)
    of_eight, of_four = (
        split_half(answers, rule="random", rng=np.random.default_rng(1))
        for answers in (eight, four)
    )

    projection = project(eight, of_eight, n_answers=[4])

    assert projection.values[0] == pytest.approx(of_four.spearman_brown.value, abs=0.02)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [("fixed", "are unequal if"), ("tuple", "splits the tuples, not the answers")],
)
def test_nothing_is_projected_from_other_halves(rule: Rule, reason: str) -> None:
    halves = split_half(lopsided(), rule=rule, rng=np.random.default_rng(1))

    projection = project(lopsided(), halves, n_answers=[3])

    assert reason in projection.reason
    assert np.isnan(projection.values).all()


def test_even_numbers_of_answers_make_halves_by_the_fixed_rule_too() -> None:
    tuples = dialogue_tuples(4, rng=np.random.default_rng(1))
    even = oracle(tuples, np.random.default_rng(2).normal(size=20), n_answers=4)

    halves = split_half(even, rule="fixed", rng=np.random.default_rng(1))

    assert halves.spearman_brown.value == pytest.approx(1)
    odd = even.of_judgments(np.arange(1, even.n_judgments))
    stepped = split_half(odd, rule="fixed", rng=np.random.default_rng(1)).spearman_brown
    assert "an odd number of answers" in stepped.reason


@pytest.mark.parametrize("n_answers", [[0], [-1], [np.nan], [np.inf]])
def test_only_some_answers_can_be_projected_to(n_answers: list[float]) -> None:
    halves = split_half(lopsided(), rule="random", rng=np.random.default_rng(1))

    with pytest.raises(ValueError, match="n_answers must be numbers above 0"):
        project(lopsided(), halves, n_answers=n_answers)


def test_a_summary_has_the_usual_rules_unless_asked_for_more() -> None:
    usual = summarise(lopsided(), rng=np.random.default_rng(1))
    more = summarise(
        lopsided(), rules=("random", "fixed", "annotator"), rng=np.random.default_rng(1)
    )
    of_groups = by_group(lopsided(), ["x"] * 5, rules=["tuple"], rng=np.random.default_rng(1))

    assert list(usual.split_half) == ["random", "fixed"]
    assert list(more.split_half) == ["random", "fixed", "annotator"]
    assert list(of_groups["x"].split_half) == ["tuple"]
    for rule in usual.split_half:
        np.testing.assert_array_equal(
            usual.split_half[rule].pearson.values, more.split_half[rule].pearson.values
        )
