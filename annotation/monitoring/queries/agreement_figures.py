"""How agreement develops over the stored results of a study: whether it has fallen.

The rule: the alpha of the newest result lies below the 95 % interval of an earlier one of the same
design. The earlier answers are a part of the later ones, so the difference of the two varies by
chance no more than the earlier figure alone does, and no interval of the newest one is needed: a
study whose people agree as before is seldom named (`python -m benchmarks.coverage alerts`). It is
compared with the last result that had at most nine tenths of its answers: a study that is scored
each hour would otherwise sink unseen, in steps that are each too small.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.kinds.registry import kind_of
from annotation.models import Result, Study

# So many of the newest result's answers the earlier one may have at most.
SHARE = 0.9
# Below this, an interval says little.
MIN_ANSWERS = 50


@dataclass(frozen=True)
class Fall:
    """Alpha of the newest result beside an earlier one, of one phase or of the whole."""

    # The number of the phase; "" of a study without phases.
    subject: str
    before: float
    low: float
    now: float
    design: int

    def as_figures(self) -> dict[str, Any]:
        """As an alert keeps them."""
        return {"before": self.before, "low": self.low, "now": self.now, "design": self.design}


def falls(study: Study, known: Mapping[str, Mapping[str, Any]]) -> list[Fall]:
    """What has fallen in the newest result of people's answers; usually nothing.

    `known` has the figures of alerts that stand, by subject: what has fallen is compared with
    what was before the fall until it is up there again.
    """
    results = Result.objects.filter(study=study, population="people").order_by("-pk")
    # The rows without their statistics, which are long.
    rows = list(results.values_list("pk", "kind", "design_id", "n_judgments")[:200])
    if not rows:
        return []
    (pk, kind, design, n_judgments), *earlier = rows
    now = _alphas(study, results.values_list("statistics", flat=True).get(pk=pk))
    by_subject = {
        subject: Fall(subject, figures["before"], figures["low"], now[subject][0], design)
        for subject, figures in known.items()
        if subject in now and figures["design"] == design and now[subject][0] < figures["low"]
    }
    compared = next(
        (
            number
            for number, of_kind, of_design, n in earlier
            if (of_kind, of_design) == (kind, design) and MIN_ANSWERS <= n <= SHARE * n_judgments
        ),
        None,
    )
    if compared is None:
        return list(by_subject.values())
    before = _alphas(study, results.values_list("statistics", flat=True).get(pk=compared))
    for subject, (value, low) in before.items():
        if (
            subject not in by_subject
            and low is not None
            and subject in now
            and now[subject][0] < low
        ):
            by_subject[subject] = Fall(subject, value, low, now[subject][0], design)
    return list(by_subject.values())


def _alphas(study: Study, statistics: Mapping[str, Any]) -> dict[str, tuple[float, float | None]]:
    """Alpha and the lower end of its interval, by phase; only if there is one."""
    alphas = kind_of(study).monitoring.alphas(statistics)
    return {subject: (alpha, low) for subject, (alpha, low) in alphas.items() if alpha is not None}
