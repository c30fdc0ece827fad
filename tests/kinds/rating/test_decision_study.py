"""How many ratings are enough, as the results page of a rating study says it."""

import math
from typing import Any

import numpy as np
import pytest

from annotation.kinds.rating.queries.decision_study import N_RATERS, decision_study
from scoring import Ratings, generalizability


def phase(ratings: Ratings) -> dict[str, Any]:
    return {
        "number": 1,
        "condition": "context_free",
        "generalizability": generalizability(ratings).as_dict(),
    }


def complete(spread: float, n_people: int = 5) -> Ratings:
    """So many people rate forty items, which differ so much."""
    rng = np.random.default_rng(1)
    person, unit = np.tile(np.arange(n_people), 40), np.repeat(np.arange(40), n_people)
    value = spread * rng.normal(size=40)[unit] + rng.normal(size=40 * n_people)
    return Ratings(person, unit, value, n_people, 40)


def test_the_table_has_both_coefficients_for_each_number_of_ratings() -> None:
    ratings = complete(2.0, n_people=30)
    table = decision_study(phase(ratings))

    assert [int(name.split()[0]) for name, _cells in table.rows] == [*N_RATERS]
    study = generalizability(ratings)
    for n, (_name, (relative, absolute)) in zip(N_RATERS, table.rows, strict=True):
        assert relative.startswith(f"{study.coefficient(n, 'relative'):.3f} (")
        assert absolute.startswith(f"{study.coefficient(n, 'absolute'):.3f} (")
    enough = study.raters_for(0.8, kind="absolute")
    assert enough is not None
    # The limits of one rating's Phi, stepped up to .8.
    low, high = study.limits(1, "absolute")
    fewest, most = (math.ceil(4 * (1 - phi) / phi) for phi in (high, low))
    said = f" {enough} people per item ({fewest} to {most})"
    assert any(said in text for _name, text, _is_missing in table.remarks)


def test_few_people_have_no_interval_of_phi_and_their_number_is_no_promise() -> None:
    ratings = complete(2.0)
    table = decision_study(phase(ratings))

    for _name, (relative, absolute) in table.rows:
        assert "(" in relative
        assert "(" not in absolute
    assert any("no interval" in text for _name, text, _is_missing in table.remarks)


@pytest.mark.parametrize(
    "ratings",
    [
        Ratings(np.zeros(0, int), np.zeros(0, int), np.zeros(0), 0, 0),
        Ratings(np.arange(3), np.arange(3), np.arange(3.0), 3, 3),
    ],
)
def test_without_components_the_table_says_why(ratings: Ratings) -> None:
    table = decision_study(phase(ratings))

    assert table.rows == []
    assert [text for _name, text, is_missing in table.remarks if is_missing]


def test_no_number_is_named_if_items_do_not_differ_or_too_many_are_needed() -> None:
    alike, hopeless = phase(complete(2.0)), phase(complete(2.0))
    alike["generalizability"]["components"]["items"]["share"] = 0.0
    for study in (alike, hopeless):
        study["generalizability"]["raters_for"] = [{"coefficient": 0.8, "absolute": None}]

    texts = [
        next(text for name, text, _missing in decision_study(study).remarks if "people" in name)
        for study in (alike, hopeless)
    ]

    assert "do not differ measurably" in texts[0]
    assert "more than 1,000" in texts[1]
