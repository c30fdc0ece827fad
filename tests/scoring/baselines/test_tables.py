import csv
import io
import json
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.baselines.latex import latex_by_subset, latex_of_subset
from scoring.baselines.latex_writing import escape
from scoring.baselines.report import TypicalHuman, baseline_report
from scoring.baselines.tables import correlations_tsv, differences_tsv
from scoring.measures.noise_ceiling import NoiseCeiling

TYPICAL = TypicalHuman(0.8, 0.05, 0.9, 0.7, 12)


def report_of(
    *,
    n_resamples: int = 40,
    typical_human: TypicalHuman | None = None,
    decimals: int | None = None,
) -> dict[str, Any]:
    """A report as it is stored: in and out of JSON."""
    draw = np.random.default_rng(3)
    human = draw.exponential(size=60)
    measures = {
        "close": human + 0.5 * draw.normal(size=60),
        "nearly_as close": human + 0.6 * draw.normal(size=60),
        "against": -human + draw.normal(size=60),
        "constant": np.ones(60),
    }
    report = baseline_report(
        human,
        measures,
        subsets={"few\t& far": np.arange(60) < 5, "all": np.ones(60, dtype=bool)},
        ceilings={"all": NoiseCeiling(0.95, 0.9025, "icc-1-k", None, 0.9, 0.97)},
        n_resamples=n_resamples,
        test="meng",
        typical_human=typical_human,
        decimals=decimals,
        rng=np.random.default_rng(1),
    )
    stored: dict[str, Any] = json.loads(json.dumps(report.as_dict()))
    return stored


def rows_of(tsv: str) -> list[dict[str, str]]:
    assert "\r" not in tsv
    return list(csv.DictReader(io.StringIO(tsv, newline=""), delimiter="\t", strict=True))


def test_correlations_as_tsv_have_all_digits() -> None:
    report = report_of()

    rows = rows_of(correlations_tsv(report))

    assert [(row["subset"], row["measure"]) for row in rows] == [
        (subset["name"], measure) for subset in report["subsets"] for measure in report["measures"]
    ]
    of_all = report["subsets"][1]["rows"][0]
    cells = rows[4]
    assert (cells["n"], cells["n_missing"], cells["reason"]) == ("60", "0", "")
    assert (cells["resampled"], cells["n_resamples"]) == ("items", "40")
    assert (cells["ceiling"], cells["ceiling_source"]) == ("0.95", "icc-1-k")
    for name, found in of_all["correlations"].items():
        assert float(cells[name]) == found["value"]
        assert float(cells[f"{name}_p"]) == found["p_value"]
        for method, interval in found["intervals"].items():
            assert float(cells[f"{name}_{method}_low"]) == interval["low"]
            assert float(cells[f"{name}_{method}_high"]) == interval["high"]


def test_an_undefined_figure_is_an_empty_cell_with_a_reason() -> None:
    few, constant = (rows_of(correlations_tsv(report_of()))[n] for n in (0, 7))

    assert constant["measure"] == "constant"
    assert constant["reason"] == "all values of one of the two variables are equal"
    figures = [name for name in constant if re.match("pearson|spearman|kendall", name)]
    assert len(figures) == 24
    assert {constant[name] for name in figures} == {""}
    assert few["ceiling"] == ""
    assert "ceiling: the noise ceiling of this subset was not computed" in few["reason"]


def test_differences_as_tsv() -> None:
    report = report_of()

    rows = rows_of(differences_tsv(report))

    assert len(rows) == 2 * 6
    assert list(rows[0])[:11] == [
        *("subset", "first", "second", "n", "n_missing", "test", "statistic", "df"),
        *("p_two_sided", "p_lower", "p_upper"),
    ]
    cells, pair = rows[6], report["subsets"][1]["differences"][0]
    assert (cells["first"], cells["second"], cells["test"]) == ("close", "nearly_as close", "meng")
    assert float(cells["statistic"]) == pair["test"]["statistic"]
    kendall = pair["differences"]["kendall"]
    assert float(cells["kendall_difference"]) == kendall["difference"]
    assert float(cells["kendall_p"]) == kendall["p_value"]
    assert float(cells["kendall_high"]) == kendall["interval"]["high"]
    assert cells["left_out"] == "items"
    undefined = rows[8]
    assert undefined["second"] == "constant"
    assert undefined["pearson_difference"] == undefined["statistic"] == ""
    assert undefined["reason"] == (
        "constant has no correlation with people's scores: all values of one of the two variables"
        " are equal"
    )


def test_tsv_without_resamples() -> None:
    report = report_of(n_resamples=0)

    row, pair = rows_of(correlations_tsv(report))[4], rows_of(differences_tsv(report))[6]

    assert row["pearson_fisher_low"] != row["pearson_bca_low"] == ""
    assert (row["resampled"], row["n_resamples"]) == ("", "0")
    # Differences need no resamples.
    assert float(pair["pearson_p"]) < 1


def test_names_come_back_from_tsv_as_they_were() -> None:
    report = report_of()
    names = ["a\tb", 'say "x"', "two\nlines", "=SUM(A1)"]
    renamed = json.loads(json.dumps(report))
    for subset in renamed["subsets"]:
        for row, name in zip(subset["rows"], names, strict=True):
            row["measure"] = name

    rows = rows_of(correlations_tsv(renamed))

    assert [row["measure"] for row in rows] == names * 2


def line_of(table: str, start: str) -> str:
    (line,) = (line for line in table.splitlines() if line.startswith(start))
    return line


def test_latex_by_subset() -> None:
    report = report_of(typical_human=TYPICAL)
    value = {
        row["measure"]: f"{row['correlations']['pearson']['value']:.3f}"
        for row in report["subsets"][1]["rows"]
        if row["correlations"]["pearson"]["value"] is not None
    }

    table = latex_by_subset(report)

    assert line_of(table, "measure") == r"measure & few \& far & all \\"
    assert line_of(table, "$n$") == r"$n$ & 5 & 60 \\"
    assert line_of(table, "close").endswith(rf"& \textbf{{{value['close']}}} \\")
    near = line_of(table, r"nearly\_as close")
    assert near.endswith(rf"& {value['nearly_as close']}\textsuperscript{{$\dagger$}} \\")
    assert value["against"].startswith("-")
    assert line_of(table, "against").endswith(rf"& {value['against'].replace('-', '$-$')} \\")
    dash = r"--\textsuperscript{a}"
    assert line_of(table, "constant") == rf"constant & {dash} & {dash} \\"
    assert line_of(table, "noise ceiling") == r"noise ceiling & --\textsuperscript{b} & 0.950 \\"
    assert (
        line_of(table, "typical human") == r"typical human &  & 0.800 {\small [0.700, 0.900]} \\"
    )
    assert r"\textsuperscript{a} all values of one of the two variables are equal." in table
    assert r"\textsuperscript{b} the noise ceiling of this subset was not computed." in table
    assert "Meng, Rosenthal and Rubin" in table
    assert "ddagger" not in table
    # The last rows of the table: measures, then the ceiling
    assert table.index("constant &") < table.index("noise ceiling &") < table.index("bottomrule")


def test_a_measure_is_marked_by_the_level_that_is_asked_for() -> None:
    report = report_of()
    pair = report["subsets"][1]["differences"][0]
    # What the test alone gives is not what counts.
    pair["test"]["p_two_sided"], p = 0.01, 0.03
    pair["p_corrected"] = p

    def is_marked(alpha: float) -> bool:
        table = latex_by_subset(report, alpha=alpha)
        return line_of(table, r"nearly\_as").endswith(r"\textsuperscript{$\dagger$} \\")

    assert is_marked(p)
    assert not is_marked(math.nextafter(p, 1))
    assert "behind it are corrected by Holm" in latex_by_subset(report)
    assert "behind it are not corrected" in latex_by_subset(report, coefficient="spearman")
    # Whoever is better on the items of both is not below the best one.
    pair["differences"]["pearson"]["difference"] *= -1
    pair["p_corrected"] = 0.001
    assert is_marked(0.05)


def test_latex_of_one_subset_with_intervals() -> None:
    report = report_of()
    found = report["subsets"][1]["rows"][0]["correlations"]["kendall"]
    low, high = (found["intervals"]["bca"][end] for end in ("low", "high"))

    table = latex_of_subset(report, interval="bca")

    assert line_of(table, "measure") == (
        r"measure & Pearson's $r$ & $p$ & Spearman's $\rho$ & Kendall's $\tau_b$ \\"
    )
    assert line_of(table, "close").endswith(
        rf"\textbf{{{found['value']:.3f}}} {{\small [{low:.3f}, {high:.3f}]}} \\"
    )
    assert r"95\,\% interval by the bootstrap (BCa) over items." in table
    assert "by the jackknife over pools or items" in table
    # The ceiling bounds Pearson's correlation only.
    assert line_of(table, "noise ceiling").count("--") == 2
    assert r"& 0.950 {\small [0.900, 0.970]} &" in line_of(table, "noise ceiling")
    assert r"that of the noise ceiling (95\,\%) is for these items and scores." in table


def test_a_noise_ceiling_without_an_interval_says_why() -> None:
    report = report_of()
    ceiling = report["subsets"][1]["ceiling"]
    ceiling |= {"low": None, "high": None, "interval_reason": "few people answered"}

    table = latex_of_subset(report, interval="fisher")

    assert r"& 0.950 {\small [--\textsuperscript" in line_of(table, "noise ceiling")
    assert "few people answered." in table
    assert "Intervals of measures are for other items that the same people answer.\n" in table


def test_a_difference_that_could_not_be_tested_is_marked_apart() -> None:
    table = latex_of_subset(report_with_few(5))

    assert line_of(table, "close").count(r"\ddagger") == 3
    assert r"$\ddagger$: the difference could not be tested." in table


def test_latex_of_intervals_that_were_not_drawn() -> None:
    table = latex_of_subset(report_of(n_resamples=0), interval="percentile")

    assert r"{\small [--]}" in line_of(table, "close")
    assert "interval by the bootstrap (percentiles).\n" in table


def report_with_few(n: int) -> dict[str, Any]:
    """A report of 40 items; one measure has values of a few, and follows people there."""
    human, noise = np.random.default_rng(3).normal(size=(2, 40))
    few = np.where(np.arange(40) < n, 2 * human, np.nan)
    measures = {"few": few, "close": human + 0.3 * noise}
    report = baseline_report(human, measures, n_resamples=0)
    stored: dict[str, Any] = json.loads(json.dumps(report.as_dict()))
    return stored


def test_latex_says_on_how_many_items_a_measure_is_where_it_misses_some() -> None:
    report = report_with_few(5)

    for table in (latex_by_subset(report), latex_of_subset(report)):
        assert line_of(table, "few &").startswith(r"few & \textbf{1.000}\textsuperscript{a} ")
        assert r"\textsuperscript{a} on 5 of the 40 items; the others have no value." in table
        assert r"\textsuperscript{$\ddagger$}" in line_of(table, "close")


def test_a_coefficient_of_two_items_is_never_the_best() -> None:
    report = report_with_few(2)
    dash = r"--\textsuperscript{a,b}"

    table = latex_by_subset(report)

    assert line_of(table, "few &") == rf"few & {dash} \\"
    assert r"\textsuperscript{a} there are fewer than three pairs of values." in table
    assert r"\textsuperscript{b} on 2 of the 40 items; the others have no value." in table
    assert r"& \textbf{" in line_of(table, "close")

    # As it was stored before such a coefficient had no value
    report["subsets"][0]["rows"][0]["correlations"]["pearson"]["value"] = 1.0
    table = latex_by_subset(report)

    assert line_of(table, "few &") == r"few & 1.000\textsuperscript{$\ddagger$,a} \\"
    assert r"& \textbf{" in line_of(table, "close")


def test_equal_best_measures_are_both_bold() -> None:
    report = report_of()
    rows = report["subsets"][1]["rows"]
    rows[1]["correlations"]["pearson"]["value"] = rows[0]["correlations"]["pearson"]["value"]

    table = latex_by_subset(report)

    for start in ("close", r"nearly\_as close"):
        assert r"\textbf" in line_of(table, start).split(" & ")[2]


def test_a_value_that_rounds_to_0_has_no_sign() -> None:
    report = report_of()
    report["subsets"][1]["rows"][2]["correlations"]["pearson"]["value"] = -0.0004

    assert line_of(latex_by_subset(report), "against").endswith(r"& 0.000 \\")


def test_what_the_report_does_not_have_is_refused() -> None:
    report = report_of(n_resamples=0)

    with pytest.raises(ValueError, match="the report has no subset 'x', but few"):
        latex_of_subset(report, subset="x")
    with pytest.raises(ValueError, match="coefficient must be one of pearson, spearman, kendall"):
        latex_by_subset(report, coefficient="tau")
    with pytest.raises(ValueError, match="interval must be one of fisher, percentile, bca"):
        latex_by_subset(report, interval="t")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("50 % & more_of #1 {x} $5", r"50 \% \& more\_of \#1 \{x\} \$5"),
        ("~^\\", r"\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("a\tb\nc\0d\x7f", "a b c d"),
        ("a\N{LINE SEPARATOR}b", "a b"),
        ("<a> | b", r"\textless{}a\textgreater{} \textbar{} b"),
        ("[x] *", "{[}x] {*}"),
        ("a--b ''c''", "a-{}-b '{}'c'{}'"),
        ('"o', r"\symbol{34}o"),
        ("Übung 日本 αβ", "Übung 日本 αβ"),
        ("", ""),
    ],
)
def test_texts_are_escaped(text: str, escaped: str) -> None:
    assert escape(text) == escaped


COMMANDS = re.compile(
    r"\\(?:text(?:backslash|asciitilde|asciicircum|less|greater|bar)\{\}|symbol\{34\}|[&%$#_{}])"
)


@given(
    st.text(st.one_of(st.characters(), st.sampled_from("\\{}%&$#_^~[]*-'`\"\t\n")), max_size=30)
)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_nothing_of_a_name_is_left_for_latex_to_obey(text: str) -> None:
    rest = COMMANDS.sub("", escape(text)).replace("{[}", "").replace("{*}", "")
    rest = rest.replace("{`}", "").replace("{}", "")

    assert not set(rest) & set('\\{}%&$#_^~[*`"\t\n\r\0')


def test_every_format_says_how_measures_were_rounded() -> None:
    plain, rounded = report_of(), report_of(decimals=3)

    said = (
        "The values of the measures were rounded to 3 decimals before correlations were computed."
    )
    assert rounded["definitions"]["decimals"] == said
    for table in (latex_by_subset(rounded), latex_of_subset(rounded)):
        assert said in table
    assert "rounded" not in latex_by_subset(plain)
    for tsv in (correlations_tsv, differences_tsv):
        assert {row["decimals"] for row in rows_of(tsv(rounded))} == {"3"}
        assert {row["decimals"] for row in rows_of(tsv(plain))} == {""}


def test_reports_of_earlier_versions_are_written_all_the_same() -> None:
    report = report_of()
    for name in ("decimals", "typical_human"):
        del report[name]
    for subset in report["subsets"]:
        for pair in subset["differences"]:
            del pair["between"]

    assert "noise ceiling" in latex_by_subset(report)
    assert {row["between"] for row in rows_of(differences_tsv(report))} == {""}
    assert {row["decimals"] for row in rows_of(correlations_tsv(report))} == {""}
