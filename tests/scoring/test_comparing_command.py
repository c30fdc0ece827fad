import csv
import json
import math
from pathlib import Path

import pytest

from tests.scoring.commands import Run, json_of, refusal, rows_of

TABLE = """\
id\thuman\tone\tflat\tkind
a\t1\t1.0\t2\tx
b\t2\t3\t2\tx
c\t3\t2e0\t2\ty
d\t\t9\t2\ty
e\t5\t\t3\ty
f\t4\t8\t2\ty
"""


@pytest.mark.parametrize(
    ("test", "statistic", "p_two_sided"),
    [("meng", -0.676617, 0.498649), ("steiger", -0.676848, 0.498503)],
)
def test_compare_prints_the_test_that_is_named(
    command: Run, test: str, statistic: float, p_two_sided: float
) -> None:
    arguments = ("--r12", ".636", "--r13", ".693", "--r23", ".52", "--n", "64")
    found = json_of(command("compare", *arguments, "--test", test, table=None))

    assert found["test"] == test
    assert found["statistic"] == pytest.approx(statistic, abs=1e-6)
    assert found["p_two_sided"] == pytest.approx(p_two_sided, abs=1e-6)
    assert found["p_lower"] + found["p_upper"] == pytest.approx(1)
    assert found["p_lower"] < found["p_upper"]
    if test == "meng":
        assert json_of(command("compare", *arguments, table=None)) == found


def test_compare_takes_two_sets_of_items(command: Run) -> None:
    arguments = ("--r1", ".4", "--n1", "100", "--r2", ".5", "--n2", "100", "--test", "fisher")
    found = json_of(command("compare", *arguments, table=None))

    assert found["statistic"] == pytest.approx(-0.8751012342, abs=1e-10)
    assert found["p_two_sided"] == pytest.approx(0.3815188256, abs=1e-10)


def test_compare_takes_a_stated_value(command: Run) -> None:
    arguments = ("--r", ".5", "--n", "28", "--value", "0", "--test", "one-sample")
    found = json_of(command("compare", *arguments, table=None))

    # artanh .5 = ln 3 / 2, times the root of 25
    assert found["statistic"] == pytest.approx(math.log(3) / 2 * 5)
    assert found["difference"] == 0.5
    assert found["interval"]["low"] > 0
    assert found["interval"]["definition"].startswith("Fisher's interval")


def test_compare_takes_two_correlations_without_a_common_variable(command: Run) -> None:
    arguments = "--r12 .5 --r34 .6 --r13 .8 --r14 .5 --r23 .5 --r24 .7 --n 103"
    found = json_of(
        command("compare", *arguments.split(), "--test", "non-overlapping-steiger", table=None)
    )

    assert found["statistic"] == pytest.approx(-1.4050, abs=5e-5)
    assert found["difference"] == pytest.approx(-0.1)
    assert found["interval"]["low"] < -0.1 < found["interval"]["high"]


def test_compare_says_the_interval_of_the_difference(command: Run) -> None:
    arguments = "--r12 .396 --r13 .179 --r23 .088 --n 66"
    found = json_of(command("compare", *arguments.split(), table=None))

    interval = found["interval"]
    assert (interval["low"], interval["high"]) == pytest.approx((-0.093, 0.517), abs=5e-4)
    assert "[Zou2007]" in interval["definition"]


RATERS = "annotator\tphase\tpearson\na\t1\t.8\nb\t1\t.7\nc\t1\t.3\nd\t1\t\n"


def test_raters_are_compared_with_a_measure(command: Run) -> None:
    found = json_of(command("compare-raters", "--value", ".5", table=RATERS))

    # mean .6, variance .07
    assert found["statistic"] == pytest.approx(0.1 / math.sqrt(0.07 / 3))
    assert (found["n"], found["n_left_out"]) == (3, 1)
    assert found["low"] < 0.1 < found["high"]


def test_raters_are_compared_with_other_raters(command: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.tsv"
    other.write_text("annotator\tphase\tpearson\ne\t1\t.5\nf\t1\t.3\ng\t2\t.9\n")

    pooled = json_of(
        command("compare-raters", "--other", str(other), "--phase", "1", table=RATERS)
    )
    welch = json_of(
        command("compare-raters", "--other", str(other), "--phase", "1", "--welch", table=RATERS)
    )

    assert pooled["test"] == "pooled"
    # (2 x .07 + 1 x .02) / 3, times 1/3 + 1/2
    assert pooled["statistic"] == pytest.approx(0.2 / math.sqrt(0.16 / 3 * 5 / 6))
    assert (welch["test"], welch["n_other"]) == ("welch", 2)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", "argument --value or --other"),
        ("--value .5 --other x.tsv", "argument --value or --other"),
        ("--value .5 --welch", "argument --welch is for two groups"),
        ("--value 1.5", "value is 1.5, but a correlation lies between -1 and 1"),
        ("--value .5 --column rho", "no column 'rho'"),
        ("--value .5 --phase 2", "argument --phase: - has no row of phase 2"),
    ],
)
def test_compare_raters_refuses_in_one_line(command: Run, arguments: str, expected: str) -> None:
    assert expected in refusal(command("compare-raters", *arguments.split(), table=RATERS))


def test_raters_of_several_phases_are_not_mixed(command: Run) -> None:
    table = RATERS.replace("b\t1", "b\t2")

    assert "several phases: name one with --phase" in refusal(
        command("compare-raters", "--value", ".5", table=table)
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--r12 .4", "argument --r13 is needed by the test meng, which needs --r12, --r13, --r23"),
        ("--r12 .4 --test fisher", "argument --r1 is needed by the test fisher"),
        (
            "--r1 .4 --n1 9 --r2 .5 --n2 9 --n 4 --test fisher",
            "argument --n is not used by the test fisher",
        ),
        ("--r12 1.4 --r13 .2 --r23 .1 --n 9", "r12 is 1.4, but a correlation lies between -1"),
        ("--r12 .9 --r13 -.9 --r23 .9 --n 9", "not positive semidefinite"),
        ("--r12 .4 --r13 .2 --r23 .1 --n 3", "at least 4 items"),
        ("--r12 a --r13 .2 --r23 .1 --n 9", "argument --r12: invalid float value: 'a'"),
        ("--r12 .4 --r13 .2 --r23 .1 --n 9 --test z", "argument --test: invalid choice: 'z'"),
    ],
)
def test_compare_refuses_in_one_line(command: Run, arguments: str, expected: str) -> None:
    assert expected in refusal(command("compare", *arguments.split(), table=None))


def correlated(command: Run, *arguments: str, table: str = TABLE) -> list[dict[str, str]]:
    header, *rows = rows_of(command("correlate", *arguments, table=table))
    return [dict(zip(header, row, strict=True)) for row in rows]


def test_correlate_leaves_out_what_is_missing_and_says_why_there_is_no_value(
    command: Run,
) -> None:
    one, flat = correlated(command, "--human", "human", "--measures", "one,flat")

    assert (one["subset"], one["measure"], one["n"], one["n_missing"]) == ("all", "one", "4", "2")
    assert float(one["spearman"]) == pytest.approx(0.8)
    assert float(one["kendall"]) == pytest.approx(2 / 3)
    assert float(one["pearson_low"]) < float(one["pearson"]) < float(one["pearson_high"])
    assert flat["n"] == "5"
    (constant,) = correlated(
        command, "--human", "human", "--measures", "flat", table=TABLE.replace("\t3\ty", "\t2\ty")
    )
    assert constant["pearson"] == constant["spearman"] == constant["kendall"] == ""
    assert "all values of one of the two variables are equal" in constant["reason"]


def test_correlate_takes_each_label_apart_and_all_together(command: Run) -> None:
    rows = correlated(command, "--human", "human", "--measures", "one", "--by", "kind")

    assert [(row["subset"], row["n"]) for row in rows] == [("x", "2"), ("y", "2"), ("all", "4")]


def test_a_bootstrap_interval_is_the_same_for_the_same_seed(command: Run) -> None:
    table = "human,one,pool\n" + "".join(f"{i},{(i * 7) % 10},p{i // 3}\n" for i in range(30))
    options = ("--human", "human", "--measures", "one", "--resamples", "50")

    of_items = ("--interval", "bca")
    of_pools = (*of_items, "--pools", "pool")
    first = correlated(command, *options, *of_items, table=table)
    again = correlated(command, *options, *of_items, table=table)
    pools = correlated(command, *options, *of_pools, table=table)
    other_seed = correlated(command, *options, *of_items, "--seed", "2", table=table)

    assert first == again
    assert first != other_seed
    assert first[0]["pearson"] == pools[0]["pearson"]
    assert first[0]["pearson_low"] != pools[0]["pearson_low"]


@pytest.mark.parametrize(
    ("arguments", "table", "expected"),
    [
        ("--human label --measures one", TABLE, "line 1: no column 'label'"),
        ("--human human --measures one,two", TABLE, "line 1: no column 'two'"),
        ("--human human --measures one,one", TABLE, "names a column twice"),
        ("--human human --measures one", TABLE.replace("2e0", "two"), "line 4: one 'two' is not"),
        ("--human human --measures one", TABLE.replace("2e0", "nan"), "line 4: one 'nan' is not"),
        ("--human human --measures one", TABLE.replace("2e0", "2_0"), "line 4: one '2_0' is not"),
        ("--human human", TABLE, "the following arguments are required: --measures"),
        (
            "--human human --measures one --by kind",
            TABLE.replace("\tx", "\tall"),
            "line 2: kind 'all' names all items together",
        ),
    ],
)
def test_correlate_refuses_in_one_line(
    command: Run, arguments: str, table: str, expected: str
) -> None:
    assert expected in refusal(command("correlate", *arguments.split(), table=table))


def test_correlate_finds_the_table_of_the_answer_similarity_study(
    command: Run, shared_data: Path
) -> None:
    folder = shared_data / "answer_similarity"
    expected = json.loads((folder / "germanquad_expected.json").read_text())
    with (folder / "germanquad.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    lines = ["label,f1,rouge_l,shares"]
    for row in rows:
        if row["label"]:
            shares = "f1_eq_0" if float(row["f1"]) == 0 else "f1_ne_0"
            lines.append(f"{row['label']},{row['f1']},{row['rouge_l']},{shares}")
    found = correlated(
        command,
        *("--human", "label", "--measures", "f1,rouge_l", "--by", "shares"),
        table="\n".join(lines) + "\n",
    )

    n_checked = 0
    for row in found:
        if row["subset"] == "all":
            continue
        published = expected["correlations_with_label"][row["subset"]]
        assert int(row["n"]) == published["n"]
        for coefficient, value in published[row["measure"]].items():
            if value is None:
                assert row[coefficient] == ""
            else:
                assert float(row[coefficient]) == pytest.approx(value, abs=6e-4)
            n_checked += 1
    assert n_checked == 12


def test_measures_are_rounded_where_that_is_asked_for(command: Run) -> None:
    table = "human\tm\n1\t.1004\n2\t.1001\n3\t.2\n4\t.3\n"
    asked = ("--human", "human", "--measures", "m")

    (plain,) = correlated(command, *asked, table=table)
    (rounded,) = correlated(command, *asked, "--round", "3", table=table)
    (given,) = correlated(
        command, *asked, table=table.replace(".1004", ".1").replace(".1001", ".1")
    )

    assert (plain["decimals"], rounded["decimals"]) == ("", "3")
    assert plain["spearman"] != rounded["spearman"]
    assert rounded["pearson"] == given["pearson"]
    assert "'x' is not a number from 0 to 15" in refusal(
        command("correlate", *asked, "--round", "x", table=table)
    )
