"""When an alert is raised, and when it is cleared.

Only what people do counts: nothing simulated or imported raises anything. All studies are looked
at together, in a number of queries that hardly grows with them: what is costly is asked only of a
study whose cheap figure calls for it.

While an alert stands it is not raised again. What wavers about a limit would be raised each time
it passes; so an alert of spending is cleared only well below its limit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Max, Sum

from annotation.basics import clock
from annotation.core.queries import commitments, progress
from annotation.core.services import workers
from annotation.models import (
    Alert,
    AlertChannel,
    AlertDelivery,
    AlertKind,
    AlertRule,
    Assignment,
    Budget,
    Intent,
    Judgment,
    Result,
    Study,
)
from annotation.models.kinds import Source
from annotation.monitoring.queries import agreement_figures

WATCHED = (Study.State.OPEN, Study.State.PAUSED, Study.State.CLOSED)
# A worker that is restarted, or busy with a large file, is no reason to write to anybody.
WORKER_SILENT = timedelta(minutes=5)
# Shares of the cap, in per cent; an alert ends so many per cent below its limit.
SPENDING_LIMITS = (80, 95)
SPENDING_SLACK = 5

Figures = dict[str, Any]


@dataclass
class _Conditions:
    """What one look has seen: what holds now, and what it cannot tell anything of."""

    holds: dict[tuple[int, str, str], Figures] = field(default_factory=dict)
    # Standing alerts that are neither raised nor cleared by this look.
    untold: set[tuple[int, str, str]] = field(default_factory=set)
    # The newest result of each study, as it was looked at.
    newest: dict[int, int] = field(default_factory=dict)

    def add(self, study: Study, kind: str, figures: Figures, subject: str = "") -> None:
        self.holds[study.pk, kind, subject] = figures


def look() -> int:
    """Look at every study in the field; return how many alerts were raised.

    The worker does: while it looks, there is one, so that this ends the alert of its absence.
    """
    studies = list(Study.objects.filter(state__in=WATCHED).order_by("pk"))
    rules = _rules(studies)
    standing = {
        (alert.study_id, alert.kind, alert.subject): alert for alert in Alert.objects.standing()
    }
    conditions = _Conditions()
    _look_at_places(studies, rules, conditions)
    _look_at_money(studies, standing, conditions)
    _look_at_agreement(studies, rules, standing, conditions)
    return _settle(studies, rules, standing, conditions)


def look_for_worker() -> int:
    """Raise the one alert that no worker can raise; the process that serves pages looks for it."""
    if workers.is_running(WORKER_SILENT):
        return 0
    now = clock.now()
    mark = workers.last_seen()
    studies = list(
        Study.objects.filter(state__in=WATCHED, opened_at__lt=now - WORKER_SILENT).order_by("pk")
    )
    known = Alert.objects.standing().filter(kind=AlertKind.NO_WORKER)
    standing = set(known.values_list("study_id", flat=True))
    rules = {rule.study_id: rule for rule in AlertRule.objects.filter(study__in=studies)}
    figures = {"last_seen": mark.isoformat() if mark else ""}
    n_raised = 0
    for study in studies:
        rule = rules.get(study.pk)
        if study.pk in standing or (rule and AlertKind.NO_WORKER in rule.muted):
            continue
        n_raised += _raise(study.pk, AlertKind.NO_WORKER, "", figures)
    return n_raised


def _rules(studies: Sequence[Study]) -> dict[int, AlertRule]:
    there = {rule.study_id: rule for rule in AlertRule.objects.filter(study__in=studies)}
    missing = [AlertRule(study=study) for study in studies if study.pk not in there]
    if missing:
        # Somebody who saves thresholds at this moment has made the row.
        AlertRule.objects.bulk_create(missing, ignore_conflicts=True)
        there = {rule.study_id: rule for rule in AlertRule.objects.filter(study__in=studies)}
    return there


def _look_at_places(
    studies: Sequence[Study], rules: Mapping[int, AlertRule], conditions: _Conditions
) -> None:
    now = clock.now()
    designs = progress.current_designs(studies)
    places = progress.places_by(
        list(designs.values()), idle_minutes={study.pk: study.idle_minutes for study in studies}
    )
    last_active = dict(
        Assignment.objects.filter(annotator__study__in=studies, annotator__source=Source.REAL)
        .values_list("annotator__study_id")
        .annotate(last=Max("last_active_at"))
        .order_by("annotator__study_id")
    )
    for study in studies:
        row = places.get((designs.get(study.pk, 0), Source.REAL), progress.Places())
        rule = rules[study.pk]
        if row.total and row.done == row.total:
            conditions.add(study, AlertKind.FINISHED, {"n_places": row.total})
        # A person who waits for the next phase is not missing.
        is_missing = study.takes_new_people and row.free + row.in_work > 0
        _remember_missing(rule, is_missing, now)
        since = now - timedelta(hours=rule.stalled_hours)
        if not is_missing or rule.missing_since is None or rule.missing_since > since:
            continue
        # An answer is activity; most activity is answers. The costly question is asked last.
        active = last_active.get(study.pk)
        if active is not None and active >= since and _has_answer(study, since):
            continue
        figures = {"hours": rule.stalled_hours, "n_missing": row.free + row.in_work}
        conditions.add(study, AlertKind.STALLED, figures)


def _remember_missing(rule: AlertRule, is_missing: bool, now: datetime) -> None:
    """The hours are counted from here: not from a time when nobody was to come."""
    # A time from the future was written before the clock was put back.
    wanted = min(rule.missing_since or now, now) if is_missing else None
    if wanted != rule.missing_since:
        rule.missing_since = wanted
        rule.save(update_fields=["missing_since"])


def _has_answer(study: Study, since: datetime) -> bool:
    return Judgment.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__source=Source.REAL,
        assignment__last_active_at__gte=since,
        answered_at__gte=since,
    ).exists()


def _look_at_money(
    studies: Sequence[Study],
    standing: Mapping[tuple[int, str, str], Alert],
    conditions: _Conditions,
) -> None:
    caps = Budget.objects.filter(study__in=studies, cap__gt=0).select_related("study")
    # At most this: what became free again is only asked for where it could matter.
    at_most = {
        (study, currency): total
        for study, currency, total in Intent.objects.standing()
        .filter(listing__study__in=studies)
        .values_list("listing__study_id", "currency")
        .annotate(total=Sum("commits"))
        .order_by("listing__study_id", "currency")
    }
    lowest = Decimal(min(SPENDING_LIMITS) - SPENDING_SLACK)
    for budget in caps:
        total = at_most.get((budget.study_id, budget.currency)) or Decimal(0)
        if total * 100 < budget.cap * lowest:
            continue
        committed = commitments.committed(budget.study, budget.currency)
        percent = committed * 100 / budget.cap
        figures = {
            "currency": budget.currency,
            "cap": str(budget.cap),
            "committed": str(committed),
        }
        is_said = False
        for limit in sorted(SPENDING_LIMITS, reverse=True):
            subject = f"{budget.currency} {limit}"
            stands = (budget.study_id, AlertKind.SPENDING.value, subject) in standing
            # Of two limits that are passed at once the higher one says all.
            begins = percent >= limit and not is_said
            if begins or (stands and percent >= limit - SPENDING_SLACK):
                is_said = True
                conditions.add(
                    budget.study, AlertKind.SPENDING, {**figures, "percent": limit}, subject
                )


def _look_at_agreement(
    studies: Sequence[Study],
    rules: Mapping[int, AlertRule],
    standing: Mapping[tuple[int, str, str], Alert],
    conditions: _Conditions,
) -> None:
    conditions.newest = dict(
        Result.objects.filter(study__in=studies, population="people")
        .values_list("study_id")
        .annotate(newest=Max("pk"))
        .order_by("study_id")
    )
    for study in studies:
        known = {
            key: alert
            for key, alert in standing.items()
            if key[:2] == (study.pk, AlertKind.AGREEMENT.value)
        }
        if conditions.newest.get(study.pk) == rules[study.pk].seen_result:
            # Nothing was scored since: what stands goes on standing.
            conditions.untold |= set(known)
            continue
        figures = {subject: alert.figures for (_s, _k, subject), alert in known.items()}
        for fall in agreement_figures.falls(study, figures):
            conditions.add(study, AlertKind.AGREEMENT, fall.as_figures(), fall.subject)


def _settle(
    studies: Sequence[Study],
    rules: Mapping[int, AlertRule],
    standing: Mapping[tuple[int, str, str], Alert],
    conditions: _Conditions,
) -> int:
    muted = {(study.pk, kind) for study in studies for kind in rules[study.pk].muted}
    over = [
        alert.pk
        for key, alert in standing.items()
        if key not in conditions.untold and (key not in conditions.holds or key[:2] in muted)
    ]
    Alert.objects.standing().filter(pk__in=over).update(cleared_at=clock.now())
    n_raised = 0
    for (study_id, kind, subject), figures in conditions.holds.items():
        if (study_id, kind, subject) in standing or (study_id, kind) in muted:
            continue
        n_raised += _raise(study_id, kind, subject, figures)
    # Last: who is killed before looks at these results once more.
    for study_id, rule in rules.items():
        if rule.seen_result != conditions.newest.get(study_id):
            rule.seen_result = conditions.newest.get(study_id)
            rule.save(update_fields=["seen_result"])
    return n_raised


@transaction.atomic
def _raise(study_id: int, kind: str, subject: str, figures: Figures) -> int:
    """One alert with a message to every channel that is on; 0 if it stands already."""
    now = clock.now()
    alert, is_new = Alert.objects.get_or_create(
        study_id=study_id,
        kind=kind,
        subject=subject,
        cleared_at=None,
        defaults={"figures": figures, "raised_at": now},
    )
    if not is_new:
        return 0
    AlertDelivery.objects.bulk_create(
        AlertDelivery(channel=channel, alert=alert, created_at=now, next_try_at=now)
        for channel in AlertChannel.objects.filter(study_id=study_id, is_on=True)
    )
    return 1
