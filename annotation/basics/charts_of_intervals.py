"""Charts of values with their intervals."""

from collections.abc import Sequence

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.basics.chart_frame import WIDTH, Frame, in_two_widths, round_numbers, written


@in_two_widths
def ranges(
    rows: Sequence[tuple[float, str, float, float, float]],
    *,
    title: str,
    x_label: str,
    y_label: str,
    y: tuple[float, float],
    description: str,
    width: int = WIDTH,
) -> SafeString:
    """A value with its interval at each place: (place, name, value, low, high)."""
    last = max((row[0] for row in rows), default=1)
    plot = Frame(width=width, x=(0, last + 1), y=y)
    plot.axes(x_label, y_label, [tick for tick in round_numbers(*plot.x) if 1 <= tick <= last])
    for place, name, value, low, high in rows:
        x = plot.at_x(place)
        plot.line(x, plot.at_y(low), x, plot.at_y(high), "plot-range")
        tooltip = _("%(name)s: %(value)s (%(low)s to %(high)s)") % {
            "name": name,
            "value": written(value),
            "low": written(low),
            "high": written(high),
        }
        plot.dot(x, plot.at_y(value), tooltip, size=1.6 if len(rows) > 100 else 2.6)
    return plot.svg(title, description)
