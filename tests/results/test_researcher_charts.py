"""Plots: described in words, escaped, readable without colour, and right about their numbers."""

import re
from xml.etree import ElementTree

import pytest

from annotation.basics import chart_frame, charts, charts_of_bars, charts_of_measures
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
    assert [chart_frame.written(value) for value in (20000.0, 1234567, 0.5, 3000)] == [
        "20,000",
        "1,234,567",
        "0.5",
        "3000",
    ]
    assert chart_frame.written(1e-9) == "1e-09"


LONG = "a category with a name that is rather long"
NARROW_DRAWINGS = (
    charts_of_bars.bars(
        [(LONG, 0.5), ("none", None)], title="Bars", x_label=f"{LONG} of {LONG}", description="d"
    ),
    charts.lines(
        [(LONG, [(0, 0.1), (1000, 1)]), ("b", [(0, 1), (1000, 0.2)])],
        title="Lines",
        x_label="x",
        y_label="y",
        description="d",
    ),
    charts.dots(
        [("random halves", [0.1, 0.2]), ("halves as in GiCCS", [0.3, None])],
        title="Dots",
        x_label="x",
        y_label="y",
        description="d",
    ),
    charts.curve(
        [(1, 0.5), (8, 0.9)],
        marked=4,
        title="Curve",
        x_label="x",
        y_label="y",
        mark_label=LONG,
        description="d",
    ),
    charts_of_measures.correlations(
        [(LONG, 0.5, 0.4, 0.6), ("b", None, None, None)],
        title="Correlations",
        x_label="x",
        description="d",
        ceiling=0.8,
        ceiling_label=LONG,
    ),
)


@pytest.mark.parametrize(
    "drawing", NARROW_DRAWINGS, ids=("bars", "lines", "dots", "curve", "correlations")
)
def test_the_drawing_for_a_phone_holds_its_texts_and_says_the_same(
    drawing: chart_frame.Drawing,
) -> None:
    wide, narrow = parsed(drawing), parsed(drawing.narrow)

    width, height = (float(size) for size in narrow.get("viewBox").split()[2:])
    assert width == chart_frame.NARROW
    for words in narrow.iter(f"{SVG}text"):
        length = chart_frame.LETTER * len(words.text)
        begin = {"start": 0, "middle": length / 2, "end": length}[words.get("text-anchor")]
        left = float(words.get("x")) - begin
        # Upright texts: the one beside the axis is turned.
        if words.get("transform") is None:
            assert left >= -1
            assert left + length <= width + 1
            assert 0 < float(words.get("y")) <= height
    assert narrow.find(f"{SVG}desc").text == wide.find(f"{SVG}desc").text
    assert narrow.find(f"{SVG}title").get("id") != wide.find(f"{SVG}title").get("id")
    marks = [[*root.iter(f"{SVG}circle")] for root in (wide, narrow)]
    assert len(marks[0]) == len(marks[1])


def test_the_diagonal_is_told_from_the_grid() -> None:
    def slanted(*, diagonal: bool) -> list[str | None]:
        root = parsed(
            charts.lines(
                [("one", [(0.0, 0.0), (1.0, 1.0)])],
                title="t",
                x_label="x",
                y_label="y",
                description="d",
                diagonal=diagonal,
            )
        )
        return [
            line.get("class")
            for line in root.iter(f"{SVG}line")
            if line.get("x1") != line.get("x2") and line.get("y1") != line.get("y2")
        ]

    assert slanted(diagonal=False) == []
    assert slanted(diagonal=True)
    assert "plot-grid" not in slanted(diagonal=True)
