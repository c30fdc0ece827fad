"""Tables of a result say of each interval what it is over, and why it is missing."""

from typing import Any

from annotation.kinds.exports.table_of_result import (
    NOT_COMPUTED,
    interval_columns,
    interval_notes,
)
from annotation.kinds.queries.interval_words import about_interval
from annotation.kinds.ranking.exports import tables
from annotation.kinds.rating.exports.tables import Statistic, _interval
from scoring.jackknife import Sampled, Variance
from shell.messages import message

ERROR = Variance(0.01, 20)


def stored(n_people: int, *, left_out: Any = "pools", n_units: int = 12) -> dict[str, Any]:
    return Sampled(left_out, n_units, n_people, float(n_people)).interval(0.6, ERROR).as_dict()


OF_BOTH, OF_THESE = stored(40), stored(8)
MISSING = Sampled("items", 12, 40, 40.0).nothing(message("stored")).as_dict()


def cells(interval: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(column.value(interval) for column in interval_columns(lambda row: row))


def test_columns_say_what_an_interval_is_over() -> None:
    assert cells(OF_BOTH) == (OF_BOTH["low"], OF_BOTH["high"], "people and pools", "")
    low, high, over, note = cells(OF_THESE)
    assert (low, high, over) == (OF_THESE["low"], OF_THESE["high"], "pools")
    assert note == str(OF_THESE["note"])
    assert cells(MISSING) == (None, None, "", "stored")
    assert cells({}) == (None, None, "", "")
    assert cells(dict(NOT_COMPUTED))[3]


def test_notes_of_a_table_say_it_once_for_all_figures() -> None:
    intervals = [("a", OF_THESE), ("b", OF_BOTH), ("c", MISSING), ("d", OF_THESE), ("e", MISSING)]

    of_people, missing = interval_notes(intervals)

    assert of_people.startswith("The intervals of a and d account for the choice of pools only")
    assert missing == "c; e: no interval, because stored."
    *_others, not_computed = interval_notes([*intervals, ("f", NOT_COMPUTED), ("g", NOT_COMPUTED)])
    assert not_computed == "No interval is computed for the other values."


def test_what_stands_below_a_table() -> None:
    assert about_interval(OF_BOTH) == "95 % intervals for other people and other pools."
    assert about_interval(OF_THESE) == OF_THESE["note"]
    assert about_interval(MISSING) == "No interval: stored."
    assert about_interval(None) is about_interval({}) is None


def test_intervals_by_the_f_distribution_say_so() -> None:
    """Of ICC(3,.) the people are taken for given, of ICC(2,.) they are sampled, too."""
    for kind, over in (("2,1", "people and items"), ("3,k", "items")):
        icc = {"kind": kind, "low": 0.1, "high": 0.4, "reason": None, "interval": None}
        interval = _interval(Statistic(1, "icc", "ICC", 0.3, icc, 20))

        assert cells(dict(interval))[:3] == (0.1, 0.4, over)
        assert "F distribution" in cells(dict(interval))[3]
        (note,) = interval_notes([("ICC", interval)])
        assert note.startswith("ICC: interval by the F distribution")


def test_a_ranking_says_what_its_intervals_are_over() -> None:
    concordance = {"w": 0.6, "expected": 0.2, "mean_spearman": 0.5}
    concordance |= {"interval": OF_THESE, "spearman_interval": MISSING}
    halves = {"spearman": {"mean": 0.6}, "interval": OF_BOTH, "spearman_brown": {"value": 0.7}}

    (table,) = tables.tables_of({"overall": {"concordance": concordance, "split_half": halves}})

    assert [row[4] for row in table.rows] == ["pools", "", "", "people and pools", ""]
    assert all(row[2] is not None or row[5] for row in table.rows)
    assert "Kendall's W accounts for the choice of pools only" in table.latex
    assert "no interval, because stored" in table.latex
    assert "Spearman-Brown:" not in table.latex
    assert "No interval is computed for the other values." in table.latex
