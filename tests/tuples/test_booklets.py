import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tuples import Booklets, compose_booklets


def screens_of(booklets: Booklets) -> np.ndarray:
    """Number the screens through all booklets."""
    pairs = np.stack([booklets.booklet, booklets.screen])
    return np.unique(pairs, axis=1, return_inverse=True)[1].ravel()


def table(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Count how often each row number occurs with each column number."""
    counts = np.zeros((rows.max() + 1, columns.max() + 1), dtype=int)
    np.add.at(counts, (rows, columns), 1)
    return counts


@st.composite
def any_requests(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int, int, int]:
    n_tuples = draw(st.integers(1, 90))
    pool = draw(st.lists(st.integers(0, 12), min_size=n_tuples, max_size=n_tuples))
    stratum = draw(st.lists(st.integers(0, 2), min_size=n_tuples, max_size=n_tuples))
    numbers = draw(st.tuples(st.integers(1, 5), st.integers(1, 7), st.integers(0, 99)))
    return np.array(pool), np.array(stratum), *numbers


@pytest.mark.slow
@given(any_requests())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_every_tuple_has_one_place_and_sizes_are_even(
    request_: tuple[np.ndarray, np.ndarray, int, int, int],
) -> None:
    pool, stratum, q, s, seed = request_

    booklets = compose_booklets(
        pool, stratum, questions_per_screen=q, screens_per_booklet=s, seed=seed
    )

    n_tuples = len(pool)
    n_screens = -(-n_tuples // q)
    n_booklets = -(-n_screens // s)
    screen = screens_of(booklets)
    places = np.stack([booklets.booklet, booklets.screen, booklets.position])
    assert len(np.unique(places, axis=1).T) == n_tuples
    sizes = np.bincount(screen)
    assert len(sizes) == n_screens
    assert set(sizes) <= {n_tuples // n_screens, -(-n_tuples // n_screens)}
    # Positions on a screen and screens in a booklet are numbered from 0 without a gap.
    assert (np.bincount(screen, weights=booklets.position) == sizes * (sizes - 1) / 2).all()
    last = np.array([booklets.screen[booklets.booklet == b].max() for b in range(n_booklets)])
    assert booklets.booklet.max() == n_booklets - 1
    assert (last + 1).sum() == n_screens
    assert np.ptp(last) <= 1
    assert np.ptp(np.bincount(booklets.booklet)) <= q


@pytest.mark.slow
@given(any_requests())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_every_screen_has_its_share_of_every_stratum(
    request_: tuple[np.ndarray, np.ndarray, int, int, int],
) -> None:
    pool, stratum, q, s, seed = request_

    booklets = compose_booklets(
        pool, stratum, questions_per_screen=q, screens_per_booklet=s, seed=seed
    )

    counts = table(screens_of(booklets), stratum)
    share = counts.sum(axis=0) / len(counts)
    assert (counts >= np.floor(share)).all()
    assert (counts <= np.ceil(share)).all()
    said = " ".join(booklets.notes)
    for value in np.unique(stratum):
        is_even = np.ptp(counts[:, value]) == 0
        is_only_one = len(np.unique(stratum)) == 1
        assert (f"Stratum {value} has" in said) == (not is_even and not is_only_one)


@pytest.mark.slow
@given(any_requests())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_no_screen_repeats_a_pool_where_that_can_be_avoided(
    request_: tuple[np.ndarray, np.ndarray, int, int, int],
) -> None:
    pool, _, q, s, seed = request_

    booklets = compose_booklets(
        pool, np.zeros_like(pool), questions_per_screen=q, screens_per_booklet=s, seed=seed
    )

    counts = table(screens_of(booklets), pool)
    # With one stratum every pool fits that has no more tuples than there are screens.
    fits = counts.sum(axis=0) <= len(counts)
    assert counts[:, fits].max(initial=0) <= 1
    notes = [note for note in booklets.notes if "(screens: " in note]
    assert bool(notes) == (not fits.all())


@given(
    st.integers(1, 4), st.integers(1, 6), st.integers(2, 8), st.integers(1, 6), st.integers(0, 99)
)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_booklets_of_one_size_show_as_many_pools_as_they_can(
    q: int, s: int, n_booklets: int, pool_size: int, seed: int
) -> None:
    n_tuples = q * s * n_booklets
    pool = np.arange(n_tuples) // pool_size

    booklets = compose_booklets(
        pool, np.zeros_like(pool), questions_per_screen=q, screens_per_booklet=s, seed=seed
    )

    counts = table(booklets.booklet, pool)
    assert len(counts) == n_booklets
    assert counts.max() == -(-counts.sum(axis=0).max() // n_booklets)


def test_giccs_shows_a_dialogue_of_three_and_one_of_five_turns_on_each_screen() -> None:
    pool = np.repeat(np.arange(60), 10)
    turns = np.where(pool < 30, 3, 5)

    booklets = compose_booklets(
        pool, turns, questions_per_screen=2, screens_per_booklet=20, seed=1
    )

    screen = screens_of(booklets)
    assert np.bincount(screen).tolist() == [2] * 300
    assert np.bincount(screen, weights=turns).tolist() == [8] * 300
    assert np.bincount(booklets.booklet).tolist() == [40] * 15
    # Ten tuples of a dialogue, fifteen booklets: no booklet shows a dialogue twice.
    assert table(booklets.booklet, pool).max() == 1
    assert booklets.notes == ()
    # The order on the screen is drawn: 3 turns come first about half of the time.
    assert 110 < (turns[booklets.position == 0] == 3).sum() < 190


def test_pools_that_run_across_strata_do_not_meet_on_a_screen() -> None:
    pool = np.repeat(np.arange(60), 10)
    stratum = np.tile([0] * 5 + [1] * 5, 60)

    booklets = compose_booklets(
        pool, stratum, questions_per_screen=2, screens_per_booklet=20, seed=1
    )

    assert table(screens_of(booklets), pool).max() == 1
    assert table(booklets.booklet, pool).max() == 1


def test_strata_of_unequal_size_are_spread_and_the_numbers_said() -> None:
    pool = np.repeat(np.arange(60), 10)
    stratum = np.where(pool < 40, 3, 5)

    booklets = compose_booklets(
        pool, stratum, questions_per_screen=2, screens_per_booklet=20, seed=1
    )

    counts = table(screens_of(booklets), stratum)
    assert sorted(map(tuple, counts[:, [3, 5]].tolist())) == [(1, 1)] * 200 + [(2, 0)] * 100
    assert booklets.notes == (
        "Stratum 3 has 400 tuples for 300 screens: 200 screens have 1 and 100 have 2.",
        "Stratum 5 has 200 tuples for 300 screens: 100 screens have 0 and 200 have 1.",
    )


def test_notes_call_the_strata_by_their_names() -> None:
    pool = np.repeat(np.arange(60), 10)
    stratum = np.where(pool < 40, 2, 0)

    booklets = compose_booklets(
        pool,
        stratum,
        questions_per_screen=2,
        screens_per_booklet=20,
        seed=1,
        stratum_names=["source written", "source spoken", "source chat"],
    )

    assert booklets.notes == (
        "Stratum source written has 200 tuples for 300 screens: 100 screens have 0 and 200 have"
        " 1.",
        "Stratum source chat has 400 tuples for 300 screens: 200 screens have 1 and 100 have 2.",
    )


@pytest.mark.parametrize("stratum", [-1, 2])
def test_a_stratum_without_a_name_is_refused(stratum: int) -> None:
    with pytest.raises(ValueError, match=f"stratum {stratum} is none of the 2 named"):
        compose_booklets(
            np.array([0, 0]),
            np.array([0, stratum]),
            questions_per_screen=1,
            screens_per_booklet=1,
            seed=1,
            stratum_names=["one", "two"],
        )


def test_a_single_stratum_is_not_mentioned() -> None:
    pool = np.arange(23)

    booklets = compose_booklets(
        pool, np.zeros_like(pool), questions_per_screen=4, screens_per_booklet=4, seed=1
    )

    assert "Stratum" not in " ".join(booklets.notes)


def test_what_does_not_fill_is_said() -> None:
    pool = np.arange(23)

    booklets = compose_booklets(
        pool, np.zeros_like(pool), questions_per_screen=4, screens_per_booklet=4, seed=1
    )

    assert sorted(np.bincount(booklets.booklet)) == [11, 12]
    assert booklets.notes[0] == (
        "1 of 6 screens has fewer than 4 questions (at least 3), because 23 tuples do"
        " not fill 6 screens."
    )
    assert booklets.notes[1] == (
        "2 of 2 booklets have fewer than 4 screens (at least 3), because 6 screens do"
        " not fill 2 booklets."
    )


def test_one_pool_is_nobodys_fault_but_said() -> None:
    pool = np.zeros(24, dtype=np.int64)

    booklets = compose_booklets(pool, pool, questions_per_screen=3, screens_per_booklet=4, seed=1)

    assert booklets.notes == (
        "The largest pool has 24 tuples (screens: 8), so 8 screens show up to 3 tuples of the "
        "same pool.",
        "The largest pool has 24 tuples for 2 booklets, so a booklet contains up to 12 tuples of "
        "the same pool.",
    )


def test_the_seed_decides_the_booklets() -> None:
    pool = np.repeat(np.arange(20), 6)
    stratum = pool % 2

    def composed(seed: int) -> Booklets:
        return compose_booklets(
            pool, stratum, questions_per_screen=2, screens_per_booklet=5, seed=seed
        )

    np.testing.assert_array_equal(composed(4).booklet, composed(4).booklet)
    np.testing.assert_array_equal(composed(4).screen, composed(4).screen)
    np.testing.assert_array_equal(composed(4).position, composed(4).position)
    assert not np.array_equal(composed(4).booklet, composed(5).booklet)


@pytest.mark.parametrize(
    ("pool", "stratum", "numbers", "message"),
    [
        ([], [], (1, 1, 1), "there are no tuples to put into booklets"),
        ([1, 2], [1], (1, 1, 1), r"have the shapes \(2,\) and \(1,\)"),
        ([1], [1], (0, 1, 1), "questions_per_screen must be at least 1, but is 0"),
        ([1], [1], (1, -2, 1), "screens_per_booklet must be at least 1, but is -2"),
        ([1], [1], (1, 1, -1), "the seed must not be negative, but is -1"),
    ],
)
def test_bad_requests_are_refused(
    pool: list[int], stratum: list[int], numbers: tuple[int, int, int], message: str
) -> None:
    q, s, seed = numbers

    with pytest.raises(ValueError, match=message):
        compose_booklets(
            np.array(pool, dtype=np.int64),
            np.array(stratum, dtype=np.int64),
            questions_per_screen=q,
            screens_per_booklet=s,
            seed=seed,
        )
