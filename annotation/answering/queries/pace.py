"""Whether somebody answered faster than the study's minimum time per screen."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from annotation.models import Judgment, PhaseRun
from annotation.models.kinds import Source

# One that was tapped by mistake, or sent twice, says nothing of somebody.
MIN_FAST_SCREENS = 3


@dataclass(frozen=True)
class Pace:
    """How fast the screens of a complete phase were answered."""

    # In the order in which they were answered.
    seconds: list[float]
    # What the study takes for reading at all, for each screen.
    least_seconds: float

    @property
    def n_fast(self) -> int:
        return sum(each < self.least_seconds for each in self.seconds)

    @property
    def is_too_fast(self) -> bool:
        return bool(self.seconds) and self.n_fast >= min(MIN_FAST_SCREENS, len(self.seconds))


def pace_of(run: PhaseRun) -> Pace:
    """The time of each screen.

    It begins when the screen was shown, but not before the screen before it was answered: a person
    who fetches all screens first and sends them together is not taken for a reader.
    """
    seconds, before = [], None
    for shown_at, answered_at in sorted(_screens(run), key=lambda screen: screen[1]):
        begun_at = max(shown_at, before) if before else shown_at
        seconds.append((answered_at - begun_at).total_seconds())
        before = answered_at
    return Pace(seconds, run.assignment.annotator.study.min_screen_seconds)


def is_too_fast(run: PhaseRun) -> bool:
    """Whether several screens of a complete phase took less than the study's floor each."""
    annotator = run.assignment.annotator
    if not annotator.study.min_screen_seconds or annotator.source != Source.REAL:
        return False
    return pace_of(run).is_too_fast


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
