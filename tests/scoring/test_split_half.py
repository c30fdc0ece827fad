from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from scoring import BestWorst, counting_scores, split_half
from scoring.best_worst import half_draws, reliability
from scoring.best_worst import halves as of_halves
from scoring.best_worst.half_draws import Rule
from scoring.best_worst.halves import MIN_ITEMS, scores_of_halves
from tests.scoring.batches import (
    batches,
    dialogue_tuples,
    oracle,
    random_clicking,
    relabelled,
    swapped,
)

RULES: list[Rule] = ["random", "fixed"]


def lopsided() -> BestWorst:
    """Four tuples of five items with 2, 3, 3 and 5 answers that differ."""
    tuples = np.array([[0, 1, 2], [2, 3, 0], [4, 1, 3], [0, 4, 3]])
    judgments = [
        *[(0, 0, 1), (0, 1, 2)],
        *[(1, 2, 3), (1, 0, 3), (1, 0, 2)],
        *[(2, 4, 3), (2, 1, 3), (2, 4, 1)],
        *[(3, 4, 3), (3, 0, 3), (3, 4, 0), (3, 4, 3), (3, 3, 0)],
    ]
    tuple_number, best, worst = np.array(judgments).T
    return BestWorst(tuples, tuple_number, best, worst, n_items=5)


def halves(answers: BestWorst, rule: Rule) -> Iterator[tuple[float, np.ndarray]]:
    """Every possible half A with its probability: the definition, in plain loops."""
    choices = []
    for number, n in enumerate(answers.answers_per_tuple()):
        rows = np.flatnonzero(answers.tuple_number == number)
        sizes = {n // 2, n - n // 2} if rule == "random" else {n // 2}
        choices.append(
            [
                (1 / len(sizes) / len(list(combinations(rows, size))), half)
                for size in sizes
                for half in combinations(rows, size)
            ]
        )
    for parts in product(*choices):
        chance = np.prod([p for p, _ in parts])
        yield float(chance), np.array([row for _, half in parts for row in half], dtype=int)


@pytest.mark.parametrize("rule", RULES)
def test_by_hand(rule: Rule) -> None:
    # Tuple {0, 1, 2}: answers (best 0, worst 2) and (best 1, worst 2); one goes to each half.
    # Scores (1, 0, -1) and (0, 1, -1): deviations the same, products 0 + 0 + 1, squares 2 and 2.
    # Without ties the ranks less 2 are those scores.
    answers = BestWorst(
        np.array([[0, 1, 2]]), np.array([0, 0]), np.array([0, 1]), np.array([2, 2]), n_items=3
    )

    result = split_half(answers, rule=rule, n_splits=7, rng=np.random.default_rng(1))

    np.testing.assert_allclose(result.pearson.values, np.full(7, 0.5))
    np.testing.assert_allclose(result.spearman.values, np.full(7, 0.5))
    assert (result.pearson.mean, result.pearson.sd) == pytest.approx((0.5, 0))
    assert (result.n_items, result.n_splits, result.reason, result.note) == (3, 7, None, None)


@cache
def correlations_of_all_halves(rule: Rule) -> dict[str, np.ndarray]:
    """By name, rows of the chance of two halves and how their scores correlate."""
    answers = lopsided()
    by_enumeration: dict[str, list[tuple[float, float]]] = {"pearson": [], "spearman": []}
    for chance, in_a in halves(answers, rule):
        is_in_a = np.isin(np.arange(answers.n_judgments), in_a)
        a, b = (
            counting_scores(part.shown(), part.best, part.worst, n_items=5)
            for part in (answers.of_judgments(is_in_a), answers.of_judgments(~is_in_a))
        )
        by_enumeration["pearson"].append((chance, scipy.stats.pearsonr(a, b).statistic))
        by_enumeration["spearman"].append((chance, scipy.stats.spearmanr(a, b).statistic))
    return {name: np.array(rows) for name, rows in by_enumeration.items()}


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("cells_at_once", [of_halves.CELLS_AT_ONCE, 100])
# All halves of a tuple listed, none, and those of the shorter ones.
@pytest.mark.parametrize("most_listed", [half_draws.MAX_LISTED, 0, 2])
def test_the_mean_is_that_of_all_possible_splits(
    rule: Rule, cells_at_once: int, most_listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_halves, "CELLS_AT_ONCE", cells_at_once)
    monkeypatch.setattr(half_draws, "MAX_LISTED", most_listed)

    result = split_half(lopsided(), rule=rule, n_splits=4000, rng=np.random.default_rng(3))

    for name, over_splits in (("pearson", result.pearson), ("spearman", result.spearman)):
        chances, values = correlations_of_all_halves(rule)[name].T
        assert chances.sum() == pytest.approx(1)
        mean = chances @ values
        sd = np.sqrt(chances @ (values - mean) ** 2)
        assert over_splits.mean == pytest.approx(mean, abs=4 * sd / np.sqrt(4000))
        assert over_splits.sd == pytest.approx(sd, rel=0.1)
        # Only correlations of real splits occur.
        assert set(over_splits.values.round(9)) <= set(values.round(9))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("most_listed", [half_draws.MAX_LISTED, 0, 3])
def test_every_half_of_a_tuple_is_drawn_as_often_as_any_other(
    rule: Rule, most_listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_answers = np.array([3, 1, 4, 0, 6, 5, 2, 3, 4])
    tuples = np.array(list(combinations(range(5), 3)))[: len(n_answers)]
    answers = random_clicking(tuples, n_answers, seed=1)
    monkeypatch.setattr(half_draws, "MAX_LISTED", most_listed)

    in_order, draw = half_draws.draw_within_tuples(answers, rule)
    half_a = np.full((answers.n_judgments, 20_000), -1, dtype=np.int32)
    draw(half_a, np.random.default_rng(5))

    drawn = {}
    for number in np.flatnonzero(n_answers).tolist():
        n = n_answers[number]
        sizes = {n // 2, n - n // 2} if rule == "random" else {n // 2}
        possible = [half for size in sizes for half in combinations(range(n), size)]
        codes = [sum(2**place for place in half) for half in possible]
        of_tuple = half_a[in_order.tuple_number == number]
        drawn[number] = 2 ** np.arange(n) @ of_tuple
        assert set(of_tuple.ravel().tolist()) <= {0, 1}
        assert set(drawn[number].tolist()) == set(codes)
        # An odd tuple has as many halves of one size as of the other, so all are alike likely.
        counts = np.bincount(drawn[number])[codes]
        assert len(codes) == 1 or scipy.stats.chisquare(counts).pvalue > 0.001
    # What is drawn from one tuple says nothing about another.
    together = scipy.stats.contingency.crosstab(drawn[0], drawn[2]).count
    assert scipy.stats.chi2_contingency(together).pvalue > 0.001


def test_tuples_with_many_answers_are_halved_exactly() -> None:
    n_answers = np.array([15, 2, 40, 16, 14, 16])
    tuples = np.array(list(combinations(range(5), 3)))[: len(n_answers)]
    answers = random_clicking(tuples, n_answers, seed=1)

    in_order, draw = half_draws.draw_within_tuples(answers, "random")
    half_a = np.full((answers.n_judgments, 4_000), -1, dtype=np.int32)
    draw(half_a, np.random.default_rng(5))

    for number, n in enumerate(n_answers.tolist()):
        of_tuple = half_a[in_order.tuple_number == number]
        assert set(of_tuple.sum(axis=0).tolist()) == {n // 2, n - n // 2}
        # Each answer is in half A in half of the splits: 4 standard errors of 4,000.
        np.testing.assert_allclose(of_tuple.mean(axis=1), 0.5, atol=4 * 0.5 / np.sqrt(4_000))


def test_items_can_be_shown_very_often() -> None:
    # Each item 36,000 times in a half. All answers to a tuple are alike: both score as the whole.
    tuples = np.array(list(combinations(range(5), 3)))
    answers = oracle(tuples, np.array([0.9, 0.1, 0.5, 0.7, 0.2]), n_answers=12_000)
    scores = counting_scores(answers.shown(), answers.best, answers.worst, n_items=5)

    for rule in RULES:
        drawn = of_halves.scores_of_halves(
            answers, rule=rule, n_splits=3, rng=np.random.default_rng(1)
        )
        for a, b in drawn:
            np.testing.assert_allclose(a, np.broadcast_to(scores, a.shape))
            np.testing.assert_allclose(b, np.broadcast_to(scores, b.shape))


@pytest.mark.parametrize("rule", RULES)
def test_agrees_with_other_peoples_program(rule: Rule, published) -> None:
    n_splits = 1000

    result = split_half(
        published.answers, rule=rule, n_splits=n_splits, rng=np.random.default_rng(2)
    )

    for name, over_splits in (("spearman", result.spearman), ("pearson", result.pearson)):
        expected = published.expected["split_half"][rule][name]
        error = expected["sd_of_one_split"] / np.sqrt(n_splits)
        assert over_splits.mean == pytest.approx(expected["mean"], abs=4 * error)
        assert over_splits.sd == pytest.approx(expected["sd_of_one_split"], rel=0.15)
    assert result.n_items == 300


def test_the_two_rules_differ_systematically(published) -> None:
    random, fixed = (
        split_half(published.answers, rule=rule, rng=np.random.default_rng(4)) for rule in RULES
    )

    # By hand of the published figures: .9723 - .9681 = .0042, some 13 standard errors of 100.
    assert fixed.spearman.mean - random.spearman.mean > 0.002


def test_figures_over_splits_are_of_the_splits() -> None:
    over_splits = reliability.OverSplits(np.array([0.1, np.nan, 0.4, 0.2, 0.7]))

    # mean of (.1, .2, .4, .7) = .35; squares of deviations .0625 + .0225 + .0025 + .1225 = .21
    assert over_splits.mean == pytest.approx(0.35)
    assert over_splits.sd == pytest.approx(np.sqrt(0.21 / 3))
    # the percentile .025 lies .075 of the way from the first to the second, .975 alike
    assert over_splits.low == pytest.approx(0.1 + 0.075 * 0.1)
    assert over_splits.high == pytest.approx(0.7 - 0.075 * 0.3)
    assert over_splits.n_undefined == 1


def test_one_split_has_no_spread() -> None:
    result = split_half(lopsided(), rule="random", n_splits=1, rng=np.random.default_rng(1))

    assert np.isnan(result.pearson.sd)
    assert result.as_dict()["pearson"]["sd"] is None


def test_the_generator_alone_decides_on_the_splits() -> None:
    one, same, other = (
        split_half(lopsided(), rule="random", rng=np.random.default_rng(seed))
        for seed in (1, 1, 2)
    )

    np.testing.assert_array_equal(one.pearson.values, same.pearson.values)
    assert (one.pearson.values != other.pearson.values).any()


def test_spearman_brown_steps_up_the_mean_pearson_of_the_random_rule() -> None:
    random, fixed = (
        split_half(lopsided(), rule=rule, rng=np.random.default_rng(1)) for rule in RULES
    )

    r = random.pearson.mean
    assert random.spearman_brown.value == pytest.approx(2 * r / (1 + r))
    assert np.isnan(fixed.spearman_brown.value)
    assert "the formula needs equal halves" in fixed.spearman_brown.reason


def test_spearman_brown_is_not_made_of_a_negative_correlation() -> None:
    # One of two opposite answers goes to each half: r = -1, where the formula has its pole.
    answers = BestWorst(
        np.array([[0, 1, 2]]), np.array([0, 0]), np.array([0, 2]), np.array([2, 0]), n_items=3
    )

    result = split_half(answers, rule="random", rng=np.random.default_rng(1))

    assert result.pearson.mean == pytest.approx(-1)
    assert np.isnan(result.spearman_brown.value)
    assert "correlate negatively (-1.000)" in result.spearman_brown.reason


def test_spearman_brown_is_not_made_of_a_slightly_negative_correlation_either() -> None:
    # Each tuple scores (1, 0, 0, -1) in one half and (-1, 1, 0, 0) in the other: with both tuples
    # products -2, squares 4 and 4, so r = -1/2 when the same answers fall together. When they do
    # not, the halves only change places in one tuple, which leaves the products and squares.
    tuples = np.array([[0, 1, 2, 3], [4, 5, 6, 7]])
    answers = BestWorst(
        tuples,
        np.array([0, 0, 1, 1]),
        np.array([0, 1, 4, 5]),
        np.array([3, 0, 7, 4]),
        n_items=8,
    )

    result = split_half(answers, rule="random", rng=np.random.default_rng(1))

    assert result.pearson.mean == pytest.approx(-0.5)
    assert np.isnan(result.spearman_brown.value)
    assert "correlate negatively (-0.500)" in result.spearman_brown.reason


@pytest.mark.parametrize(
    ("r", "is_defined"), [(-0.3, False), (-1e-9, False), (0, True), (1, True)]
)
def test_spearman_brown_is_defined_from_zero_on(r: float, is_defined: bool) -> None:
    stepped = reliability._spearman_brown(reliability.OverSplits(np.array([r])), None)

    assert (stepped.reason is None) == is_defined
    assert np.isfinite(stepped.value) == is_defined


@pytest.mark.parametrize("n_answers", [3, 4, 5, 6, 7])
def test_odd_numbers_keep_complete_agreement_below_one_and_the_note_says_so(
    n_answers: int,
) -> None:
    tuples = dialogue_tuples(60, rng=np.random.default_rng(1))
    latent = np.random.default_rng(2).random(300)
    answers = oracle(tuples, latent, n_answers=n_answers)

    random, fixed = (
        split_half(answers, rule=rule, rng=np.random.default_rng(1)) for rule in RULES
    )

    is_odd = n_answers % 2 == 1
    assert random.spearman.mean == pytest.approx(0.956 if is_odd else 1, abs=0.001)
    assert fixed.spearman.mean == pytest.approx(1)
    assert fixed.note is None
    if is_odd:
        assert random.note.startswith("Every tuple has an odd number of answers")
    else:
        assert random.note is None


def test_some_odd_numbers_of_answers_are_counted() -> None:
    # lopsided() has 2, 3, 3 and 5 answers.
    result = split_half(lopsided(), rule="random", rng=np.random.default_rng(1))

    assert result.note.values == {"n": 3, "tuples": 4}


def test_the_dictionary_defines_its_single_figures() -> None:
    figures = split_half(lopsided(), rule="random", rng=np.random.default_rng(1)).as_dict()

    definitions = figures["definitions"]
    assert {"n_items", *figures["spearman"]} == set(definitions)
    assert "not a confidence interval" in definitions["low"]
    assert "not a confidence interval" in definitions["high"]


@pytest.mark.slow
@given(batches(min_answers=2), st.sampled_from(RULES))
def test_correlations_are_bounded_and_blind_to_the_question(
    answers: BestWorst, rule: Rule
) -> None:
    there, back = (
        split_half(batch, rule=rule, n_splits=5, rng=np.random.default_rng(1))
        for batch in (answers, swapped(answers))
    )

    # Of two items there are no halves, so there is nothing to note of them.
    has_halves = len(np.unique(answers.shown())) >= MIN_ITEMS
    has_odd = rule == "random" and has_halves and bool((answers.answers_per_tuple() % 2).any())
    assert ("odd number of answers" in (there.note or "")) == has_odd
    assert there.note is None or has_odd or "eft out" in there.note
    for a, b in ((there.pearson, back.pearson), (there.spearman, back.spearman)):
        np.testing.assert_allclose(a.values, b.values, atol=1e-12)
        assert (np.isnan(a.values) | (np.abs(a.values) <= 1)).all()


@pytest.mark.slow
@given(batches(), st.sampled_from(RULES), st.data())
def test_relabelling_the_items_changes_nothing(
    answers: BestWorst, rule: Rule, data: st.DataObject
) -> None:
    new_number = np.array(data.draw(st.permutations(range(answers.n_items))))

    one, other = (
        split_half(batch, rule=rule, n_splits=5, rng=np.random.default_rng(1))
        for batch in (answers, relabelled(answers, new_number))
    )

    np.testing.assert_allclose(one.pearson.values, other.pearson.values, atol=1e-12)
    np.testing.assert_allclose(one.spearman.values, other.spearman.values, atol=1e-12)
    assert one.n_items == other.n_items
    assert one.reason == other.reason


@pytest.mark.slow
@given(batches(), st.sampled_from(RULES))
def test_without_a_figure_there_is_a_reason(answers: BestWorst, rule: Rule) -> None:
    result = split_half(answers, rule=rule, n_splits=5, rng=np.random.default_rng(1))

    assert (result.reason is None) == np.isfinite(result.pearson.mean)
    assert np.isfinite(result.pearson.mean) == np.isfinite(result.spearman.mean)


@pytest.mark.slow
@given(batches(min_answers=2), st.sampled_from(RULES))
def test_unanimous_answers_correlate_perfectly(answers: BestWorst, rule: Rule) -> None:
    latent = np.arange(answers.n_items)[::-1] ** 1.5
    unanimous = oracle(answers.tuples, latent, n_answers=4)
    assume(unanimous.n_tuples > 1)

    result = split_half(unanimous, rule=rule, n_splits=3, rng=np.random.default_rng(1))

    np.testing.assert_allclose(result.pearson.values, 1)
    np.testing.assert_allclose(result.spearman.values, 1)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rule", RULES)
def test_random_clicking_scores_like_random_clicking(seed: int, rule: Rule) -> None:
    tuples = dialogue_tuples(60, rng=np.random.default_rng(seed))
    answers = random_clicking(tuples, 5, seed=seed)

    result = split_half(answers, rule=rule, rng=np.random.default_rng(seed))

    assert abs(result.spearman.mean) < 0.2
    assert abs(result.pearson.mean) < 0.2


def test_no_judgments_have_no_halves() -> None:
    answers = lopsided().of_judgments(np.zeros(13, dtype=bool))

    result = split_half(answers, rule="random", n_splits=3, rng=np.random.default_rng(1))

    assert result.reason == "there are no answers"
    assert np.isnan(result.spearman.values).tolist() == [True] * 3
    assert result.n_items == 0
    assert result.spearman_brown.reason == "there is no correlation for the Spearman-Brown formula"


def test_single_answers_leave_the_fixed_rule_without_a_half() -> None:
    answers = random_clicking(np.array([[0, 1, 2], [1, 2, 3], [0, 2, 3]]), 1, seed=1)

    result = split_half(answers, rule="fixed", rng=np.random.default_rng(1))

    assert result.reason == "no tuple has two answers, so half A of every tuple is empty"
    assert np.isnan(result.pearson.mean)


def test_single_answers_make_the_random_rule_split_tuples_and_say_so() -> None:
    tuples = dialogue_tuples(6, rng=np.random.default_rng(1))
    answers = oracle(tuples, np.random.default_rng(2).random(30), n_answers=1)

    result = split_half(answers, rule="random", rng=np.random.default_rng(1))

    assert result.reason is None
    assert 0.5 < result.pearson.mean < 1
    assert "No tuple was answered twice" in result.note
    # Some items lose all their tuples to one half.
    assert result.n_items < 30


def test_some_single_answers_are_noted() -> None:
    tuples = np.array([[0, 1, 2], [2, 3, 0], [1, 2, 3]])
    answers = random_clicking(tuples, np.array([4, 1, 0]), seed=1)

    notes = [split_half(answers, rule=r, rng=np.random.default_rng(1)).note for r in RULES]

    assert notes[0].startswith("1 of 2 tuples has only one answer, which goes to a random half.")
    assert notes[1].startswith("1 of 2 tuples has only one answer, which goes to half B.")


def test_equal_scores_cannot_be_correlated() -> None:
    # Of three items each beats the next, so that every score is 0.
    ring = np.array([[0, 1], [1, 2], [2, 0]])
    answers = BestWorst(
        ring, np.repeat(np.arange(3), 2), np.repeat(ring[:, 0], 2), np.repeat(ring[:, 1], 2), 3
    )

    result = split_half(answers, rule="random", rng=np.random.default_rng(1))

    assert result.reason == (
        "the scores of the halves cannot be correlated: all values of one of the two variables"
        " are equal"
    )
    assert np.isnan(result.pearson.mean)


def test_halves_without_a_common_item_cannot_be_correlated() -> None:
    answers = random_clicking(np.array([[0, 1], [2, 3]]), 1, seed=1)

    result = split_half(answers, rule="random", rng=np.random.default_rng(1))

    assert result.reason == (
        "the scores of the halves cannot be correlated: there are fewer than two pairs of values"
    )


def test_splits_without_a_correlation_are_left_out_and_counted() -> None:
    # The ring of equal scores with a contradiction more: a half without it, and with one answer
    # to each tuple, has no spread.
    tuples = np.array([[0, 1], [1, 2], [2, 0]])
    tuple_number = np.array([0, 0, 1, 1, 2, 2, 2])
    best = np.array([0, 0, 1, 1, 2, 2, 0])
    answers = BestWorst(tuples, tuple_number, best, np.array([1, 1, 2, 2, 0, 0, 2]), 3)

    result = split_half(answers, rule="random", n_splits=40, rng=np.random.default_rng(1))

    n_undefined = result.pearson.n_undefined
    assert 0 < n_undefined < 40
    assert result.reason is None
    assert np.isfinite(result.pearson.mean)
    assert f"Left out: {n_undefined} of 40 splits, because the scores of the halves" in result.note


def test_unknown_rules_and_no_splits_are_refused() -> None:
    with pytest.raises(
        ValueError,
        match="rule must be one of random, fixed, balanced, annotator, tuple, not 'odd'",
    ):
        split_half(lopsided(), rule="odd", rng=np.random.default_rng(1))
    with pytest.raises(ValueError, match="n_splits must be at least 1, not 0"):
        split_half(lopsided(), rule="fixed", n_splits=0, rng=np.random.default_rng(1))


def test_balanced_halves_of_complete_agreement_correlate_by_1() -> None:
    rng = np.random.default_rng(7)
    tuples, latent = dialogue_tuples(20, rng=rng), rng.normal(size=100)
    answers = oracle(tuples, latent, n_answers=5)

    by_tuple = split_half(answers, rule="balanced", n_splits=20, rng=np.random.default_rng(1))
    by_answer = split_half(answers, rule="random", n_splits=20, rng=np.random.default_rng(1))

    assert by_tuple.spearman.low == by_tuple.pearson.low == pytest.approx(1, abs=1e-12)
    assert by_tuple.spearman_brown.value == pytest.approx(1, abs=1e-12)
    assert by_answer.spearman.mean < 0.97


def test_balanced_halves_of_even_numbers_of_answers_are_the_random_ones() -> None:
    rng = np.random.default_rng(8)
    answers = random_clicking(dialogue_tuples(10, rng=rng), 4, seed=9)

    balanced, random = (
        split_half(answers, rule=rule, n_splits=20, rng=np.random.default_rng(1))
        for rule in ("balanced", "random")
    )

    np.testing.assert_allclose(balanced.pearson.values, random.pearson.values, atol=1e-12)


def test_balanced_halves_count_each_tuple_once_by_hand() -> None:
    # Item 0 is best in both answers to tuple 0, in one of three to tuple 1, and never worst. A
    # half with h of its n answers to tuple 1 gives it (1 + h / n) / 2, whatever n is.
    tuples = np.array([[0, 1, 2], [0, 3, 4]])
    answers = BestWorst(
        tuples, np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 3, 3]), np.array([1, 1, 4, 4, 4]), 5
    )
    seen = set()
    for a, b in scores_of_halves(
        answers, rule="balanced", n_splits=50, rng=np.random.default_rng(1)
    ):
        seen |= {*a[:, 0].tolist(), *b[:, 0].tolist()}

    assert sorted(seen) == [0.5, 0.75, 1.0]


def test_two_items_have_no_reliability() -> None:
    pair = np.array([[0, 1]] * 4)
    answers = BestWorst(
        pair[:1], np.zeros(4, dtype=int), np.array([0, 0, 0, 1]), np.array([1, 1, 1, 0]), 5
    )

    result = split_half(answers, rule="random", rng=np.random.default_rng(1))

    assert np.isnan(result.spearman.mean)
    assert "there are only 2 items" in str(result.reason)
