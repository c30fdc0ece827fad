"""The figures of the live page, as a page and a paper show them: captions, no statistics."""

from datetime import timedelta
from typing import Any

from django.utils.translation import gettext as _

from annotation.basics import charts, charts_of_bars
from annotation.basics.numbers import grouped
from annotation.basics.plot import Plot
from annotation.kinds.rating.queries.plots import condition_name
from annotation.kinds.registry import kind_of
from annotation.monitoring.queries.live import Hour, Live

# More bars than this would be thinner than a line: then there is one a day, or one a week.
_MAX_BARS = 72
# Rows of a table on the page, which is sent again and again; the file has all.
_MAX_ROWS = 24


def every_plot(live: Live) -> list[Plot]:
    plots = [throughput(live)]
    for place, details in enumerate(live.details):
        plots += [_course(live, place), _distribution(live, place, details)]
    return [plot for plot in plots if plot is not None]


def throughput(live: Live) -> Plot | None:
    tally = live.tally
    if tally is None or not tally.answers or tally.began_at is None:
        return None
    began = tally.began_at
    n_hours = int((tally.counted_at - began).total_seconds() // 3600) + 1
    width = next((w for w in (1, 24, 168) if -(-n_hours // w) <= _MAX_BARS), 168)
    n_bars = max(-(-n_hours // width), 5)

    def binned(hours: list[Hour]) -> list[int]:
        counts = [0] * n_bars
        for hour in hours:
            at = int((hour.begins - began).total_seconds() // 3600) // width
            counts[min(max(at, 0), n_bars - 1)] += hour.n
        return counts

    series = [binned(hours) for hours in (tally.answers, tally.joined, tally.completed)]
    title = _("Answers over time")
    captions = {
        1: _("Each bar covers one hour; the last hour is incomplete."),
        24: _("Each bar covers one day; the last day is incomplete."),
        168: _("Each bar covers one week; the last week is incomplete."),
    }
    labels = {
        1: _("hours since the first person joined"),
        24: _("days since the first person joined"),
        168: _("weeks since the first person joined"),
    }
    caption = captions[width]
    edges = [float(n) for n in range(n_bars + 1)]
    return Plot(
        "throughput",
        title,
        caption,
        charts.histogram(
            edges,
            series[0],
            title=title,
            x_label=labels[width],
            y_label=_("answers"),
            description=caption,
        ),
        [_("from (UTC)"), _("answers"), _("people who joined"), _("places completed")],
        [
            [(began + timedelta(hours=n * width)).strftime("%Y-%m-%d %H:%M"), *counts]
            for n, counts in enumerate(zip(*series, strict=True))
        ],
        most_rows=_MAX_ROWS,
    )


def _phase_suffix(live: Live, figures: dict[str, Any]) -> tuple[str, str]:
    """What tells the figures of several phases apart: for a key, and for a title."""
    if len(live.details) < 2:
        return "", ""
    return f"-{figures['number']}", f", {condition_name(figures)}"


def _course(live: Live, place: int) -> Plot | None:
    """Reliability and agreement by the number of answers there were."""
    rows = [point.phases[place] for point in live.points if len(point.phases) > place]
    rows = [row for row in rows if row["n"]]
    if not rows:
        return None
    key, of_phase = _phase_suffix(live, rows[-1])
    part = kind_of(live.study).monitoring
    name, agreement = str(part.reliability_name), str(part.agreement_name)
    columns: list[tuple[str, str, str]] = [
        *(
            [
                ("reliability", "value", name),
                ("reliability", "low", _("%(name)s, interval") % {"name": name}),
            ]
            if name
            else []
        ),
        ("alpha", "value", agreement),
    ]
    if not name:
        columns.append(("alpha", "low", _("%(name)s, interval") % {"name": agreement}))
    columns = [
        (group, figure, label)
        for group, figure, label in columns
        if figure == "value" or any(row[group]["low"] is not None for row in rows)
    ]
    series = []
    for group, figure, label in columns:
        line = [(float(row["n"]), row[group][figure]) for row in rows]
        if figure == "low":
            # There and back: the two ends of the interval in one line's dashes.
            line += [(float(row["n"]), None) for row in rows[:1]]
            line += [(float(row["n"]), row[group]["high"]) for row in rows]
        series.append((label, line))
    title = _("Reliability and agreement by number of answers") + of_phase
    caption = str(part.course_caption)
    if any(figure == "low" for _group, figure, _label in columns):
        caption += " " + _(
            "Dashed: intervals (95 %). Where they reach below the plot they are cut off; the data "
            "contain them in full."
        )
    # The first answers tell little: the interval would be all that the plot has room for.
    floor = min(
        [0.0, *(v for group, f, _n in columns if f == "value" for v in _known(rows, group))]
    )
    series = [
        (label, [(at, None if v is None else max(v, floor)) for at, v in line])
        for label, line in series
    ]
    return Plot(
        f"course{key}",
        title,
        caption,
        charts.lines(
            series,
            title=title,
            x_label=_("answers that count"),
            y_label=_("reliability, agreement"),
            # Room on the right, or the last marks would be cut by the edge.
            x=(0.0, float(rows[-1]["n"]) * 1.03),
            y=(floor, 1.0),
            description=caption,
        ),
        [
            _("answers"),
            *([name, _("low"), _("high")] if name else []),
            agreement,
            _("%(name)s, low") % {"name": agreement},
            _("%(name)s, high") % {"name": agreement},
            *([_("share of pairs that differ significantly")] if name else []),
        ],
        [
            [
                row["n"],
                *(_three(row["reliability"]) if name else []),
                *_three(row["alpha"]),
                *([row["certain_share"]] if name else []),
            ]
            for row in rows
        ],
        most_rows=_MAX_ROWS,
    )


def _known(rows: list[dict[str, Any]], group: str) -> list[float]:
    return [row[group]["value"] for row in rows if row[group]["value"] is not None]


def _three(figure: dict[str, Any]) -> list[float | None]:
    return [figure["value"], figure["low"], figure["high"]]


def _distribution(live: Live, place: int, details: dict[str, Any]) -> Plot | None:
    assert live.latest is not None  # its details are these
    figures = live.latest.phases[place]
    key, of_phase = _phase_suffix(live, figures)
    values = {"n": grouped(figures["n"])}
    if "categories" in details:
        n = sum(count for _name, count in details["categories"])
        if not n:
            return None
        title = _("Categories chosen so far") + of_phase
        caption = _("Share of the %(n)s answers that chose each category.") % values
        rows = [(name, count / figures["n"]) for name, count in details["categories"]]
        return Plot(
            f"distribution{key}",
            title,
            caption,
            charts_of_bars.bars(
                rows, title=title, x_label=_("share of the answers"), description=caption
            ),
            [_("category"), _("answers")],
            [[name, count] for name, count in details["categories"]],
        )
    edges, counts = details["bars"]["edges"], details["bars"]["counts"]
    if not sum(counts):
        return None
    title = _("Distribution of scores so far") + of_phase
    caption = _("Scores of %(items)s items from %(n)s answers.") % {
        **values,
        "items": grouped(sum(counts)),
    }
    return Plot(
        f"distribution{key}",
        title,
        caption,
        charts.histogram(
            edges,
            counts,
            title=title,
            x_label=str(kind_of(live.study).monitoring.score_name),
            y_label=_("items"),
            description=caption,
        ),
        [_("score from"), _("to"), _("items")],
        [[low, high, n] for low, high, n in zip(edges, edges[1:], counts, strict=False)],
        digits=2,
    )
