"""Options of `manage.py make_design` that designs of several kinds have."""

from collections.abc import Mapping
from typing import Any

QUESTIONS_PER_SCREEN: Mapping[str, Mapping[str, Any]] = {
    "--questions-per-screen": {"type": int, "help": "questions on a screen"}
}
CHECKS: Mapping[str, Mapping[str, Any]] = {
    "--checks": {
        "type": int,
        "dest": "n_checks",
        "metavar": "N",
        "help": "attention checks (loud or silent) drawn for each booklet",
    }
}
