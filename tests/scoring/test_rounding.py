"""Numbers are rounded alike on pages, in LaTeX and in documents."""

import pytest
from django.utils import translation

from annotation.basics import numbers
from annotation.core.exports import figures
from scoring.baselines.latex_writing import booktabs
from scoring.rounding import exact_mean, rounded_text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        # Halves in binary, of which Python's own formatting goes to the even digit.
        (0.3125, "0.313"),
        (0.0625, "0.063"),
        (-0.3125, "-0.313"),
        # No half in binary, but in the decimals that everybody reads.
        (1.0005, "1.001"),
        (2.0, "2.000"),
        (1e-7, "0.000"),
        (12345.6789, "12345.679"),
    ],
)
def test_a_half_is_rounded_away_from_zero(value: float, expected: str) -> None:
    assert rounded_text(value, 3) == expected


def test_a_percentage_is_rounded_once() -> None:
    # .0625 is 6.25 %: a half again.
    assert rounded_text(0.0625, 1, times=100) == "6.3"
    assert rounded_text(0.3, 1, times=100) == "30.0"


@pytest.mark.parametrize("value", [0.3125, -0.0625, 0.1875, 0.0004])
def test_pages_latex_and_documents_print_the_same(value: float) -> None:
    with translation.override("en"):
        on_page = numbers.number(value).replace("−", "-")
        share = numbers.percent(value).replace("−", "-").replace("\u00a0", " ")

    assert figures.number(value) == on_page
    assert figures.percent(value) == share
    assert f"a & {on_page.replace('-', '$-$')} " in booktabs(
        "x", "tab:x", ["", "n"], [["a", value]]
    )


@pytest.mark.parametrize(
    ("weights", "mean"), [([1, 1, 1, 1], 0.3875), ([9, 9, 9, 9], 0.3875), ([1, 0, 3, 0], 0.4125)]
)
def test_a_mean_of_shares_is_exact(weights: list[int], mean: float) -> None:
    assert exact_mean([0.375, 0.4, 0.425, 0.35], weights) == mean


def test_a_mean_of_other_numbers_is_that_of_their_doubles() -> None:
    values = [0.7320774554, -0.123456789012345, 1 / 3]

    assert exact_mean(values, [1, 2, 3]) == pytest.approx(
        (values[0] + 2 * values[1] + 1) / 6, abs=1e-15
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.33104, "0.331"), (0.0004567, "0.000457"), (2.3456, "2.35"), (140.26, "140"), (0, "0.000")],
)
def test_three_significant_digits_are_shown(value: float, shown: str) -> None:
    assert numbers.significant(value) == shown
