import csv
import io
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from scoring.baselines import model_process
from scoring.baselines.__main__ import main
from tests.scoring.commands import Run, json_of, refusal, rows_of

TABLE = '''\
id\tone\ttwo\tscore\tsas\tkind\tsd
1\tdas rote Haus\tein rotes Haus\t1.5\t0.7\ta\t0.5
2\tdas Haus brennt\tdas Haus brennt\t2\t0.9\ta\t0.25
3\tNone\tnan\t0\t0.1\tb\t0.5
4\t\t\t\t0.2\tb\t
5\t"eins, ""zwei"""\tdrei\t0.5\t\tb\t0.5
6\tdas Haus am See\tdas Haus\t1\t0.5\tb\t0.25
'''
# A test that is about intervals asks for resamples.
TEXTS = ("--first", "one", "--second", "two", "--human", "score", "--resamples", "0")
CONSTANT = "all values of one of the two variables are equal"


@pytest.fixture
def baselines(capsysbinary, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command on a table; return its exit status, output and errors."""

    def run(*arguments: str, table: str | None = TABLE) -> tuple[int, str, str]:
        if table is not None:
            arguments = ("-", *arguments)
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(table.encode())))
        status = main(list(arguments))
        out, errors = capsysbinary.readouterr()
        return status, out.decode(), errors.decode()

    return run


def report_of(ran: tuple[int, str, str]) -> list[dict[str, str]]:
    header, *rows = rows_of(ran)
    return [dict(zip(header, row, strict=True)) for row in rows]


def test_without_a_word_all_measures_that_need_no_model_are_reported(baselines: Run) -> None:
    rows = report_of(baselines(*TEXTS))

    assert [row["measure"] for row in rows] == [
        *("squad_f1", "exact_match", "rouge_l", "bleu", "chrf"),
        *("meteor", "edit_similarity", "jaccard", "tfidf"),
    ]
    assert {(row["subset"], row["n"], row["n_missing"]) for row in rows} == {("all", "5", "1")}
    # No pair shares four words.
    (bleu,) = [row for row in rows if row["measure"] == "bleu"]
    assert bleu["pearson"] == ""
    assert CONSTANT in bleu["reason"]


def test_published_correlations_are_found_from_the_answers(
    baselines: Run, shared_data: Path
) -> None:
    folder = shared_data / "answer_similarity"
    table = (folder / "germanquad.csv").read_text(encoding="utf-8")
    published = json.loads((folder / "germanquad_expected.json").read_text())
    names = list(published["correlations_with_label"]["all"])
    names.remove("n")
    computed = {"squad_f1": "f1", "rouge_l": "rouge_l", "bleu": "bleu"}

    rows = report_of(
        baselines(
            *("--first", "answer1", "--second", "answer2", "--human", "label"),
            *("--measures", ",".join(computed), "--columns", ",".join(names)),
            *("--subset", "f1-zero", "--resamples", "0"),
            table=table,
        )
    )

    assert len(rows) == 3 * (3 + 10)
    for row in rows:
        expected = published["correlations_with_label"][row["subset"]]
        name = row["measure"].removesuffix(" (column)")
        assert int(row["n"]) == expected["n"]
        for coefficient, value in expected[computed.get(name, name)].items():
            if value is None:
                assert row[coefficient] == ""
                assert CONSTANT in row["reason"]
            else:
                assert round(float(row[coefficient]), 3) == value


def test_columns_stand_beside_what_is_computed(baselines: Run) -> None:
    table = TABLE.replace("\tsas\t", "\tjaccard\t")

    rows = report_of(
        baselines(*TEXTS, "--measures", "jaccard", "--columns", "jaccard", table=table)
    )
    alone = report_of(baselines(*TEXTS, "--columns", "sas"))

    assert [(row["measure"], row["n"]) for row in rows] == [
        ("jaccard", "5"),
        ("jaccard (column)", "4"),
    ]
    assert rows[0]["pearson"] != rows[1]["pearson"]
    assert [row["measure"] for row in alone] == ["sas"]
    assert alone[0]["pearson"] == rows[1]["pearson"]


def test_subsets_stand_before_the_whole(baselines: Run) -> None:
    options = (*TEXTS, "--measures", "jaccard")

    by_overlap = report_of(baselines(*options, "--subset", "word-overlap"))
    by_label = report_of(baselines(*options, "--by", "kind", "--by", "sd"))
    where = "sas > 0.5 or matches(first, 'None')"
    status, out, errors = baselines(*options, "--where", where, "--subset", "f1-zero")
    by_both = report_of((status, out, ""))

    # The two empty texts are equal, though they share no word; nobody scored them.
    assert [(row["subset"], row["n"], row["n_missing"]) for row in by_overlap] == [
        ("no shared word", "2", "1"),
        ("shared word", "3", "0"),
        ("all", "5", "1"),
    ]
    assert [(row["subset"], row["n"], row["n_missing"]) for row in by_label] == [
        *(("kind: a", "2", "0"), ("kind: b", "3", "1")),
        *(("sd: 0.25", "2", "0"), ("sd: 0.5", "3", "0"), ("no sd", "0", "1")),
        ("all", "5", "1"),
    ]
    assert [(row["subset"], row["n"], row["n_missing"]) for row in by_both] == [
        *(("f1_eq_0", "2", "0"), ("f1_ne_0", "3", "1")),
        *((where, "3", "0"), (f"not ({where})", "2", "1")),
        ("all", "5", "1"),
    ]
    assert errors == f"note: 1 of 6 pairs lack sas, which {where} needs\n"


def test_values_are_written_beside_the_table(baselines: Run, tmp_path: Path) -> None:
    file = tmp_path / "values.tsv"
    table = TABLE.replace("\tsas\t", "\tjaccard\t")

    baselines(
        *TEXTS, "--measures", "jaccard,meteor:stemmer=german", "--values", str(file), table=table
    )

    with file.open(newline="", encoding="utf-8") as lines:
        header, *rows = csv.reader(lines, delimiter="\t")
    assert header == [
        *("id", "one", "two", "score", "jaccard", "kind", "sd"),
        *("jaccard (computed)", "meteor:stemmer=german"),
    ]
    assert [row[:7] for row in rows] == list(csv.reader(io.StringIO(table), delimiter="\t"))[1:]
    assert [float(row[7]) for row in rows] == [1 / 5, 1, 0, 1, 0, 2 / 4]
    # "rote" and "rotes" have one German stem, "das" and "ein" not.
    assert float(rows[0][8]) == pytest.approx((1 - 0.5 / 8) * 2 / 3)


def test_the_noise_ceiling_of_published_deviations(baselines: Run) -> None:
    options = (*TEXTS, "--measures", "jaccard")
    # Means 1.5, 2, 0, .5, 1: variance .625; errors: mean of .25, .0625, .25, .25, .0625 over 4
    error = (3 * 0.25 + 2 * 0.0625) / 5 / 4

    (with_raters,) = report_of(baselines(*options, "--deviation", "sd", "--raters", "4"))
    (without,) = report_of(baselines(*options, "--deviation", "sd"))
    (nothing,) = report_of(baselines(*options))

    assert float(with_raters["ceiling"]) == pytest.approx(math.sqrt(1 - error / 0.625))
    assert without["ceiling"] == nothing["ceiling"] == ""
    assert "how many" in without["reason"]


def test_differences_of_measures(baselines: Run) -> None:
    options = (*TEXTS, "--measures", "jaccard,squad_f1,chrf", "--test", "williams")

    rows = report_of(baselines(*options, "--format", "differences"))
    figures = json_of(baselines(*options, "--format", "json"))

    assert [(row["first"], row["second"], row["test"]) for row in rows] == [
        ("jaccard", "squad_f1", "williams"),
        ("jaccard", "chrf", "williams"),
        ("squad_f1", "chrf", "williams"),
    ]
    (everything,) = figures["subsets"]
    assert [str(one["test"]["statistic"]) for one in everything["differences"]] == [
        row["statistic"] for row in rows
    ]


def test_latex_of_one_subset_and_of_several(baselines: Run) -> None:
    options = (*TEXTS, "--measures", "squad_f1,bleu", "--format", "latex")

    status, one, _ = baselines(*options)
    _, several, _ = baselines(*options, "--by", "kind", "--coefficient", "kendall")
    _, with_intervals, _ = baselines(*options, "--interval", "fisher")

    assert status == 0
    assert r"measure & Pearson's $r$ & $p$ & Spearman's $\rho$ & Kendall's $\tau_b$ \\" in one
    assert r"SQuAD F1 & \textbf{" in one
    assert "measure & kind: a & kind: b & all" in several
    assert r"\caption{Kendall's $\tau_b$" in several
    assert "[" in with_intervals.split("SQuAD")[1].split("BLEU")[0]


def test_a_bootstrap_is_the_same_for_the_same_seed(baselines: Run) -> None:
    options = (*TEXTS, "--columns", "sas", "--resamples", "40")
    draw = np.random.default_rng(1)
    rows = [
        f"a\tb\t{score}\t{score + noise}\tdialogue {row // 2}\t{row // 3}"
        for row, (score, noise) in enumerate(draw.normal(size=(20, 2)).tolist())
    ]
    table = "\n".join(["one\ttwo\tscore\tsas\tten\tseven", *rows])

    first, again, other, pools, few = (
        report_of(baselines(*options, *more, table=table))
        for more in ((), (), ("--seed", "2"), ("--pools", "ten"), ("--pools", "seven"))
    )

    assert first == again
    assert first[0]["n_resamples"] == "40"
    assert first[0]["pearson"] == other[0]["pearson"] == pools[0]["pearson"]
    low = [rows[0]["pearson_percentile_low"] for rows in (first, other, pools)]
    assert len(set(low)) == 3
    assert [rows[0]["resampled"] for rows in (first, pools)] == ["items", "pools"]
    # Seven pools are too few to be drawn whole, but there is an interval over them.
    assert few[0]["pearson_bca_low"] == ""
    assert few[0]["pearson_fisher_low"] != first[0]["pearson_fisher_low"]
    assert (few[0]["pools"], first[0]["pools"]) == ("6", "")
    assert few[0]["within_pearson"] != first[0]["within_pearson"] == ""


FAKE = """\
import json, sys
request = json.load(open(sys.argv[2]))
assert sys.argv[1] == "score"
settings = request["settings"]
if settings.get("model") == "none":
    print("There is no model 'none': put its files into " + request["models"], file=sys.stderr)
    sys.exit(2)
pairs = [json.loads(line) for line in open(request["pairs"])]
import numpy
print(json.dumps({"progress": 0.5, "message": "half"}))
print("a library that talks")
numpy.save(request["values"], [len(pair["first"]) + settings.get("turns", 0) for pair in pairs])
print(json.dumps({"done": {}}))
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands for `python -m scoring.neural`: a measure is the length of the first text."""
    script = tmp_path / "fake.py"
    script.write_text(FAKE)
    monkeypatch.setattr(model_process, "COMMAND", (sys.executable, str(script)))
    return script


def test_a_measure_with_a_model_is_computed_by_its_own_process(
    baselines: Run, fake: Path, tmp_path: Path
) -> None:
    file = tmp_path / "values.tsv"

    rows = report_of(
        baselines(
            *TEXTS, "--model", "bi_encoder:some,context=front,turns=2", "--values", str(file)
        )
    )

    assert [(row["measure"], row["n"]) for row in rows] == [
        ("bi_encoder:some,context=front,turns=2", "5")
    ]
    written = [line.split("\t")[-1] for line in file.read_text().splitlines()[1:]]
    assert [float(value) for value in written] == [15, 17, 6, 2, 14, 17]


def test_what_the_process_refuses_is_said(baselines: Run, fake: Path, tmp_path: Path) -> None:
    ran = baselines(*TEXTS, "--model", "bi_encoder:none", "--models", str(tmp_path))

    assert refusal(ran) == f"bi_encoder: There is no model 'none': put its files into {tmp_path}"


@pytest.mark.parametrize(
    ("arguments", "table", "expected"),
    [
        ("--second two --human score", TABLE, "the following arguments are required: --first"),
        ("--first eins --second two --human score", TABLE, "line 1: no column 'eins'; the"),
        ("--first one --second two --human kind", TABLE, "line 2: kind 'a' is not a number"),
        ("", TABLE.replace("\tsas", "\tone"), "line 1: 2 columns 'one'"),
        ("", TABLE.splitlines()[0] + "\n", "line 1: there are no rows below the names"),
        ("", "", "line 1: there are no rows"),
        ("--measures f1", TABLE, "argument --measures: there is no measure 'f1'; there are "),
        ("--measures bleu,bleu", TABLE, "argument --measures or --model: bleu is named twice"),
        ("--measures ,", TABLE, "argument --measures: no measure is named"),
        ("--measures bi_encoder", TABLE, "needs a model: --model bi_encoder:FOLDER"),
        ("--measures meteor:german", TABLE, "'german' in 'meteor:german' is not NAME=VALUE"),
        ("--measures meteor:stemmer=x", TABLE, "argument --measures: meteor: stemmer is 'x', but"),
        ("--model some", TABLE, "'some' does not begin with one of bi_encoder,"),
        ("--model bi_encoder:", TABLE, "'bi_encoder:' names no model"),
        ("--model bi_encoder:x,y=1", TABLE, "argument --model: Bi-encoder has no setting 'y'"),
        ("--model bi_encoder:x,turns=-1", TABLE, "argument --model: the setting 'turns' of"),
        ("--columns sas,sas", TABLE, "argument --columns: sas,sas names a column twice"),
        ("--columns kind", TABLE, "line 2: kind 'a' is not a number"),
        ("--columns sas", TABLE.replace("0.9", "nan"), "line 3: sas 'nan' is not a number"),
        ("--by no", TABLE, "line 1: no column 'no'; the columns are id, one,"),
        ("--where has_digit(", TABLE, "column 10"),
        ("--where domain=='x'", TABLE, "line 1: no column 'domain'; the columns are id, one,"),
        ("--pools kind", TABLE.replace("\tb\t", "\t\t"), "line 4: kind is empty"),
        ("--resamples 1", TABLE, "argument --resamples: '1' is not a whole number of 2 or more"),
        ("--raters 4", TABLE, "argument --raters needs --deviation"),
        ("--deviation sas --raters 4", TABLE.replace("0.7", "-1"), "argument --deviation: "),
        ("--values /no/such/place.tsv", TABLE, "--values: cannot write /no/such/place.tsv: No"),
        ("--values .", TABLE, "argument --values: cannot write .: Is a directory"),
    ],
)
def test_wrong_input_costs_one_line(
    baselines: Run, arguments: str, table: str, expected: str
) -> None:
    texts = () if "--human" in arguments else TEXTS

    assert expected in refusal(baselines(*texts, *arguments.split(), table=table))


def test_a_file_that_is_not_there(baselines: Run) -> None:
    ran = baselines("no.csv", *TEXTS, table=None)

    assert refusal(ran) == "cannot read no.csv: No such file or directory"


def test_values_that_cannot_be_written_cost_no_table(baselines: Run, tmp_path: Path) -> None:
    file = tmp_path / "values.tsv"
    file.write_text("mine")

    refused = baselines(*TEXTS, "--columns", "no", "--values", str(file))

    assert "no column 'no'" in refusal(refused)
    assert file.read_text() == "mine"


def test_the_table_itself_is_not_written_over(baselines: Run, tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text(TABLE, encoding="utf-8")

    ran = baselines(str(file), *TEXTS, "--values", str(tmp_path / "." / "pairs.tsv"), table=None)

    assert "is the table itself: name another file" in refusal(ran)
    assert file.read_text(encoding="utf-8") == TABLE


def test_help_names_every_measure(baselines: Run, capsysbinary) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])

    said = capsysbinary.readouterr().out.decode()
    assert all(key in said for key in ("squad_f1", "tfidf", "word_vectors", "has_digit"))
