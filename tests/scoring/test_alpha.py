import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoring import BestWorst, alpha
from scoring.best_worst.agreement import Coding, On
from tests.scoring.batches import (
    batches,
    dialogue_tuples,
    oracle,
    random_clicking,
    relabelled,
    stored_otherwise,
    swapped,
)

QUESTIONS: list[On] = ["best", "worst", "stacked", "joint"]
CODINGS: list[Coding] = ["slot", "item", "uniform"]


def lopsided() -> BestWorst:
    """Tuples answered three times, twice, once and never.

    Best slots (0, 0, 1), (1, 1), (2); worst slots (2, 1, 2), (0, 2), (0).
    """
    tuples = np.array([[0, 1, 2], [3, 1, 4], [4, 0, 2], [2, 3, 4]])
    tuple_number = np.array([0, 0, 0, 1, 1, 2])
    best = np.array([0, 0, 1, 1, 1, 2])
    worst = np.array([2, 1, 2, 3, 4, 4])
    return BestWorst(tuples, tuple_number, best, worst, n_items=5)


@pytest.mark.parametrize(
    ("on", "coding", "by_hand"),
    [
        # Five values pair, the sixth drops out. Observed disagreement: of the first tuple's six
        # ordered pairs four disagree, / (3 - 1) = 2; of the second's none: 2 / 5 = .4.
        # Slots 0, 1: two and three values: (2 x 3 + 3 x 2) / (5 x 4) = .6
        ("best", "slot", 1 - 0.4 / 0.6),
        # Items 0 and 1, twice and three times: as it happens the same
        ("best", "item", 1 - 0.4 / 0.6),
        ("best", "uniform", 1 - 0.4 / (2 / 3)),
        # Worst (2, 1, 2), (0, 2): observed (2 + 2) / 5 = .8; slots 0, 1, 2 once, once, three
        # times: (1 x 4 + 1 x 4 + 3 x 2) / 20 = .7
        ("worst", "slot", 1 - 0.8 / 0.7),
        # items 2, 1, 2, 3, 4: twice 2: (2 x 3 + 3 x 4) / 20 = .9
        ("worst", "item", 1 - 0.8 / 0.9),
        # Ten values; observed (2 + 0 + 2 + 2) / 10 = .6; slots 0, 1, 2: 3, 4, 3:
        # (3 x 7 + 4 x 6 + 3 x 7) / 90 = 66 / 90
        ("stacked", "slot", 1 - 0.6 / (66 / 90)),
        # Pairs (0,2), (0,1), (1,2); (1,0), (1,2): all of a tuple differ: 5 / 5 = 1;
        # (1,2) twice: (2 x 3 + 3 x 4) / 20 = .9
        ("joint", "slot", 1 - 1 / 0.9),
        ("joint", "uniform", 1 - 1 / (5 / 6)),
    ],
)
def test_by_hand(on: On, coding: Coding, by_hand: float) -> None:
    result = alpha(lopsided(), on=on, coding=coding)

    assert result.value == pytest.approx(by_hand, abs=1e-12)
    questions = 2 if on == "stacked" else 1
    assert (result.n_units, result.n_values) == (2 * questions, 5 * questions)
    # one tuple answered once, one never
    assert result.n_dropped == 2 * questions
    assert result.reason is None


@pytest.mark.parametrize("on", QUESTIONS)
@pytest.mark.parametrize("coding", ["slot", "item"])
def test_agrees_with_other_peoples_program(on: On, coding: Coding, published) -> None:
    result = alpha(published.answers, on=on, coding=coding)

    expected = published.expected["alpha"][f"{on} {coding}"]
    assert result.value == pytest.approx(expected, abs=1e-9)
    assert result.warning is None


@pytest.mark.parametrize(("on", "expected"), [("best", 0.732), ("worst", 0.797), ("joint", 0.653)])
def test_uniform_coding_of_the_same_data(on: On, expected: float, published) -> None:
    value = alpha(published.answers, on=on, coding="uniform").value

    assert value == pytest.approx(expected, abs=5e-4)
    # By the definition: mean pairwise agreement P of tuples with five answers each.
    if on != "joint":
        key = {"best": "BestItem", "worst": "WorstItem"}[on]
        agreement = published.expected["agreement"]["strong_agreement"][key]
        by_definition = 1 - (1 - agreement["mean_pairwise_agreement"]) / (2 / 3)
        assert value == pytest.approx(by_definition, abs=1e-12)


@pytest.mark.parametrize(("on", "slot"), [("best", 0.138), ("joint", 0.100)])
def test_an_order_that_goes_with_the_answers_spoils_slot_coding_only(
    on: On, slot: float, published
) -> None:
    drawn = published.answers
    by_similarity = np.argsort(-published.latent[drawn.tuples], axis=1)
    sorted_ = stored_otherwise(drawn, np.take_along_axis(drawn.tuples, by_similarity, axis=1))

    of_slots = alpha(sorted_, on=on, coding="slot")

    assert of_slots.value == pytest.approx(slot, abs=5e-4)
    assert "spread unevenly" in of_slots.warning
    assert of_slots.max_deviation > 0.5
    for coding in ("item", "uniform"):
        there = alpha(sorted_, on=on, coding=coding).value
        assert there == pytest.approx(alpha(drawn, on=on, coding=coding).value, abs=1e-12)


def test_slot_margins_by_hand() -> None:
    best = alpha(lopsided(), on="best", coding="slot")
    joint = alpha(lopsided(), on="joint", coding="slot")

    # Best slots 0, 0, 1, 1, 1: farthest off is slot 2, 0 instead of 1/3. Expected disagreement
    # 1 - .16 - .36 = .48, which is .28 below 2/3.
    np.testing.assert_allclose(best.slot_margins, [0.4, 0.6, 0])
    assert best.max_deviation == pytest.approx(1 / 3)
    assert "28 % below that of random choices" in best.warning
    np.testing.assert_allclose(joint.slot_margins, [[0, 0.2, 0.2], [0.2, 0, 0.4], [0, 0, 0]])
    assert joint.max_deviation == pytest.approx(0.4 - 1 / 6)


@pytest.mark.parametrize("coding", CODINGS)
def test_only_the_coding_that_needs_it_has_margins_or_a_chance_level(coding: Coding) -> None:
    result = alpha(lopsided(), on="best", coding=coding)

    assert (result.slot_margins is not None) == (coding == "slot")
    assert (result.chance_level is not None) == (coding == "item")


def test_chance_level_by_hand() -> None:
    # Two tuples without a common item, two answers each: every item is shown in two answers, and
    # each pair of values of one tuple is the same item with 1/3: of the 12 ordered pairs 4 lie
    # within a tuple, so the margins agree with 4/12 x 1/3 = 1/9.
    answers = random_clicking(np.array([[0, 1, 2], [3, 4, 5]]), 2, seed=1)

    best = alpha(answers, on="best", coding="item").chance_level
    joint = alpha(answers, on="joint", coding="item").chance_level
    # Stacked: 8 values, 56 ordered pairs, 24 within a tuple; 8 of these are the two picks of one
    # answer, which always differ; 16 agree with 1/3: 16 / 168.
    stacked = alpha(answers, on="stacked", coding="item").chance_level

    assert best == pytest.approx(1 - (2 / 3) / (8 / 9))
    assert joint == pytest.approx(1 - (5 / 6) / (1 - 4 / 12 / 6))
    assert stacked == pytest.approx(1 - (2 / 3) / (1 - 16 / 168))


def test_chance_level_of_tuples_that_share_a_pair_in_other_orders() -> None:
    # Of the 12 ordered pairs of the 4 joint values, 4 lie within a tuple and agree with 1/6; the
    # 8 across agree only on (0, 1) or on (1, 0), each with 1/6 x 1/6.
    answers = random_clicking(np.array([[0, 1, 2], [1, 0, 3]]), 2, seed=1)

    level = alpha(answers, on="joint", coding="item").chance_level

    assert level == pytest.approx(1 - (5 / 6) / (1 - (4 / 6 + 8 * 2 / 36) / 12))


@pytest.mark.parametrize(("on", "level"), [("best", 0.33), ("worst", 0.33), ("joint", 0.17)])
def test_chance_level_of_the_published_design(on: On, level: float, published) -> None:
    result = alpha(published.answers, on=on, coding="item")

    assert result.chance_level == pytest.approx(level, abs=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize("on", QUESTIONS)
def test_item_alpha_of_random_clicking_is_at_its_chance_level(on: On) -> None:
    # Lopsided: few items, overlapping tuples, 0 to 6 answers.
    tuples = np.array([[0, 1, 2], [2, 1, 3], [0, 3, 1], [4, 5, 6], [6, 5, 1], [2, 7, 0]])
    n_answers = np.array([6, 1, 2, 5, 0, 3])
    results = [
        alpha(random_clicking(tuples, n_answers, seed=seed), on=on, coding="item")
        for seed in range(1500)
    ]

    values = np.array([result.value for result in results])
    # The mean of a ratio is not the ratio of the means; here that is worth up to .02.
    assert values.mean() == pytest.approx(results[0].chance_level, abs=0.03)
    assert len({result.chance_level for result in results}) == 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("on", QUESTIONS)
def test_random_clicking_has_no_agreement_but_by_items(seed: int, on: On) -> None:
    tuples = dialogue_tuples(60, rng=np.random.default_rng(seed))
    answers = random_clicking(tuples, 5, seed=seed)

    by_slot, by_item, uniform = (alpha(answers, on=on, coding=coding) for coding in CODINGS)

    assert abs(by_slot.value) < 0.05
    assert abs(uniform.value) < 0.05
    assert by_item.value == pytest.approx(by_item.chance_level, abs=0.05)
    assert by_slot.warning is None


@pytest.mark.slow
@given(batches(min_answers=2), st.sampled_from(QUESTIONS), st.sampled_from(CODINGS))
def test_perfect_agreement_is_one_where_margins_vary(
    answers: BestWorst, on: On, coding: Coding
) -> None:
    latent = np.random.default_rng(1).random(answers.n_items)
    unanimous = oracle(answers.tuples, latent, n_answers=3)

    result = alpha(unanimous, on=on, coding=coding)

    assert result.value == 1 or "all values are equal" in result.reason


@pytest.mark.slow
@given(batches(), st.sampled_from(CODINGS))
def test_swapping_the_questions_swaps_their_alphas(answers: BestWorst, coding: Coding) -> None:
    for on, opposite in (("best", "worst"), ("stacked", "stacked"), ("joint", "joint")):
        there = alpha(answers, on=on, coding=coding)
        back = alpha(swapped(answers), on=opposite, coding=coding)
        np.testing.assert_allclose(there.value, back.value, atol=1e-12)


@given(batches(), st.sampled_from(QUESTIONS), st.sampled_from(CODINGS), st.data())
def test_relabelling_the_items_changes_nothing(
    answers: BestWorst, on: On, coding: Coding, data: st.DataObject
) -> None:
    new_number = np.array(data.draw(st.permutations(range(answers.n_items))))

    one = alpha(answers, on=on, coding=coding)
    other = alpha(relabelled(answers, new_number), on=on, coding=coding)

    np.testing.assert_allclose(one.value, other.value, atol=1e-12)
    if coding == "item":
        np.testing.assert_allclose(one.chance_level, other.chance_level, atol=1e-12)


@given(batches(), st.sampled_from(QUESTIONS), st.data())
def test_stored_orders_matter_to_slot_coding_only(
    answers: BestWorst, on: On, data: st.DataObject
) -> None:
    slots = data.draw(st.permutations(range(answers.tuple_size)))
    renumbered = stored_otherwise(answers, answers.tuples[:, slots])
    seed = data.draw(st.integers(0, 99))
    shuffled = stored_otherwise(
        answers, np.random.default_rng(seed).permuted(answers.tuples, axis=1)
    )

    for coding in ("item", "uniform"):
        one, other = (alpha(batch, on=on, coding=coding) for batch in (answers, shuffled))
        np.testing.assert_allclose(one.value, other.value, atol=1e-12)
    # The same renumbering of the slots in every tuple only renames the categories.
    one, other = (alpha(batch, on=on, coding="slot") for batch in (answers, renumbered))
    np.testing.assert_allclose(one.value, other.value, atol=1e-12)


@given(batches(), st.sampled_from(QUESTIONS), st.sampled_from(CODINGS))
def test_alpha_is_at_most_one_or_has_a_reason(answers: BestWorst, on: On, coding: Coding) -> None:
    result = alpha(answers, on=on, coding=coding)

    assert np.isnan(result.value) == (result.reason is not None)
    assert np.isnan(result.value) or result.value <= 1
    questions = 2 if on == "stacked" else 1
    assert result.n_units + result.n_dropped == questions * answers.n_tuples


@pytest.mark.slow
@given(batches(), st.sampled_from(QUESTIONS), st.sampled_from(CODINGS))
def test_tuples_answered_once_add_nothing(answers: BestWorst, on: On, coding: Coding) -> None:
    assume(answers.n_judgments > 0)
    repeated = answers.answers_per_tuple() >= 2

    whole = alpha(answers, on=on, coding=coding)
    without = alpha(answers.of_tuples(repeated), on=on, coding=coding)

    assert whole.n_values == without.n_values
    np.testing.assert_allclose(whole.value, without.value, atol=1e-12)


def test_equal_values_have_no_alpha_but_perfect_uniform_agreement() -> None:
    answers = oracle(np.array([[2, 0, 1]]), np.array([3.0, 2.0, 1.0]), n_answers=4)

    by_slot, by_item, uniform = (alpha(answers, on="best", coding=coding) for coding in CODINGS)

    reason = "all values are equal, so the disagreement expected by chance is 0"
    assert np.isnan(by_slot.value)
    assert by_slot.reason == by_item.reason == reason
    assert by_item.chance_level == pytest.approx(0)
    assert uniform.value == 1


@pytest.mark.parametrize("on", QUESTIONS)
@pytest.mark.parametrize("coding", CODINGS)
def test_without_two_answers_to_a_tuple_there_is_no_alpha(on: On, coding: Coding) -> None:
    single = random_clicking(np.array([[0, 1, 2], [1, 2, 3]]), 1, seed=1)
    none = single.of_judgments(np.zeros(2, dtype=bool))

    for answers, reason in ((single, "no tuple has two answers"), (none, "there are no answ")):
        result = alpha(answers, on=on, coding=coding)
        assert np.isnan(result.value)
        assert result.reason.startswith(reason)
        assert (result.n_units, result.n_values) == (0, 0)
        assert result.n_dropped == (4 if on == "stacked" else 2)
        assert result.as_dict()["alpha"] is None


def test_pairs_of_items_agree_on_both_or_neither() -> None:
    tuples = np.array([[0, 1], [2, 1], [2, 0]])
    answers = random_clicking(tuples, 4, seed=3)

    best, joint = (alpha(answers, on=on, coding="uniform").value for on in ("best", "joint"))

    assert best == pytest.approx(joint)


def test_unknown_variants_are_refused() -> None:
    with pytest.raises(
        ValueError, match="on must be one of best, worst, stacked, joint, not 'both'"
    ):
        alpha(lopsided(), on="both", coding="slot")
    with pytest.raises(ValueError, match="coding must be one of slot, item, uniform, not 'id'"):
        alpha(lopsided(), on="best", coding="id")
