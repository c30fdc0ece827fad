"""What a plan is: the numbers of a design, and which texts a new study begins with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise

from annotation.basics.reviewed import Review
from annotation.models.kinds import QuestionKind


@dataclass(frozen=True)
class Preset:
    """A ready-made study. Each kind lists its own in `kinds/<kind>/presets.py`."""

    key: str
    kind: QuestionKind
    # Where it stands among all plans, those of other kinds too.
    order: int
    name: str | Promise
    description: str | Promise
    parameters: dict[str, Any]
    max_booklets: int = 1
    # Which default texts of its kind: those about dialogues, those that fit items of any kind,
    # those for ratings of pairs ("ratings") or of answers to a question ("answers"), …
    texts: str = "items"
    # Ends and step of the scale of what is rated; its words are among the texts.
    scale: Mapping[str, str] = field(default_factory=dict)
    # Why it looks at items of a scored study again; it cannot do without one.
    review: Review | None = None


ZERO_TO_SIX = {"low": "0", "high": "6", "step": "1"}


def one_phase(**numbers: Any) -> dict[str, Any]:
    """Numbers of a design in which everybody is asked about their pairs once, without context."""
    return {
        "arrangement": "free",
        "n_teams": 1,
        "questions_per_screen": 1,
        "phases": [{"condition": "context_free", "delay_hours": 0.0, "closes_after_days": None}],
        "calibration": [],
        "n_repeats": 0,
        "repeat_from": "booklet",
        "repeat_distance": 20,
        **numbers,
    }
