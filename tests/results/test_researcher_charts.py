"""Plots: described in words, escaped, readable without colour, and right about their numbers."""

import re
from xml.etree import ElementTree

import pytest

from annotation.basics import charts, charts_of_bars
from annotation.kinds.best_worst.queries import plots

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def test_a_plot_is_an_image_with_a_title_and_a_description() -> None:
    root = parsed(
        charts_of_bars.bars(
            [("a", 0.5)], title="Agreement", x_label="alpha", description="One bar."
        )
    )

    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert (title.text, description.text) == ("Agreement", "One bar.")


def test_names_are_text_and_nothing_is_styled_inline() -> None:
    svg = charts_of_bars.bars(
        [("<script>alert(1)</script>", 0.5)], title="<b>", x_label='"', description="&"
    )

    assert "<script" not in svg
    assert "style=" not in svg
    assert parsed(svg) is not None


def test_bars_are_as_long_as_their_values_and_say_them() -> None:
    root = parsed(
        charts_of_bars.bars(
            [("half", 0.5), ("quarter", 0.25), ("none", None), ("below", -0.25)],
            title="t",
            x_label="x",
            description="d",
        )
    )

    widths = [float(bar.get("width")) for bar in root.iter(f"{SVG}rect")]
    said = [text.text for text in root.iter(f"{SVG}text")]
    assert widths[0] == pytest.approx(2 * widths[1], abs=0.02)
    assert widths[2] == pytest.approx(widths[1], abs=0.02)
    assert {"0.50", "0.25", "−0.25", "–"} <= set(said)


def test_lines_of_one_point_differ_by_marker_and_are_marked_in_the_legend() -> None:
    root = parsed(
        charts.lines(
            [(name, [(1.0, 0.5)]) for name in ("one", "two", "three", "four")],
            title="t",
            x_label="x",
            y_label="y",
            description="d",
        )
    )

    marks = [
        [len(list(root.iter(f"{SVG}{shape}"))) for shape in ("circle", "rect")],
        sorted(len(mark.get("points", "").split()) for mark in root.iter(f"{SVG}polygon")),
    ]
    assert marks == [[2, 2], [3, 3, 4, 4]]


def test_series_differ_by_marker_and_dash() -> None:
    root = parsed(
        charts.dots(
            [("one", [0.1, None, 0.3]), ("two", [0.2, 0.2, 0.2])],
            title="t",
            x_label="x",
            y_label="y",
            description="d",
        )
    )

    # One more of each in the legend.
    assert len(list(root.iter(f"{SVG}circle"))) == 2 + 1
    assert len(list(root.iter(f"{SVG}polygon"))) == 3 + 1
    said = [text.text for text in root.iter(f"{SVG}text")]
    assert "one: 0.200" in said


def test_a_plot_of_nothing_is_still_a_plot() -> None:
    for svg in (
        charts.dots([("none", [None])], title="t", x_label="x", y_label="y", description="d"),
        charts_of_bars.bars([], title="t", x_label="x", description="d"),
        plots.score_plot([]).svg,
        plots.appearance_plot([]).svg,
    ):
        assert parsed(svg).get("role") == "img"
        assert "nan" not in svg


def test_scores_are_binned_by_tenths_with_the_ends_inside() -> None:
    plot = plots.score_plot([-1.0, -0.95, 0.0, 0.1, 0.3, 1.0])

    counts = {row[0]: int(row[2]) for row in plot.rows}
    assert counts["−1.0"] == 2
    assert (counts["0.0"], counts["0.1"], counts["0.3"], counts["0.9"]) == (1, 1, 1, 1)
    assert sum(counts.values()) == 6


def test_appearances_are_counted_at_their_whole_numbers() -> None:
    plot = plots.appearance_plot([12, 12, 13, 15])

    assert plot.rows == [
        ["12", "12", "2"],
        ["13", "13", "1"],
        ["14", "14", "0"],
        ["15", "15", "1"],
    ]
    wide = plots.appearance_plot(list(range(100)))
    assert [int(row[2]) for row in wide.rows] == [5] * 20
    assert not re.search(r">-0<", wide.svg)


def test_characters_that_xml_forbids_are_replaced_wherever_they_stand() -> None:
    svg = charts_of_bars.bars(
        [("a\x00b\x0b\x1f\ufffe\uffff", 0.5)], title="t\x01", x_label="x\x08", description="d\x0c"
    )

    root = parsed(svg)
    assert root.findtext(f"{SVG}title") == "t\ufffd"
    assert root.findtext(f"{SVG}desc") == "d\ufffd"
    said = [text.text for text in root.iter(f"{SVG}text")]
    assert {"a\ufffdb" + "\ufffd" * 4, "x\ufffd"} <= set(said)


def test_counts_of_many_are_written_out() -> None:
    assert [charts.written(value) for value in (20000.0, 1234567, 0.5, 3000)] == [
        "20,000",
        "1,234,567",
        "0.5",
        "3000",
    ]
    assert charts.written(1e-9) == "1e-09"
