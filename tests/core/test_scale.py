"""The scale of a rating: which values it has, and what is no scale."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.basics.scale import Scale, ScaleError, number_of, plain

NO_NUMBERS = "The scale needs two ends and a step. Each must be a number with at most 3 decimals."


def scale(low: str = "0", high: str = "6", step: str = "1", **labels: str) -> Scale:
    return Scale.of({"low": low, "high": high, "step": step, "labels": labels})


def test_the_points_go_from_end_to_end() -> None:
    assert [plain(point) for point in scale("0", "1", "0.25").points] == [
        "0",
        "0.25",
        "0.5",
        "0.75",
        "1",
    ]
    assert scale("0", "4", "0.01").n_points == 401
    assert scale("-2", "2", "2").points == (-2, 0, 2)


@pytest.mark.parametrize(
    ("value", "is_there"),
    [("0", True), ("6", True), ("6.000", True), ("0.5", False), ("-1", False), ("7", False)],
)
def test_only_its_points_can_be_chosen(value: str, is_there: bool) -> None:
    assert scale().has(Decimal(value)) is is_there


def test_numbers_have_as_many_decimals_as_the_step_needs() -> None:
    fine = scale("0", "4", "0.01")

    assert (fine.text(Decimal(3)), scale().text(Decimal("3.000"))) == ("3.00", "3")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (("0", "6", "0"), "The step of the scale must be above 0."),
        (("6", "0", "1"), "The lower end of the scale must be below the upper one."),
        (
            ("0", "1", "0.3"),
            "Steps of 0.3 do not lead from 0.0 exactly to 1.0. Choose another step or another"
            " end.",
        ),
        (
            ("0", "9999", "1"),
            "The scale has 10000 points, but at most 1001 are possible. Choose a larger step.",
        ),
        (("a", "6", "1"), NO_NUMBERS),
        (("0", "1e5", "1"), NO_NUMBERS),
    ],
)
def test_what_is_no_scale_says_why(data: tuple[str, str, str], message: str) -> None:
    with pytest.raises(ScaleError) as error:
        scale(*data)

    assert error.value.message == message


def test_a_label_beside_the_points_is_refused() -> None:
    with pytest.raises(ScaleError, match=r"2\.75 has a label"):
        Scale.of({"low": "0", "high": "4", "step": "0.5", "labels": {"2.75": "so so"}})
    with pytest.raises(ScaleError, match="7 has a label"):
        Scale.of({"low": "0", "high": "6", "step": "1", "labels": {"7": "more"}})


@pytest.mark.parametrize(
    "text", ["", "x", "1e3", "1e9999999", "1_0", "nan", "inf", "١", "10000", "0.0001", "--1", "."]
)
def test_what_is_no_number_of_a_scale_is_none(text: str) -> None:
    assert number_of(text) is None


@pytest.mark.parametrize(("text", "value"), [("2,5", "2.5"), (" 3.000 ", "3"), ("-1", "-1")])
def test_numbers_are_read_as_people_write_them(text: str, value: str) -> None:
    number = number_of(text)
    assert number is not None
    assert plain(number) == value


@given(st.integers(-5000, 3000), st.integers(1, 100), st.integers(1, 60), st.integers(0, 3))
def test_a_scale_comes_back_from_what_is_stored(
    low: int, step: int, n_steps: int, decimals: int
) -> None:
    unit = Decimal(1).scaleb(-decimals)
    made = Scale(low * unit, (low + step * n_steps) * unit, step * unit)
    made.check()

    stored = Scale.of(made.as_json)

    assert stored == made
    assert all(stored.has(Decimal(plain(point))) for point in made.points)


@pytest.mark.parametrize(
    ("low", "high", "words", "is_worded"),
    [
        ("0", "2", "012", True),
        ("0", "6", "0123456", True),
        ("0", "7", "01234567", False),
        ("0", "2", "02", False),
        ("0", "2", "", False),
    ],
)
def test_few_points_with_words_each_are_classes(low, high, words, is_worded) -> None:
    labels = {point: f"word {point}" for point in words}

    assert scale(low, high, **labels).is_worded is is_worded
