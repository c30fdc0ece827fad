"""Beat's schedulers: they go on sending when the clock was ahead and is put back.

Celery computes when a task is due from the time of its last run. Of a run in the future it would
wait for that time to come, and for one interval more.
"""

import logging
from typing import Any

from celery import beat
from celery.utils.time import maybe_make_aware

logger = logging.getLogger("likeness.beat")


class _ClockTolerant:
    """Takes a last run in the future for one of this moment."""

    def tick(self: Any, *arguments: Any, **options: Any) -> float:
        if self._correct_times_ahead():
            logger.warning("the clock was put back: the schedule goes on from now")
            # Beat computes anew when each entry is due.
            self._heap = None
        wait: float = super().tick(*arguments, **options)  # type: ignore[misc]
        return wait

    def _correct_times_ahead(self: Any) -> bool:
        is_any_ahead = False
        for entry in self.schedule.values():
            now = maybe_make_aware(entry.default_now())
            if maybe_make_aware(entry.last_run_at) > now:
                entry.last_run_at = now
                is_any_ahead = True
        return is_any_ahead


class PersistentScheduler(_ClockTolerant, beat.PersistentScheduler):
    """For a beat of its own, which keeps the times of the last runs in a file."""


class Scheduler(_ClockTolerant, beat.Scheduler):
    """For the beat inside `manage.py serve`, which keeps them in memory."""
