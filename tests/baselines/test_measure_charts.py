"""Plots of measures beside people: right about their numbers, readable without colour."""

from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from annotation.baselines.pages import leaderboard_facts
from annotation.baselines.queries import measure_plots
from annotation.baselines.queries.leaderboards import Part, Point, Row
from annotation.basics import charts_of_measures
from annotation.basics.numbers import duration

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def row(
    name: str, value: float | None, low: float | None = None, high: float | None = None
) -> Row:
    figure = {"value": value, "low": low, "high": high, "reason": None, "p_value": None}
    figure |= {"method": "" if low is None else "bca", "interval_reason": None}
    return Row(
        1, name, 9, 0, 0, dict.fromkeys(("pearson", "spearman", "kendall"), figure), "", "", None
    )


def test_a_dot_lies_between_the_ends_of_its_interval_in_the_order_of_the_values() -> None:
    svg = charts_of_measures.correlations(
        [("high", 0.8, 0.7, 0.9), ("low", -0.4, -0.6, -0.1), ("none", None, None, None)],
        title="t",
        x_label="x",
        description="d",
        ceiling=0.95,
        ceiling_label="noise ceiling",
    )

    root = parsed(svg)
    dots = [float(dot.get("cx")) for dot in root.iter(f"{SVG}circle")]
    ranges = [
        sorted((float(line.get("x1")), float(line.get("x2"))))
        for line in root.iter(f"{SVG}line")
        if line.get("class") == "plot-range" and line.get("y1") == line.get("y2")
    ]
    [ceiling] = [
        float(line.get("x1"))
        for line in root.iter(f"{SVG}line")
        if line.get("class") == "plot-mean plot-mean-1"
    ]
    said = [text.text for text in root.iter(f"{SVG}text")]
    assert len(dots) == 2
    assert all(low < dot < high for dot, (low, high) in zip(dots, ranges, strict=True))
    # One scale for all: 0.8 is as far from -0.4 as its places say.
    assert (dots[0] - dots[1]) / (ceiling - dots[0]) == pytest.approx(1.2 / 0.15, rel=0.01)
    assert {"high", "low", "none", "not computed", "noise ceiling: 0.950"} <= {*said}
    assert "style=" not in svg


def test_long_names_stand_whole_beside_their_rows() -> None:
    long = "sentence-transformers/paraphrase-multilingual-mpnet-base-v2 (two turns in front)"
    longest = "x" * 200
    rows = [(name, 0.5, 0.4, 0.6) for name in ("first", long, longest, "last")]

    svg = charts_of_measures.correlations(rows, title="t", x_label="x", description="d")

    root = parsed(svg)
    left = [text for text in root.iter(f"{SVG}text") if text.get("text-anchor") == "end"]
    said = [text.text for text in left]
    places = [float(text.get("y")) for text in left]
    assert "".join(said[1:-6]).replace(" ", "") == long.replace(" ", "")
    assert said[-2] == "x" * 29 + "…"
    # No two lines over one another, and each row's dot at the height of its name.
    assert all(low + 10 < high for low, high in pairwise(places))
    dots = list(root.iter(f"{SVG}circle"))
    assert [dot.find(f"{SVG}title").text for dot in dots] == [f"{n}: 0.500" for n, *_of in rows]
    heights = [float(dot.get("cy")) for dot in dots]
    assert places[0] < heights[0] + 5 < places[1] < heights[1] < places[-6] < heights[2]
    assert places[-2] < heights[3] < places[-1]
    assert max(heights) < float(root.get("viewBox").split()[3]) - 40


def test_a_measure_that_misses_items_has_its_own_number_of_them() -> None:
    whole, some, none = row("whole", 0.5), row("some", 0.5), row("none", None)
    rows = [whole, replace(some, n=7), replace(none, n=0)]

    plot = measure_plots.correlation_plot(
        Part("", "", 9, 0, "pearson", rows), "pearson", part="", people="people", level=0.95
    )

    assert plot is not None
    left = [t.text for t in parsed(plot.svg).iter(f"{SVG}text") if t.get("text-anchor") == "end"]
    assert left == ["whole", "some (n = 7)", "none"]


def test_a_ring_for_each_item_and_what_it_is() -> None:
    svg = charts_of_measures.scatter(
        [("<a>", 0.0, 1.0), ("b", 1.0, 3.0)], title="t", x_label="x", y_label="y", description="d"
    )

    root = parsed(svg)
    rings = list(root.iter(f"{SVG}circle"))
    assert [ring.find(f"{SVG}title").text for ring in rings] == ["<a>: 0, 1", "b: 1, 3"]
    (left, low), (right, high) = [(float(r.get("cx")), float(r.get("cy"))) for r in rings]
    assert left < right
    assert low > high


def test_of_many_items_some_are_drawn_and_all_are_in_the_data() -> None:
    n = measure_plots.MAX_DRAWN_POINTS * 2
    points = [Point(f"p{k}", float(k), float(k)) for k in range(n)]

    plot = measure_plots.scatter_plot(7, "m", points, people="people")

    assert plot is not None
    assert plot.key == "scatter-7"
    assert plot.svg.count("<circle") == measure_plots.MAX_DRAWN_POINTS
    assert len(plot.data) == n
    assert plot.n_more == n - len(plot.rows)
    assert "The figure shows 1,000 of them" in plot.caption
    assert "p0:" in plot.svg
    assert f"p{n - 1}:" in plot.svg


def test_the_plot_has_the_rows_of_the_table_and_says_which_items() -> None:
    rows = [row("a", 0.5, 0.4, 0.6), row("b", None, None, None)]
    part = Part("domain", "news", 9, 0, "pearson", rows)

    plot = measure_plots.correlation_plot(
        part, "kendall", part="domain: news", people="people", level=0.9
    )

    assert plot is not None
    assert plot.data == [["a", 0.5, 0.4, 0.6, 9], ["b", None, None, None, 9]]
    assert "Items: domain: news." in plot.caption
    assert "90 % intervals (other items, the same people), computed with" in plot.caption
    assert "computed with the bootstrap." in plot.caption
    assert "ceiling" not in plot.caption
    assert (
        measure_plots.correlation_plot(
            Part("", "", 0, 0, "pearson", []), "pearson", part="", people="people", level=0.95
        )
        is None
    )


def test_the_caption_names_the_method_of_the_intervals_and_what_they_are_about() -> None:
    measure = row("a", 0.5, 0.4, 0.6)
    by_fisher = {name: {**figure, "method": "fisher"} for name, figure in measure.figures.items()}
    part = Part("", "", 9, 0, "pearson", [replace(measure, figures=by_fisher)], is_over_pools=True)

    plot = measure_plots.correlation_plot(part, "pearson", part="", people="people", level=0.95)

    assert plot is not None
    assert "bootstrap" not in plot.caption
    assert "(other pools, the same people), computed with Fisher's transformation." in plot.caption


def test_intervals_are_mentioned_only_where_there_are_some() -> None:
    without = Part("", "", 9, 0, "pearson", [row("a", 0.5), row("b", 0.4)])
    with_some = replace(without, rows=[row("a", 0.5, 0.4, 0.6), row("b", 0.4)])

    def mentions(part: Part) -> tuple[bool, bool]:
        plot = measure_plots.correlation_plot(
            part, "kendall", part="", people="people", level=0.95
        )
        assert plot is not None
        warning = leaderboard_facts.warning_of_few_items(part)
        assert warning
        return "interval" in plot.caption, "interval" in warning

    assert mentions(without) == (False, False)
    assert mentions(with_some) == (True, True)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, "–"),
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (12.4, "12 s"),
        (119, "119 s"),
        (1234, "21 min"),
    ],
)
def test_a_time_has_as_many_digits_as_say_something(seconds: float | None, said: str) -> None:
    assert duration(seconds) == said
