"""Whether somebody answered faster than anybody can read."""

from datetime import datetime

from django.db.models import F

from annotation.models import Judgment, PhaseRun
from annotation.models.kinds import Source

# One that was tapped by mistake, or sent twice, says nothing of somebody.
MIN_FAST_SCREENS = 3


def is_too_fast(run: PhaseRun) -> bool:
    """Whether several screens of a complete phase took less than the study's floor each.

    A screen's time begins when it was shown, and not before the screen before it was answered:
    whoever fetches all screens first and sends them together is not taken for a reader.
    """
    study = run.assignment.annotator.study
    if not study.min_screen_seconds or run.assignment.annotator.source != Source.REAL:
        return False
    screens = _screens(run)
    n_fast, before = 0, None
    for shown_at, answered_at in sorted(screens, key=lambda screen: screen[1]):
        begun_at = max(shown_at, before) if before else shown_at
        n_fast += (answered_at - begun_at).total_seconds() < study.min_screen_seconds
        before = answered_at
    return bool(screens) and n_fast >= min(MIN_FAST_SCREENS, len(screens))


def _screens(run: PhaseRun) -> list[tuple[datetime, datetime]]:
    """Of each screen: when it was first shown, and when its last question was first answered."""
    rows = (
        Judgment.objects.filter(
            assignment=run.assignment_id,
            question__block__phase=run.phase_id,
            shown_at__isnull=False,
            answered_at__isnull=False,
        )
        .order_by("pk")
        .values_list("question", F("question__screen"), "shown_at", "answered_at")
    )
    first: dict[int, tuple[int, datetime, datetime]] = {}
    for question, screen, shown_at, answered_at in rows:
        first.setdefault(question, (screen, shown_at, answered_at))
    by_screen: dict[int, tuple[datetime, datetime]] = {}
    for screen, shown_at, answered_at in first.values():
        begun, ended = by_screen.get(screen, (shown_at, answered_at))
        by_screen[screen] = min(begun, shown_at), max(ended, answered_at)
    return list(by_screen.values())
