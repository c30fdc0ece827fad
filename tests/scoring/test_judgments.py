import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import BestWorst, count, tuples_by_set
from tests.scoring.batches import batches


def batch(**changes: object) -> BestWorst:
    """Tuples {0, 1, 2} and {3, 1, 4} of five items, the first answered twice."""
    valid = {
        "tuples": np.array([[2, 0, 1], [3, 1, 4]]),
        "tuple_number": np.array([0, 1, 0]),
        "best": np.array([0, 1, 1]),
        "worst": np.array([2, 4, 2]),
        "n_items": 5,
    }
    return BestWorst(**(valid | changes))


def test_slots_are_places_in_the_stored_order() -> None:
    answers = batch()

    assert answers.slots("best").tolist() == [1, 1, 2]
    assert answers.slots("worst").tolist() == [0, 2, 0]
    assert answers.answers_per_tuple().tolist() == [2, 1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"worst": [2, 1, 2]}, "judgment 1 picks item 1 as both best and worst"),
        ({"best": [0, 1, 4]}, "judgment 2: best 4 is not one of the 3 items shown (2, 0, 1)"),
        ({"worst": [2, 0, 2]}, "judgment 1: worst 0 is not one of the 3 items shown (3, 1, 4)"),
        ({"tuple_number": [0, 2, 0]}, "judgment 1 answers tuple 2, but tuples are numbered 0..1"),
        ({"tuple_number": [0, -1, 0]}, "judgment 1 answers tuple -1"),
        ({"n_items": 4}, "tuple 1 shows item 4, but items are numbered 0..3"),
        ({"tuples": [[2, 0, 1], [1, -1, 4]]}, "tuple 1 shows item -1"),
        ({"tuples": [[2, 0, 1], [1, 1, 4]]}, "tuple 1 shows an item twice"),
        ({"tuples": [[2, 0, 1], [1, 2, 0]]}, "tuples 0 and 1 show the same items"),
        ({"tuples": [[2], [1]]}, "shape (2, 1) does not hold one tuple of at least two items"),
        ({"best": [0, 1]}, "best has shape (2,), but there are 3 judgments"),
        ({"annotator": [1, 2]}, "annotator has shape (2,), but there are 3 judgments"),
        ({"best": [0.0, 1.0, 1.0]}, "best must hold whole numbers, not float64"),
        ({"best": ["a", "b", "c"]}, "best must hold whole numbers, not <U1"),
    ],
)
def test_a_broken_batch_is_refused_by_its_first_broken_row(
    changes: dict[str, object], message: str
) -> None:
    arrays = {name: np.array(v) if isinstance(v, list) else v for name, v in changes.items()}

    with pytest.raises(ValueError) as refusal:  # noqa: PT011 - the message is asserted whole
        batch(**arrays)

    assert message in str(refusal.value)


def test_rows_that_show_the_same_set_are_one_tuple_in_the_first_rows_order() -> None:
    shown = np.array([[4, 1, 3], [0, 1, 2], [3, 4, 1], [2, 1, 0], [1, 2, 3]])

    answers = tuples_by_set(shown, np.array([4, 0, 4, 0, 1]), np.array([1, 1, 1, 2, 3]), n_items=5)

    assert answers.tuple_number.tolist() == [0, 1, 0, 1, 2]
    assert answers.tuples.tolist() == [[4, 1, 3], [0, 1, 2], [1, 2, 3]]
    assert answers.slots("worst").tolist() == [1, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("shown", "best", "worst", "message"),
    [
        ([[0, 1], [2, 2]], [0, 2], [1, 0], "judgment 1 shows an item twice"),
        ([[0, 1], [2, 3]], [0, 2], [1, 3], "judgment 1 shows item 3, but items are numbered 0..2"),
        ([[0, 1], [2, 1]], [0, 0], [1, 1], "judgment 1: best 0 is not one of the 2 items shown"),
        ([[0, 1], [2, 1]], [0, 2], [1, 2], "judgment 1 picks item 2 as both best and worst"),
    ],
)
def test_a_broken_row_is_named_as_a_judgment(
    shown: list[list[int]], best: list[int], worst: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        tuples_by_set(np.array(shown), np.array(best), np.array(worst), n_items=3)


@pytest.mark.slow
@given(batches(), st.randoms(use_true_random=False))
def test_tuples_by_set_finds_the_tuples_from_their_rows(answers: BestWorst, random) -> None:
    rows = np.array(random.sample(range(answers.n_judgments), answers.n_judgments), dtype=int)
    shown, best, worst = answers.shown()[rows], answers.best[rows], answers.worst[rows]

    found = tuples_by_set(shown, best, worst, n_items=answers.n_items)

    np.testing.assert_array_equal(found.shown(), shown)
    assert found.n_tuples == (answers.answers_per_tuple() > 0).sum()


def test_leaving_out_judgments_keeps_the_tuples_that_nobody_answers_then() -> None:
    answers = batch(annotator=np.array([7, 8, 9]))

    rest = answers.of_judgments(answers.annotator != 8)

    assert rest.answers_per_tuple().tolist() == [2, 0]
    assert rest.annotator.tolist() == [7, 9]


def test_choosing_tuples_renumbers_them_and_keeps_the_items_numbers() -> None:
    second = batch().of_tuples(np.array([False, True]))

    assert second.tuples.tolist() == [[3, 1, 4]]
    assert second.tuple_number.tolist() == [0]
    assert second.slots("worst").tolist() == [2]
    assert second.n_items == 5


@given(batches(), st.data())
def test_a_part_of_a_batch_passes_the_checks_it_is_spared(
    answers: BestWorst, data: st.DataObject
) -> None:
    chosen = np.array(
        data.draw(st.lists(st.booleans(), min_size=answers.n_tuples, max_size=answers.n_tuples))
    )
    parts = [answers.of_tuples(chosen), answers.of_tuples(~chosen)]

    for part in parts:
        BestWorst(part.tuples, part.tuple_number, part.best, part.worst, part.n_items)
    total = count(parts[0]) + count(parts[1])
    np.testing.assert_array_equal(total.appearances, count(answers).appearances)


def test_a_batch_cannot_be_written_to_and_leaves_the_callers_arrays_writable() -> None:
    best = np.array([0, 1, 1])
    answers = batch(best=best)

    with pytest.raises(ValueError, match="read-only"):
        answers.best[0] = 1

    best[0] = 1


def test_empty_batches_are_valid() -> None:
    nothing = np.zeros(0, dtype=np.int64)

    no_answers = BestWorst(np.array([[0, 1]]), nothing, nothing, nothing, n_items=2)
    no_tuples = tuples_by_set(np.zeros((0, 3), dtype=np.int64), [], [], n_items=0)

    assert (no_answers.n_judgments, no_answers.n_tuples) == (0, 1)
    assert (no_tuples.n_judgments, no_tuples.n_tuples, no_tuples.tuple_size) == (0, 0, 3)
    assert no_tuples.slots("best").shape == (0,)
