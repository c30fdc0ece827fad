import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from scoring import alpha, split_half
from scoring.__main__ import main
from scoring.best_worst.compliance import compliance
from scoring.best_worst.ranking import rank
from tests.scoring.commands import SMALL, Run, json_of, refusal, rows_of

ROOT = Path(__file__).resolve().parents[2]


def test_counting_by_hand(command: Run) -> None:
    assert command("counting") == (
        0,
        "item\tappearances\tbest\tworst\tscore\trescaled\n"
        "None\t3\t2\t0\t0.6666666666666666\t0.8333333333333333\n"
        "nan\t3\t1\t1\t0.0\t0.5\n"
        "x, y\t2\t0\t1\t-0.5\t0.25\n"
        "false\t1\t0\t1\t-1.0\t0.0\n",
        "",
    )


def test_equal_scores_are_in_the_order_of_the_items(command: Run) -> None:
    table = "Item1,Item2,BestItem,WorstItem\nb,c,c,b\nB,a,a,B\nb,a,b,a\nc,B,B,c\n"

    rows = rows_of(command("counting", table=table))

    assert [row[0] for row in rows[1:]] == ["B", "a", "b", "c"]


def test_counting_agrees_with_other_peoples_program(command: Run, shared_data: Path) -> None:
    folder = shared_data / "best_worst_3tuples"

    rows = rows_of(command("counting", str(folder / "annotations.csv"), table=None))

    with (folder / "expected_scores.csv").open(newline="") as file:
        expected = {row["item"]: row for row in csv.DictReader(file)}
    assert len(rows) == 301
    for item, appearances, best, worst, score, rescaled in rows[1:]:
        row = expected[item]
        assert (appearances, best, worst) == (row["n"], row["best"], row["worst"])
        assert float(score) == pytest.approx(float(row["score"]), abs=1e-9)
        assert float(rescaled) == pytest.approx(float(row["score01"]), abs=1e-9)
    scores = [float(row[4]) for row in rows[1:]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\n\n").rstrip("\n"),
        lambda text: (
            text.replace("x, y", "@").replace('"', "").replace(",", "\t").replace("@", "x, y")
        ),
        lambda text: (
            text.replace("x, y", "@").replace('"', "").replace(",", "\t").replace("@", "x, y")
        ).replace("\n", "\r"),
        lambda text: text.replace(",first", ',"of\ntwo lines"'),
        lambda text: text.replace("last\n", "last,,\n"),
    ],
    ids=[
        "windows",
        "mark",
        "blank lines",
        "tabs",
        "tabs and old line ends",
        "quoted line end",
        "empty cells beyond",
    ],
)
def test_the_same_table_in_other_clothes(command: Run, change: Callable[[str], str]) -> None:
    assert command("counting", table=change(SMALL)) == command("counting")


def test_items_come_out_as_they_went_in(command: Run) -> None:
    items = ['say "hi"', "tab\there", "two\nlines", "Grüße ", " '", "=1+1", "a\u2028b"]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*(f"Item{i}" for i in range(1, 8)), "BestItem", "WorstItem"])
    writer.writerow([*items, items[0], items[1]])

    rows = rows_of(command("counting", table=out.getvalue()))

    assert {row[0] for row in rows[1:]} == set(items)


@pytest.mark.parametrize("rule", ["random", "fixed"])
def test_split_half_agrees_with_other_peoples_program(
    command: Run, rule: str, published, shared_data: Path
) -> None:
    file = str(shared_data / "best_worst_3tuples" / "annotations.csv")

    figures = json_of(
        command("split-half", file, "--splits", "100", "--rule", rule, "--seed", "1", table=None)
    )

    assert (figures["rule"], figures["n_splits"]) == (rule, 100)
    for name in ("spearman", "pearson"):
        expected = published.expected["split_half"][rule][name]
        error = expected["sd_of_one_split"] / 10
        assert figures[name]["mean"] == pytest.approx(expected["mean"], abs=4 * error)
        assert figures[name]["low"] < figures[name]["mean"] < figures[name]["high"]
        assert figures[name]["reason"] is None
    stepped = figures["spearman_brown"]
    if rule == "fixed":
        assert stepped["value"] is stepped["mean"] is None
        assert "needs equal halves" in stepped["reason"]
    else:
        r = figures["pearson"]["mean"]
        assert stepped["value"] == pytest.approx(2 * r / (1 + r))
        assert stepped["mean"] == pytest.approx(stepped["value"], abs=1e-4)


@pytest.mark.slow
def test_split_half_is_fixed_by_its_seed(command: Run, shared_data: Path) -> None:
    file = str(shared_data / "best_worst_3tuples" / "annotations.csv")
    one, same, other = (
        command("split-half", file, "--splits", "5", "--seed", seed, table=None)
        for seed in ("1", "1", "2")
    )

    assert one == same != other


@pytest.mark.parametrize("column", ["Annotator", "WorkerId"])
def test_people_are_read_from_their_column(command: Run, column: str, published) -> None:
    figures = json_of(
        command("split-half", "--rule", "annotator", table=SMALL.replace("Annotator", column))
    )

    assert figures["n_items"] >= 3
    assert figures["rule"] == "annotator"


def test_split_half_of_published_people(command: Run, published, shared_data: Path) -> None:
    file = str(shared_data / "best_worst_3tuples" / "annotations.csv")

    figures = json_of(
        command("split-half", file, "--rule", "annotator", "--splits", "50", table=None)
    )

    # Items and people are numbered otherwise here, so it is not the same draw.
    ours = split_half(
        published.answers, rule="annotator", n_splits=50, rng=np.random.default_rng(2)
    )
    error = ours.pearson.sd / np.sqrt(50)
    assert figures["pearson"]["mean"] == pytest.approx(ours.pearson.mean, abs=6 * error)


def test_what_is_undefined_is_null_with_a_reason(command: Run) -> None:
    single = "Item1,Item2,Item3,BestItem,WorstItem\na,b,c,a,b\n"

    halves = json_of(command("split-half", "--rule", "fixed", table=single))
    coefficient = json_of(command("alpha", table=single))
    one_split = json_of(command("split-half", "--splits", "1"))

    assert halves["spearman"]["mean"] is halves["pearson"]["low"] is None
    assert halves["spearman"]["reason"].startswith("no tuple has two answers")
    assert coefficient["alpha"] is coefficient["low"] is None
    assert coefficient["reason"] == coefficient["interval"]["reason"]
    assert one_split["pearson"]["sd"] is None
    assert one_split["pearson"]["reason"]


@pytest.mark.parametrize("on", ["best", "worst", "stacked", "joint"])
@pytest.mark.parametrize("coding", ["slot", "item", "uniform"])
def test_alpha_agrees_with_other_peoples_program(
    command: Run, on: str, coding: str, published, shared_data: Path
) -> None:
    file = str(shared_data / "best_worst_3tuples" / "annotations.csv")

    figures = json_of(command("alpha", file, "--on", on, "--coding", coding, table=None))

    if coding != "uniform":
        expected = published.expected["alpha"][f"{on} {coding}"]
        assert figures["alpha"] == pytest.approx(expected, abs=1e-10)
    assert figures["alpha"] == alpha(published.answers, on=on, coding=coding).value
    assert figures["low"] < figures["alpha"] < figures["high"]
    twice = 2 if on == "stacked" else 1
    assert (figures["n_units"], figures["n_values"]) == (600 * twice, 3000 * twice)
    interval = figures["interval"]
    assert (interval["left_out"], interval["n_units"]) == ("pools", 60)
    assert (figures["chance_level"] is not None) == (coding == "item")


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_of_ratings_is_the_textbooks(command: Run, level: str, shared_data: Path) -> None:
    example = json.loads((shared_data / "statistics_examples.json").read_text())[
        "krippendorff_alpha_3x15"
    ]
    table = "unit\tnote\tvalue\tannotator\n" + "".join(
        f"u{unit}\t\t{value}\t{annotator}\n"
        for annotator, values in enumerate(example["matrix_coders_x_units"])
        for unit, value in enumerate(values)
        if value is not None
    )

    figures = json_of(command("alpha", "--level", level, table=table))

    assert figures["alpha"] == pytest.approx(example["alpha"][level], abs=1e-12)
    assert (figures["n_units"], figures["n_values"], figures["n_dropped"]) == (12, 26, 1)
    assert figures["low"] is None
    assert "1 and 12" in figures["interval"]["reason"]


@pytest.mark.parametrize(
    ("level", "last", "message"),
    [
        ("interval", "b,u,x", "line 3: value 'x' is not a number, as level interval needs"),
        ("interval", "b,u,1_0", "line 3: value '1_0' is not a number, as level interval needs"),
        ("ordinal", "b,u,nan", "line 3: value 'nan' is not a number, as level ordinal needs"),
        ("ratio", "b,u,-1", "line 3: value '-1' is below 0, which level ratio cannot have"),
        ("nominal", "a,u,2", "line 3: 'a' has already given 'u' a value on line 2"),
        ("nominal", "b,u, ", "line 3: value is empty"),
        ("nominal", ",u,1", "line 3: annotator is empty"),
    ],
)
def test_wrong_ratings_are_refused(command: Run, level: str, last: str, message: str) -> None:
    table = f"annotator,unit,value\na,u,1\n{last}\n"

    assert refusal(command("alpha", "--level", level, table=table)) == message


def test_ratings_that_cannot_be_compared_have_a_reason(command: Run) -> None:
    one_each, equal = (
        json_of(command("alpha", "--level", "interval", table="annotator,unit,value\n" + rows))
        for rows in ("a,u,1\na,v,2\n", "a,u,1\nb,u,1\na,v,1\nb,v,1\n")
    )

    assert (one_each["alpha"], one_each["reason"]) == (None, "no item has two ratings")
    assert equal["alpha"] is None
    assert equal["reason"].startswith("all values are equal")


@pytest.mark.parametrize("model", ["pairs", "maxdiff"])
def test_rank_prints_the_fitted_utilities(
    command: Run, model: str, published, shared_data: Path
) -> None:
    file = str(shared_data / "best_worst_3tuples" / "annotations.csv")

    rows = rows_of(command("rank", file, "--model", model, table=None))

    expected = rank(published.answers, model=model)
    number = {item: i for i, item in enumerate(published.item_ids)}
    assert rows[0] == ["item", "pool", "rank", "utility", "standard_error", "ridge"]
    assert len(rows) == 301
    for item, _, _, utility, error, _ in rows[1:]:
        assert float(utility) == pytest.approx(expected.utilities[number[item]], abs=1e-6)
        assert float(error) == pytest.approx(expected.standard_errors[number[item]], abs=1e-6)
    assert [row[1:3] for row in rows[1:11]] == [
        [str(pool), str(place)] for pool in (1, 2) for place in range(1, 6)
    ]
    assert {row[5] for row in rows[1:]} == {"0.0", "0.1"}


def test_compliance_prints_the_lowest_first(command: Run, published, shared_data: Path) -> None:
    file = str(shared_data / "best_worst_3tuples" / "annotations.csv")

    rows = rows_of(command("compliance", file, table=None))

    assert rows[0] == ["annotator", "answers", "pairs", "left_out", "compliance"]
    shares = [float(row[4]) for row in rows[1:]]
    assert shares == sorted(shares)
    assert shares == pytest.approx(sorted(compliance(published.answers).share))


def test_compliance_of_one_who_shares_no_item_is_empty(command: Run) -> None:
    table = SMALL + "C,p,q,r,p,q,\n"

    rows = rows_of(command("compliance", table=table))

    assert rows[-1] == ["C", "1", "0", "3", ""]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "line 1: there are no rows"),
        ("\n\n", "line 1: there are no rows"),
        (SMALL.splitlines()[0], "line 1: there are no rows below the names of the columns"),
        (
            SMALL.replace("WorstItem", "Worst"),
            "line 1: no column 'WorstItem'; the columns are Annotator, Item1, Item2, Item3, "
            "BestItem, Worst, Note",
        ),
        (
            SMALL.replace("Item2", "Item02"),
            "line 1: no column 'Item2'; the columns are Annotator, Item1, Item02, Item3, "
            "BestItem, WorstItem, Note",
        ),
        (
            SMALL.replace("Note", "BestItem"),
            "line 1: 2 columns 'BestItem'; the columns are Annotator, Item1, Item2, Item3, "
            "BestItem, WorstItem, BestItem",
        ),
        (
            "Item1,BestItem,WorstItem\na,a,a\n",
            "line 1: no column 'Item2'; the columns are Item1, BestItem, WorstItem",
        ),
        (
            SMALL.replace("A,nan,None,false,nan,false", "A,nan,None,false,nan,nan"),
            "line 4: 'nan' is both the best and the worst item",
        ),
        (
            SMALL.replace("None,None,nan,", "None,NONE,nan,"),
            "line 3: BestItem 'NONE' is not one of the 3 items shown ('nan', 'x, y', 'None')",
        ),
        (
            SMALL.replace("nan,false,last", "nan,,last"),
            "line 4: WorstItem '' is not one of the 3 items shown ('nan', 'None', 'false')",
        ),
        (SMALL.replace(",last", ""), "line 4: the row has 6 cells, but there are 7 columns"),
        (SMALL.replace("last", "last,x"), "line 4: the row has 8 cells, but there are 7 columns"),
        (SMALL.replace("A,nan,None,f", "A,nan, ,f"), "line 4: Item2 is empty"),
        (SMALL.replace("A,nan,None,f", "A,nan,nan,f"), "line 4: Item1 and Item2 are both 'nan'"),
        (
            SMALL.replace(",first", ',"of\ntwo lines"').replace(",last", ""),
            "line 5: the row has 6 cells, but there are 7 columns",
        ),
        (SMALL.replace("last", '"last'), "line 4: unexpected end of data"),
        (SMALL.replace("last", '"last"x'), "line 4: ',' expected after '\"'"),
        (SMALL.encode() + b"\xff", "line 5: not UTF-8 (invalid start byte)"),
        (SMALL.replace("last", "la\0st"), "line 4: NUL in a table of text"),
    ],
)
def test_wrong_tables_are_refused_with_their_line(
    command: Run, table: str | bytes, message: str
) -> None:
    assert refusal(command("counting", table=table)) == message


@pytest.mark.parametrize("arguments", [("split-half", "--rule", "annotator"), ("compliance",)])
def test_people_are_needed_where_they_matter(command: Run, arguments: tuple[str, ...]) -> None:
    nobody = SMALL.replace("Annotator", "Who")
    unnamed = SMALL.replace("B,nan", ",nan")

    assert refusal(command(*arguments, table=nobody)).startswith(
        "line 1: no column 'Annotator' or 'WorkerId', which says who answered"
    )
    assert refusal(command(*arguments, table=unnamed)) == "line 3: Annotator is empty"
    assert command("counting", table=nobody)[0] == command("counting", table=unnamed)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["counting"], "the following arguments are required: FILE"),
        (["split-half", "-", "--splits", "0"], "argument --splits: '0' is not a whole number of"),
        (["split-half", "-", "--seed", "-1"], "argument --seed: '-1' is not a whole number of 0"),
        (["split-half", "-", "--rule", "odd"], "argument --rule: invalid choice: 'odd'"),
        (["alpha", "-", "--on", "both"], "argument --on: invalid choice: 'both'"),
        (["alpha", "-", "--on", "best", "--level", "ratio"], "argument --on: not allowed with"),
        (["rank", "-", "--ridge", "0"], "argument --ridge: '0' is not a number above 0"),
        (["rank", "-", "--ridge", "x"], "argument --ridge: 'x' is not a number above 0"),
        (["count", "-"], "argument COMMAND: invalid choice: 'count'"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(
    command: Run, arguments: list[str], message: str
) -> None:
    said = refusal(command(*arguments, table=None))

    assert said.startswith(message)
    assert said.endswith("(see --help)")


def test_a_missing_file_is_refused(command: Run) -> None:
    said = refusal(command("counting", "no/such", table=None))

    assert said == "cannot read no/such: No such file or directory"


@pytest.mark.parametrize("name", ["counting", "split-half", "alpha", "rank", "compliance"])
def test_every_command_explains_itself(name: str, capsys) -> None:
    with pytest.raises(SystemExit) as left:
        main([name, "--help"])

    assert left.value.code == 0
    assert f"example:\n  python -m scoring {name} " in capsys.readouterr().out


def run_in_shell(*arguments: str, content: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "scoring", *arguments],
        cwd=ROOT,
        input=content,
        capture_output=True,
        check=False,
        # The locale of a container: what is read and written is UTF-8 all the same.
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    )


@pytest.mark.slow
def test_it_runs_from_the_shell_in_any_locale() -> None:
    content = "Item1,Item2,BestItem,WorstItem\nGrüße,Děkuji,Grüße,Děkuji\n".encode()

    done = run_in_shell("counting", "-", content=content)
    wrong = run_in_shell("counting", "-", content=content.replace(b",Gr", b",G"))

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines()[1].startswith("Grüße\t1\t1\t0\t1.0\t1.0")
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count(b"\n")) == (1, b"", 1)


@pytest.mark.slow
def test_a_reader_may_stop_early() -> None:
    rows = "".join(f"item {i},item {i + 1},item {i},item {i + 1}\n" for i in range(20_000))
    with subprocess.Popen(
        [sys.executable, "-m", "scoring", "counting", "-"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as command:
        assert command.stdin
        assert command.stdout
        assert command.stderr
        command.stdin.write(b"Item1,Item2,BestItem,WorstItem\n" + rows.encode())
        command.stdin.close()
        command.stdout.readline()
        command.stdout.close()

        assert command.stderr.read() == b""
        assert command.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "scoring", "counting", "-"],
            cwd=ROOT,
            input=SMALL.encode(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr == b"error: cannot write the output: No space left on device\n"
