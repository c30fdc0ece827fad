"""What alerts say, and which of them stand."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import OuterRef, Subquery

from annotation.basics.sentences import Sentence, ngettext
from annotation.basics.sentences import sentence as _
from annotation.models import Alert, AlertChannel, AlertDelivery, AlertKind, Study

# On the overview: what its other lines do not say already.
ON_OVERVIEW = (AlertKind.STALLED, AlertKind.SPENDING, AlertKind.AGREEMENT)


def said(alert: Alert) -> Sentence:
    """One sentence, in the language of the person who reads it."""
    return _SAYING[AlertKind(alert.kind)](alert, alert.figures)


def _stalled(alert: Alert, figures: Mapping[str, Any]) -> Sentence:
    n = figures["hours"]
    return ngettext(
        "Stalled: no answers for %(n)s hour, although some places are still free or unfinished.",
        "Stalled: no answers for %(n)s hours, although some places are still free or unfinished.",
        n,
    ) % {"n": n}


def _finished(alert: Alert, figures: Mapping[str, Any]) -> Sentence:
    n = figures["n_places"]
    return ngettext("The only place is complete.", "All %(n)s places are complete.", n) % {"n": n}


def _no_worker(alert: Alert, figures: Mapping[str, Any]) -> Sentence:
    return _(
        "No background worker is running. Nothing is scored, sent or paid until somebody "
        "starts one; people can still answer."
    )


def _spending(alert: Alert, figures: Mapping[str, Any]) -> Sentence:
    return _(
        "At least %(percent)s %% of the spending cap is committed: "
        "%(committed)s of %(cap)s %(currency)s."
    ) % {name: figures[name] for name in ("percent", "committed", "cap", "currency")}


def _agreement(alert: Alert, figures: Mapping[str, Any]) -> Sentence:
    values = {name: round(figures[name], 2) for name in ("before", "low", "now")}
    if not alert.subject:
        return (
            _(
                "Agreement is now %(now)s. In an earlier result, it was %(before)s (95 %% "
                "interval from %(low)s)."
            )
            % values
        )
    return _(
        "Agreement in phase %(phase)s is now %(now)s. In an earlier result, it was %(before)s "
        "(95 %% interval from %(low)s)."
    ) % {**values, "phase": alert.subject}


_SAYING = {
    AlertKind.STALLED: _stalled,
    AlertKind.FINISHED: _finished,
    AlertKind.NO_WORKER: _no_worker,
    AlertKind.SPENDING: _spending,
    AlertKind.AGREEMENT: _agreement,
}


def standing(studies: Iterable[Study]) -> dict[int, list[Alert]]:
    """The alerts that stand now, by study, the oldest first."""
    by_study: dict[int, list[Alert]] = {}
    rows = Alert.objects.standing().filter(study__in=list(studies)).order_by("raised_at", "pk")
    for alert in rows:
        by_study.setdefault(alert.study_id, []).append(alert)
    return by_study


def standing_of(study: Study) -> list[Alert]:
    return standing([study]).get(study.pk, [])


def failing(channels: Sequence[AlertChannel]) -> dict[int, AlertDelivery]:
    """By channel: its newest message that was tried at all, where that has not arrived."""
    tried = AlertDelivery.objects.exclude(state=AlertDelivery.State.WAITING, error="")
    newest = tried.filter(channel=OuterRef("pk")).order_by("-created_at", "-pk").values("pk")[:1]
    keys = (
        AlertChannel.objects.filter(pk__in=[channel.pk for channel in channels])
        .annotate(newest=Subquery(newest))
        .values("newest")
    )
    deliveries = AlertDelivery.objects.filter(pk__in=keys).exclude(state=AlertDelivery.State.SENT)
    return {delivery.channel_id: delivery for delivery in deliveries}
