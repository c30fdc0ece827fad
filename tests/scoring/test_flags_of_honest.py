"""Flags of people who do not click: another camp, less care, or a liking of one's own."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

import scoring
from benchmarks.coverage.best_worst import Model, People, drawn_items, drawn_study
from benchmarks.coverage.engine import Cell
from benchmarks.coverage.flags import HONEST_BEST_WORST, HONEST_RATINGS, KINDS, found
from scoring.best_worst.compliance import ImpliedPairs, credit_by_answer
from scoring.flags.findings import RARE
from scoring.flags.outlying import _p_together
from scoring.labels.labels import Labels
from scoring.rankings.orders import orders_of
from scoring.ratings.ratings import Ratings

STRICT, STRAIGHT = 3, 7


@pytest.mark.parametrize(
    ("kind", "model", "cell", "n_most"),
    [
        # By agreement with all others 12, 10 and 9 of these studies had a flag.
        ("best-worst", "two camps (30 %)", Cell(60, 8), 1),
        ("best-worst", "two camps (30 %)", Cell(60, 30), 1),
        ("best-worst", "two camps (half)", Cell(60, 8), 1),
        ("ratings", "two camps (30 %)", Cell(60, 30), 2),
    ],
)
def test_another_camp_is_not_flagged(kind: str, model: str, cell: Cell, n_most: int) -> None:
    of = found(KINDS[kind], KINDS[kind].models[model], cell, n_studies=20)

    assert of.kinds.get("agreement", 0) + of.kinds.get("correlation", 0) <= n_most


def test_somebody_much_noisier_who_surely_agrees_a_little_is_not_flagged() -> None:
    model, cell, n_flagged = Model(), Cell(60, 8), 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        people = People(np.array([0.3] * 7 + [1.6]), np.zeros(8, np.int64), np.zeros(8))
        study = drawn_study(model, drawn_items(model, cell, rng), people, rng)
        flags = KINDS["best-worst"].flags(study, rng).flags
        n_flagged += any(flag.kind == "agreement" for flag in flags)

    # By a quarter of the way from chance to the others, six.
    assert n_flagged <= 2


def test_very_careful_people_among_careless_ones_are_no_copies() -> None:
    kind = KINDS["labels"]

    of = found(
        kind, kind.models["people differ (lognormal .6, levels .8)"], Cell(60, 8), n_studies=40
    )

    # Half of the way from chance to all answers, 8 of these studies had one.
    assert of.kinds.get("copy", 0) <= 3


@pytest.mark.parametrize("model", ["noise differs (lognormal .6)", "levels differ (1.0)"])
def test_noisy_or_lenient_people_are_not_flagged_if_a_category_is_rare(model: str) -> None:
    of_everybody = replace(HONEST_RATINGS[model], ratings_per_item=18)

    of = found(KINDS["labels 10:90"], of_everybody, Cell(1, 18, 60), n_studies=20)

    # By agreement in pairs alone, eight or more of these studies had a flag.
    assert of.kinds.get("pairwise", 0) <= 2


def test_clickers_among_two_even_categories_are_found() -> None:
    of_everybody = replace(HONEST_RATINGS["people alike"], ratings_per_item=18)

    of = found(KINDS["labels 50:50"], of_everybody, Cell(1, 18, 60), n_studies=10, n_careless=2)

    assert of.careless >= 0.4
    assert of.accused == 0


def test_the_same_one_of_two_labels_again_is_not_flagged() -> None:
    rng = np.random.default_rng(2)
    true = rng.normal(size=60)
    label = np.digitize(true + 0.6 * rng.normal(size=(20, 60)), [0.5])
    label[0] = 0
    # A third label that somebody gave by mistake changes nothing.
    label[1, 0] = 2

    of_two = sixty_labels(label)

    assert not any(flag.kind == "same" for flag in of_two.flags)
    assert of_two.reasons["same"]
    # Among three categories it is.
    label = np.digitize(true + 0.6 * rng.normal(size=(20, 60)), [-0.5, 0.5])
    label[0] = 0
    assert {flag.annotator for flag in sixty_labels(label).flags if flag.kind == "same"} == {0}


def sixty_labels(label: np.ndarray) -> scoring.Flags:
    """Labels of three categories, of everybody (rows) for the same sixty units."""
    person, unit = (number.ravel() for number in np.indices(label.shape))
    chosen = label.reshape(-1, 1) == np.arange(3)
    return scoring.label_flags(Labels(person, unit, chosen, label.shape[0], label.shape[1]))


def test_two_who_nearly_always_give_the_middle_label_are_no_copies() -> None:
    rng = np.random.default_rng(3)
    true = rng.normal(size=60)
    seen = true + 0.6 * rng.normal(size=(20, 60))
    # Five people use a narrow part of the scale.
    seen[:5] *= 0.3
    label = np.digitize(seen, (-0.5, 0.5))

    assert not any(flag.kind == "copy" for flag in sixty_labels(label).flags)
    # Somebody who copies is found.
    label[19] = label[18]
    copies = {flag.annotator for flag in sixty_labels(label).flags if flag.kind == "copy"}
    assert copies == {18, 19}


def test_two_who_always_give_the_same_label_are_no_copies() -> None:
    rng = np.random.default_rng(3)
    label = np.digitize(rng.normal(size=60) + 0.6 * rng.normal(size=(20, 60)), (-0.5, 0.5))
    label[:2] = 1

    assert not any(flag.kind == "copy" for flag in sixty_labels(label).flags)


@pytest.mark.slow
def test_lenient_people_are_not_flagged_between_two_even_categories() -> None:
    of_everybody = replace(HONEST_RATINGS["levels differ (1.0)"], ratings_per_item=30)

    of = found(KINDS["labels 50:50"], of_everybody, Cell(1, 30, 60), n_studies=40)

    # As far from chance as everybody else is expected to come, four of these studies had a flag.
    assert of.kinds.get("pairwise", 0) <= 1


def test_somebody_who_uses_a_third_of_the_scale_does_not_straight_line() -> None:
    n_flagged = 0
    for seed in range(20):
        rng = np.random.default_rng([6, seed])
        true = rng.exponential(size=60) - 1
        seen = true + 0.6 * rng.normal(size=(20, 60))
        seen[:5] *= 0.3
        value = np.clip(np.round(3 + 1.5 * seen), 0, 6).ravel()
        person, unit = (number.ravel() for number in np.indices(seen.shape))
        order = np.concatenate([rng.permutation(60) for _ in range(20)])
        of = scoring.rating_flags(
            Ratings(person, unit, value, 20, 60, low=0, high=6, step=1, order=order)
        )
        n_flagged += any(flag.kind == "same" for flag in of.flags)

    assert n_flagged <= 1


def test_several_clickers_are_found_beside_it() -> None:
    model = HONEST_BEST_WORST["people alike (Gumbel)"]

    of = found(KINDS["best-worst"], model, Cell(36, 18), n_studies=10, n_careless=4)

    assert of.careless >= 0.8
    assert of.accused <= 0.1


def test_whoever_takes_the_worst_for_the_best_is_flagged() -> None:
    studies = HONEST_BEST_WORST["people alike (Gumbel)"].studies(Cell(36, 18), "nothing", seed=[3])
    orders = next(studies).orders
    assert orders.annotator is not None
    order = orders.order.copy()
    order[orders.annotator == 2] = order[orders.annotator == 2, ::-1]
    turned = orders_of(
        orders.tuples,
        orders.tuple_number,
        order,
        n_items=orders.n_items,
        annotator=orders.annotator,
    )

    of = scoring.flags(turned)

    assert {flag.annotator for flag in of.flags if flag.kind == "agreement"} == {2}


@pytest.mark.parametrize("as_orders", [True, False])
def test_credit_by_own_answers_is_that_of_a_loop(as_orders: bool) -> None:
    study = next(HONEST_BEST_WORST["ties"].studies(Cell(2, 6), "nothing", seed=[4]))
    answers = study.orders if as_orders else study.answers
    assert answers.annotator is not None
    shown, points = answers.shown(), answers.slot_points()
    higher, lower = answers.pairs_in_order()

    credit = credit_by_answer(ImpliedPairs(answers).with_own())

    for row in range(answers.n_judgments):
        others = (answers.annotator == answers.annotator[row]) & (
            np.arange(answers.n_judgments) != row
        )
        scores = [
            points[others][shown[others] == item].mean()
            if (shown[others] == item).any()
            else np.nan
            for item in shown[row]
        ]
        agree = [
            (1 + np.sign(scores[high] - scores[low])) / 2
            for high, low in zip(higher[row], lower[row], strict=True)
        ]
        known = [a for a in agree if not np.isnan(a)]
        np.testing.assert_allclose(credit[row], np.mean(known) if known else np.nan)


@pytest.mark.parametrize("n_careless", [1, 3])
def test_a_liking_for_one_category_makes_clickers_no_camp(n_careless: int) -> None:
    rng = np.random.default_rng(5)
    n_people, n_units, n_each, n_studies = 15, 100, 60, 10
    n_found = 0
    for _ in range(n_studies):
        true = rng.integers(3, size=n_units)
        unit = np.concatenate([rng.permutation(n_units)[:n_each] for _ in range(n_people)])
        person = np.repeat(np.arange(n_people), n_each)
        label = (true[unit] + rng.integers(1, 3, len(unit)) * (rng.random(len(unit)) < 0.15)) % 3
        is_careless = person < n_careless
        label[is_careless] = rng.choice(3, size=is_careless.sum(), p=[0.7, 0.15, 0.15])
        labels = Labels(
            person, unit, np.eye(3, dtype=bool)[label], n_people, n_units, is_several=False
        )

        flagged = {flag.annotator for flag in scoring.label_flags(labels).flags}

        n_found += len(flagged & set(range(n_careless)))

    assert n_found >= 0.9 * n_careless * n_studies


def test_those_who_agree_with_one_another_do_so_surely_together() -> None:
    # None of six surely agrees (p < .01), but all six together do: the sum of their deviates has
    # a variance of twelve, because each pair counts for both.
    alone, together = 0.05, _p_together(np.full(6, 0.05))

    assert together == pytest.approx(norm.cdf(6 * norm.ppf(alone) / np.sqrt(12)))
    assert together < RARE < alone
    # Of too few answers nothing is known.
    assert _p_together(np.array([0.05, 1.0, 1.0])) == pytest.approx(_p_together(np.array([0.05])))
    assert _p_together(np.full(8, 0.5)) == pytest.approx(0.5)


def test_a_strict_person_who_agrees_is_not_flagged_for_the_lowest_point() -> None:
    n_units, n_people = 120, 20
    rng = np.random.default_rng(2)
    # Most units lie low. One person is two points stricter, another hardly looks.
    true = 6 * rng.beta(0.3, 1.6, size=n_units)
    table = true + 0.3 * rng.normal(size=(n_people, n_units))
    table[STRICT] -= 2
    table[STRAIGHT] = np.where(rng.random(n_units) < 0.97, 0.0, table[STRAIGHT])
    person, unit = (number.ravel() for number in np.indices(table.shape))
    value = np.clip(np.round(table), 0, 6).ravel()

    of = scoring.rating_flags(
        Ratings(person, unit, value, n_people, n_units, low=0, high=6, step=1)
    )

    assert {flag.annotator for flag in of.flags if flag.kind == "same"} == {STRAIGHT}
