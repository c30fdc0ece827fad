import pytest

from tests.scoring.commands import Run, json_of, refusal

# Two people, three pairs; the first person rates the first pair again.
TABLE = """\
annotator,unit,value,note
ann,one,0,
ben,one,1,x
ann,two,3,
ben,two,3,
ann,three,6,
ben,three,5,
ann,one,2,
"""


def test_ratings_prints_scores_and_agreement_by_name(command: Run) -> None:
    found = json_of(command("ratings", "--low", "0", "--high", "6", table=TABLE))

    assert found["annotators_named"] == ["ann", "ben"]
    assert found["units_named"] == ["one", "two", "three"]
    assert (found["n_ratings"], found["n_repeats"], found["n_units"]) == (7, 1, 3)
    # The repeat is no part of the score.
    assert found["scores"]["mean"] == [0.5, 3.0, 5.5]
    assert found["scores"]["n"] == [2, 2, 2]
    assert found["calibration_curve"] is None
    assert found["error_by_thinking_time"] is None


def test_ratings_takes_the_columns_that_are_there(command: Run) -> None:
    rows = [
        f"{who},u{unit},{(unit + shift) % 7},{unit},{1000 * unit + 500},{int(unit < 4)}"
        for who, shift in (("ann", 0), ("ben", 1), ("cy", 0))
        for unit in range(12)
    ]
    header = "annotator,unit,value,order,thinking_ms,calibration\n"
    found = json_of(command("ratings", table=header + "\n".join(rows)))

    assert found["calibration_curve"] is not None
    assert found["error_by_thinking_time"] is not None
    assert found["annotators"]["n_calibration"] == [4, 4, 4]


def test_ratings_leaves_out_the_pools_that_the_table_names(command: Run) -> None:
    rows = [
        f"{name},item {n},{(n * 2 + (name == 'ann')) % 7},pool {n % 6}"
        for n in range(12)
        for name in ("ann", "ben")
    ]
    table = "\n".join(["annotator,unit,value,pool", *rows])

    found = json_of(command("ratings", table=table))
    said = refusal(
        command("ratings", table=table.replace("ben,item 7,0,pool 1", "ben,item 7,0,x"))
    )

    for figures in (found["alpha"]["interval"], found["icc"]["1,k"]):
        assert figures["interval"]["over"] == "pools"
        assert figures["interval"]["low"] is not None
    # The command of a single alpha reads them in the same way.
    of_level = json_of(command("alpha", "--level", "interval", table=table))
    assert of_level["low"] == found["alpha"]["interval"]["interval"]["low"]
    assert of_level["interval"]["over"] == "pools"
    assert "line 17: pool 'x' is not the pool of the unit's first line" in said


@pytest.mark.parametrize(
    ("arguments", "old", "new", "expected"),
    [
        ("", "6,", "six,", "line 6: value 'six' is not a number, as the statistics of ratings"),
        ("", "ben,two", ",two", "line 5: annotator is empty"),
        ("", "unit", "item", "line 1: no column 'unit'"),
        ("--high 5", "", "", "line 6: value 6 lies beyond the scale's end 5"),
        ("--low 1", "", "", "line 2: value 0 lies beyond the scale's end 1"),
        ("--low 3 --high 1", "", "", "argument --low: 3 is not below the scale's high end, 1"),
        ("--low nan", "", "", "argument --low: 'nan' is not a number"),
        ("", "note", "thinking_ms", "line 2: thinking_ms '' is not a number"),
    ],
)
def test_ratings_refuses_in_one_line(
    command: Run, arguments: str, old: str, new: str, expected: str
) -> None:
    table = TABLE.replace(old, new, 1) if old else TABLE
    assert expected in refusal(command("ratings", *arguments.split(), table=table))


@pytest.mark.parametrize("order", ["-1", "0.5"])
def test_an_order_is_counted_in_whole_numbers(command: Run, order: str) -> None:
    table = f"annotator,unit,value,order\na,u,1,0\na,v,1,{order}\n"

    said = refusal(command("ratings", table=table))
    assert said == f"line 3: order {order!r} is not a whole number of 0 or more"


def test_a_thinking_time_below_0_is_refused_with_its_line(command: Run) -> None:
    table = "annotator,unit,value,thinking_ms\na,u,1,900\na,v,1,-4\n"

    assert refusal(command("ratings", table=table)) == "line 3: thinking_ms '-4' is below 0"


def test_a_calibration_block_is_marked_by_0_and_1(command: Run) -> None:
    table = "annotator,unit,value,calibration\na,u,1,yes\n"
    assert "line 2: calibration 'yes' is not a number" in refusal(command("ratings", table=table))
    table = table.replace("yes", "2")
    assert "line 2: calibration '2' is neither 0 nor 1" in refusal(command("ratings", table=table))
