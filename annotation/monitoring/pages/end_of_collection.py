"""When a collection will be over, in a sentence."""

from datetime import datetime, timedelta

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from annotation.monitoring.queries.live import Live


def end_in_words(live_figures: Live) -> str:
    """When it will be over, in a sentence."""
    end = live_figures.end
    if end.reason == "" and end.earliest is not None:
        # Of a range of days nobody needs the minutes.
        is_long = end.latest is None or end.latest - end.earliest >= timedelta(days=2)
        when = _day if is_long else _when
        if end.latest is None:
            return _(
                "If people complete booklets as they have so far, the last place will probably not"
                " be completed before %(low)s. If fewer and fewer people come, some places may"
                " stay free."
            ) % {"low": when(end.earliest)}
        return _(
            "If people complete booklets as they have so far, all places will probably be "
            "completed between %(low)s and %(high)s."
        ) % {"low": when(end.earliest), "high": when(end.latest)}
    return {
        "done": _("All places are completed."),
        "few": _("No forecast of the end yet: too few booklets are completed."),
        "never": _(
            "If people complete booklets as they have so far, not all places will be completed "
            "within a year."
        ),
        "stalled": _("No forecast of the end: nobody completed a booklet in the last 24 hours."),
        "shut": _("No forecast of the end while nobody new can join."),
        "over": "",
        "none": "",
    }[end.reason]


def _when(at: datetime) -> str:
    return date_format(localtime(at), "SHORT_DATETIME_FORMAT")


def _day(at: datetime) -> str:
    return date_format(localtime(at), "SHORT_DATE_FORMAT")
