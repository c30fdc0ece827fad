import csv
import json
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


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--r12 .4", "argument --r13 is needed by the test meng, which takes --r12, --r13, --r23"),
        ("--r12 .4 --test fisher", "argument --r1 is needed by the test fisher"),
        (
            "--r1 .4 --n1 9 --r2 .5 --n2 9 --n 4 --test fisher",
            "argument --n is not of the test fisher",
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
    assert "the values of one side are all equal" in constant["reason"]


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
