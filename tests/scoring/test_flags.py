"""What stands out of people's answers: whoever clicks, hurries or copies, and nobody else."""

import math
import sys
from typing import Any

import numpy as np
import pytest

from scoring import BestWorst, Flag, Labels, flags
from scoring.flags import label_flags
from scoring.flags.findings import p_of_fewer
from scoring.flags.rarity import spread as _spread
from scoring.flags.runs import expected_largest_share

HONEST = range(20)
CLICKER, FIRST, HASTY, COPIER = 20, 21, 22, 23


def tuples_of(rng: np.random.Generator, *, n_items: int = 30, size: int = 4) -> np.ndarray:
    """Twice as many tuples as items, no two of them the same set."""
    found: dict[frozenset[int], list[int]] = {}
    while len(found) < 2 * n_items:
        drawn = rng.choice(n_items, size=size, replace=False).tolist()
        found.setdefault(frozenset(drawn), drawn)
    return np.array(list(found.values()))


def study(seed: int, *, noise: float = 0.3) -> dict[str, Any]:
    """Sixty tuples answered by twenty honest people and four others, answer by answer."""
    rng = np.random.default_rng([7, seed])
    tuples, latent = tuples_of(rng), rng.uniform(size=30)
    rows: list[tuple[int, int, int, int, int, int, float, float]] = []
    picks: dict[tuple[int, int], tuple[int, int]] = {}
    for person in range(24):
        pace = 15 * math.exp(rng.normal(0, 0.3))
        start = float(rng.uniform(0, 1e5))
        for t, items in enumerate(tuples):
            shown = rng.permutation(items)
            seconds = pace * math.exp(rng.normal(0, 0.5))
            if person == CLICKER:
                best, worst = rng.choice(items, size=2, replace=False)
            elif person == FIRST:
                best, worst = shown[0], rng.choice(shown[1:])
            elif person == COPIER:
                best, worst = picks[3, t]
            else:
                seen = latent[items] - noise * np.log(-np.log(rng.uniform(size=len(items))))
                best, worst = items[seen.argmax()], items[seen.argmin()]
            if person == HASTY:
                seconds = 2 * math.exp(rng.normal(0, 0.5))
            picks[person, t] = best, worst
            at = start + 20 * t + (1e6 if person == COPIER else 0)
            places = shown.tolist()
            rows.append(
                (t, best, worst, person, places.index(best), places.index(worst), seconds, at)
            )
    number, best, worst, person, at_best, at_worst, seconds, at = map(
        np.array, zip(*rows, strict=True)
    )
    return {
        "answers": BestWorst(tuples, number, best, worst, 30, person),
        "positions": np.column_stack([at_best, at_worst]),
        "seconds": seconds,
        "answered_at": at,
    }


def seen(found: list[Flag]) -> set[tuple[str, int]]:
    return {(flag.kind, flag.annotator) for flag in found}


@pytest.mark.slow
def test_whoever_clicks_hurries_or_copies_is_flagged_and_hardly_anybody_else() -> None:
    n_whole, n_honest = 0, 0
    expected = {
        ("agreement", CLICKER),
        ("position", FIRST),
        ("speed", HASTY),
        ("copy", COPIER),
    }

    for seed in range(50):
        found = flags(**study(seed)).flags
        n_whole += expected <= seen(found)
        n_honest += len({flag.annotator for flag in found} & {*HONEST})

    assert n_whole >= 45
    assert n_honest <= 0.02 * 50 * len(HONEST)


def test_a_flag_says_what_was_seen_and_what_is_usual() -> None:
    found = flags(**study(0))

    by_person = {(flag.kind, flag.annotator): flag for flag in found.flags}
    first, hasty = by_person["position", FIRST], by_person["speed", HASTY]
    run, copier = by_person["run", FIRST], by_person["copy", COPIER]
    # Of 59 pairs of neighbours one in four is alike: three in a row are usual, or four.
    assert (run.value, run.usual, run.n) == (60, 4, 60)
    # Of four positions the most frequent one has more than a quarter by chance.
    assert (first.value, first.usual, first.n) == (1.0, expected_largest_share(n=60, k=4), 60)
    assert hasty.value == pytest.approx(2 / 15, rel=0.3)
    assert (copier.other, copier.value, copier.n, copier.is_later) == (3, 1.0, 60, True)
    assert 0.1 < copier.usual < 0.4
    clicker = next(flag for flag in found.of(CLICKER) if flag.kind == "agreement")
    assert clicker.value == pytest.approx(0.5, abs=0.08)
    assert clicker.usual > 0.6
    assert all(flag.p <= 0.05 for flag in found.flags)
    assert found.n_tested == {
        "agreement": 24,
        "position": 24,
        "run": 24,
        "consistency": 24,
        "speed": 24,
        "copy": 276,
    }
    assert found.as_dict()["reasons"] == {}


def test_without_times_both_of_a_copied_pair_are_named() -> None:
    batch = study(1)
    del batch["answered_at"], batch["seconds"], batch["positions"]

    found = flags(**batch)

    assert {(flag.annotator, flag.other) for flag in found.flags if flag.kind == "copy"} == {
        (3, COPIER),
        (COPIER, 3),
    }
    assert not any(flag.is_later for flag in found.flags)
    assert "nobody gave 10 answers of known positions" in found.reasons["position"]
    assert found.n_tested["speed"] == 0


def test_the_chance_of_a_pair_is_that_of_the_others() -> None:
    # Ten tuples of three. People 0 and 1 always agree; 2, 3 and 4 agree in one pair of three.
    tuples = np.arange(30).reshape(10, 3)
    number = np.repeat(np.arange(10), 5)
    best = np.concatenate([[a, a, a, a, b] for a, b, _c in tuples])
    worst = np.concatenate([[c, c, b, b, c] for _a, b, c in tuples])
    answers = BestWorst(tuples, number, best, worst, 30, np.tile(np.arange(5), 10))

    (copy,) = {flag.usual for flag in flags(answers).flags if flag.kind == "copy"} or {None}

    # 2 and 3 always agree as well. Of others than 0 and 1 one pair in three does, as of others
    # than 2 and 3; overall two pairs of ten do, which is less.
    assert copy == pytest.approx(1 / 3)


@pytest.mark.parametrize("unknown", [np.nan, np.inf, 0.0, -1.0])
def test_what_is_no_time_is_unknown(unknown: float) -> None:
    batch = study(2)
    batch["seconds"][:] = unknown

    assert flags(**batch).n_tested["speed"] == 0


def test_nobody_is_tested_by_too_few_answers() -> None:
    answers = BestWorst(
        np.array([[0, 1, 2]]), np.zeros(9, int), np.zeros(9, int), np.ones(9, int), 3, np.arange(9)
    )

    found = flags(answers)

    assert found.flags == []
    assert set(found.n_tested.values()) == {0}
    assert set(found.reasons) == set(found.n_tested)


def test_a_crowd_too_large_to_be_compared_two_by_two_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Of 24 people who all answered the same there are 276 pairs.
    monkeypatch.setattr(sys.modules["scoring.flags.copying"], "MAX_PAIRS", 275)

    found = flags(**study(0))

    assert found.n_tested["copy"] == 0
    assert "too many pairs of people" in found.reasons["copy"]
    assert ("position", FIRST) in seen(found.flags)


def test_what_does_not_fit_is_refused() -> None:
    answers = BestWorst(np.array([[0, 1, 2]]), np.array([0]), np.array([0]), np.array([1]), 3)
    named = BestWorst(
        np.array([[0, 1, 2]]), np.array([0]), np.array([0]), np.array([1]), 3, np.array([5])
    )

    with pytest.raises(ValueError, match=r"positions are numbered 0\.\.2"):
        flags(named, positions=np.array([[0, 3]]))
    with pytest.raises(ValueError, match="who gave each answer"):
        flags(answers)
    with pytest.raises(ValueError, match=r"seconds has shape \(2,\), but there are 1 judgments"):
        flags(named, seconds=np.array([1.0, 2.0]))


def test_the_robust_spread_is_that_of_normal_values_and_blind_to_a_few() -> None:
    values = np.random.default_rng(1).normal(3.0, 0.5, size=400)
    spoilt = np.concatenate([values, np.full(40, -50.0)])

    assert _spread(values) == pytest.approx(values.std(ddof=1), rel=0.05)
    assert _spread(spoilt) == pytest.approx(0.5, rel=0.3)
    # Of 1, 2, 4, 8, 16, 32: distances 1, 2, 3, ...; of four people six pairs, the sixth of all.
    by_hand = 2.2219 * 6 / 9.8 * 7
    assert _spread(np.array([1.0, 2, 4, 8, 16, 32])) == pytest.approx(by_hand)


def test_one_answer_that_differs_when_asked_again_is_nothing_where_nobody_else_has_one() -> None:
    # Three people label twenty units, nine of ten as 0, and five of these again; two say the same
    # again, and one something else once: as likely of any of the three.
    truth = np.array([0] * 18 + [1] * 2)
    again = [0, 1, 2, 3, 18]
    units = np.concatenate([np.arange(20), again])
    codes = np.concatenate([np.tile(truth[units], 3)])
    codes[-1] = 0
    chosen = np.zeros((75, 2), dtype=bool)
    chosen[np.arange(75), codes] = True
    labels = Labels(
        np.repeat(np.arange(3), 25), np.tile(units, 3), chosen, 3, 20, order=np.tile(range(25), 3)
    )

    found = label_flags(labels)

    assert found.n_tested["repeats"] == 3
    assert found.flags == []
    np.testing.assert_allclose(
        p_of_fewer(np.array([5.0, 5, 4]), np.array([5, 5, 5])), [1.0, 1.0, 1 / 3]
    )


@pytest.mark.slow
def test_people_who_differ_in_care_are_not_flagged_for_it() -> None:
    n_flagged = 0
    for seed in range(40):
        rng = np.random.default_rng([11, seed])
        tuples, latent = tuples_of(rng, n_items=60), rng.uniform(size=60)
        rows = []
        for person in range(12):
            noise = 0.3 * math.exp(0.4 * rng.normal())
            seen_at = latent[tuples] + noise * rng.gumbel(size=tuples.shape)
            for t, items in enumerate(tuples):
                best, worst = items[seen_at[t].argmax()], items[seen_at[t].argmin()]
                rows.append((t, best, worst, person))
        number, best, worst, person = map(np.array, zip(*rows, strict=True))
        found = flags(BestWorst(tuples, number, best, worst, 60, person))
        n_flagged += sum(flag.kind == "agreement" for flag in found.flags)

    # Of 480 honest people; known only by the chance in their own answers, 1 in 14 would be.
    assert n_flagged <= 9
