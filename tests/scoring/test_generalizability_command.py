import pytest

from tests.scoring.commands import Run, json_of, refusal

# Three people, three units; ann rates the first unit again.
TABLE = """\
annotator,unit,value,order
ann,one,5,3
ann,one,0,0
ben,one,1,0
cy,one,2,0
ann,two,3,1
ben,two,4,1
cy,two,3,1
ann,three,6,2
ben,three,5,2
"""


def test_generalizability_prints_components_and_a_decision_study(command: Run) -> None:
    figures = json_of(command("generalizability", table=TABLE))

    assert (figures["n_ratings"], figures["n_items"], figures["n_people"]) == (8, 3, 3)
    assert figures["reason"] is None
    assert not figures["is_complete"]
    assert figures["components"]["items"]["value"] > 3
    assert len(figures["decision_study"]) == 20
    assert figures["raters_for"][0] == {"coefficient": 0.7, "relative": 1, "absolute": 1}


def test_the_order_says_which_rating_is_the_first(command: Run) -> None:
    in_order = json_of(command("generalizability", table=TABLE))
    without = json_of(command("generalizability", table=TABLE.replace("order", "note")))

    assert in_order["components"] != without["components"]


def test_generalizability_leaves_out_the_pools_that_the_table_names(command: Run) -> None:
    rows = [
        f"{name},item {n},{(n * 2 + (name == 'ann')) % 7},pool {n % 6}"
        for n in range(12)
        for name in ("ann", "ben")
    ]

    figures = json_of(
        command("generalizability", table="\n".join(["annotator,unit,value,pool", *rows]))
    )

    assert figures["coefficients"]["relative"]["interval"]["over"] == "pools"
    assert figures["decision_study"][0]["relative_low"] is not None
    assert figures["decision_study"][0]["absolute_low"] is None


def test_what_cannot_be_computed_has_a_reason_in_the_file(command: Run) -> None:
    figures = json_of(command("generalizability", table="annotator,unit,value\nann,one,1\n"))

    assert figures["reason"] == "only one item was rated, so items cannot be compared"
    assert figures["components"]["items"]["value"] is None


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("6,2", "six,2", "line 9: value 'six' is not a number, as variance components need"),
        ("unit", "item", "line 1: no column 'unit'"),
        ("5,3", "5,-1", "line 2: order '-1' is not a whole number of 0 or more"),
    ],
)
def test_wrong_tables_are_refused(command: Run, old: str, new: str, expected: str) -> None:
    assert expected in refusal(command("generalizability", table=TABLE.replace(old, new, 1)))
