"""What concerns rooms above the one in which it happens: they connect to these signals.

Each is sent in the transaction in which it happens; what touches files waits for the commit.
"""

from importlib import import_module
from typing import Any

from django.conf import settings
from django.dispatch import Signal


def load_receivers() -> None:
    """Whoever will send a signal while others wait for a lock loads them before it is taken."""
    for module in settings.RECEIVERS:
        import_module(module)


class SignalToRooms(Signal):
    """Loads whatever has receivers before it is sent: no page needs those rooms before."""

    def send(self, sender: Any, **named: Any) -> list[tuple[Any, Any]]:
        load_receivers()
        return super().send(sender, **named)


# Answers of assignments are withdrawn. With `held`: the assignments, of one annotator.
answers_withdrawn = SignalToRooms()
# Something that annotators gave is taken out of a study. With `study_id`.
data_erased = SignalToRooms()
# A study is to be archived. With `study`; receivers answer with sentences that speak against it.
study_archiving = SignalToRooms()
# A study is deleted. With `study_id`.
study_deleted = SignalToRooms()
