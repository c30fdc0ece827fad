"""What goes wrong on purpose: rules that match requests and say how each is spoilt."""

import random
from dataclasses import dataclass, field
from typing import Any

# Nothing was done, and the client is told (or not) before anything happens.
BEFORE = {
    "throttle",
    "500_before",
    "timeout_before",
    "wrong_content_type",
    "insufficient_funds",
    "page_token_expired",
    "service_closed",
}
# Everything was done, and the answer is spoilt.
AFTER = {"commit_then_500", "commit_then_drop", "commit_then_hang", "truncated_json"}
AROUND = {"latency", "stale_read"}
SUBMITS = {"lose_external_submit", "dup_external_submit"}
KINDS = BEFORE | AFTER | AROUND | SUBMITS
# The worker site's one request that can be spoilt goes by this name.
EXTERNAL_SUBMIT = "externalSubmit"


@dataclass
class Rule:
    """One fault: which requests it meets, how often, how likely, and how many met it so far."""

    number: int
    kind: str
    op: str = ""
    nth: int = 0
    worker: str = ""
    times: int | None = 1
    probability: float = 1.0
    seed: int = 0
    seconds: float | None = None
    n_seen: int = 0
    n_hit: int = 0
    chance: random.Random = field(default_factory=random.Random, repr=False)
    # What reads are answered from while they are stale: a copy of the memory.
    copy: Any = field(default=None, repr=False)

    def shown(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("chance", "copy")}


class Faults:
    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._number = 0

    def add(self, wanted: dict[str, Any]) -> Rule:
        """Read a rule as the control interface gets it; refuse what would never match."""
        wanted = dict(wanted)
        match = wanted.pop("match", {})
        if unknown := sorted(set(match) - {"op", "nth", "worker"}):
            raise ValueError(f"a fault cannot be matched by {', '.join(unknown)}")
        allowed = {"kind", "times", "probability", "seed", "seconds"}
        if unknown := sorted(set(wanted) - allowed):
            raise ValueError(f"a fault has no {', '.join(unknown)}")
        if wanted.get("kind") not in KINDS:
            raise ValueError(
                f"there is no fault {wanted.get('kind')!r}: {', '.join(sorted(KINDS))}"
            )
        if wanted["kind"] in SUBMITS:
            match.setdefault("op", EXTERNAL_SUBMIT)
        self._number += 1
        rule = Rule(self._number, **wanted, **match)
        rule.chance.seed(rule.seed)
        self._rules.append(rule)
        return rule

    def clear(self) -> None:
        self._rules.clear()

    def shown(self) -> list[dict[str, Any]]:
        return [rule.shown() for rule in self._rules]

    def meet(
        self, op: str, workers: set[str], *, is_read: bool, has_page_token: bool
    ) -> Rule | None:
        """The first rule that this request runs into, counted."""
        for rule in self._rules:
            if (rule.op and rule.op != op) or (rule.worker and rule.worker not in workers):
                continue
            # A rule for every operation leaves the worker site alone, and one of the worker
            # site's kinds leaves the operations alone.
            if (op == EXTERNAL_SUBMIT) != (rule.kind in SUBMITS):
                continue
            if rule.kind == "page_token_expired" and not has_page_token:
                continue
            if rule.kind == "stale_read" and not is_read:
                continue
            if rule.kind == "service_closed" and is_read:
                continue
            rule.n_seen += 1
            if rule.nth and rule.n_seen != rule.nth:
                continue
            if rule.times is not None and rule.n_hit >= rule.times:
                continue
            if rule.probability < 1 and rule.chance.random() >= rule.probability:
                continue
            rule.n_hit += 1
            return rule
        return None
