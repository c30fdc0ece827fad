"""What trained models find in tests, over several runs: mean and deviation, as papers' tables say.

Symbols: n pairs; r runs, which differ in their seed alone.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.arrays import FloatArray
from scoring.correlation import pearson, spearman, why_undefined
from scoring.groups import settled
from scoring.json_values import JsonObject, json_number
from shell.messages import Message, ngettext
from shell.messages import message as _


@dataclass(frozen=True)
class Evaluation:
    """Correlations of one trained model with people's scores in one test.

    Parameters
    ----------
    n : int
        Pairs of the test.
    pearson, spearman : float
        In [-1, 1]; nan where undefined.
    reason : Message or None
        Why they are undefined.
    """

    n: int
    pearson: float
    spearman: float
    reason: Message | None = None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "n": self.n,
            "pearson": json_number(self.pearson),
            "spearman": json_number(self.spearman),
            "reason": self.reason,
        }

    @classmethod
    def of_json(cls, stored: Mapping[str, Any]) -> "Evaluation":
        """Read what `as_dict` wrote."""
        figures = {
            k: math.nan if stored[k] is None else stored[k] for k in ("pearson", "spearman")
        }
        return cls(stored["n"], figures["pearson"], figures["spearman"], stored["reason"])


@dataclass(frozen=True)
class RunFigures:
    """One run.

    Parameters
    ----------
    seed : int
        From which it drew.
    losses : list of float
        Mean loss of each epoch.
    tests : dict of str to Evaluation
        By the name of the test.
    """

    seed: int
    losses: list[float]
    tests: dict[str, Evaluation]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "seed": self.seed,
            "losses": list(self.losses),
            "tests": {name: test.as_dict() for name, test in self.tests.items()},
        }

    @classmethod
    def of_json(cls, stored: Mapping[str, Any]) -> "RunFigures":
        """Read what `as_dict` wrote."""
        tests = {name: Evaluation.of_json(test) for name, test in stored["tests"].items()}
        return cls(stored["seed"], list(stored["losses"]), tests)


@dataclass(frozen=True)
class OverRuns:
    """A figure over several runs.

    Parameters
    ----------
    mean, sd : float
        Arithmetic mean and standard deviation, n - 1 in the denominator; nan where undefined.
    n : int
        Runs.
    reason : Message or None
        Why mean or deviation are undefined.
    """

    mean: float
    sd: float
    n: int
    reason: Message | None = None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "mean": json_number(self.mean),
            "sd": json_number(self.sd),
            "n": self.n,
            "reason": self.reason,
        }


def evaluate(scores: FloatArray, values: FloatArray) -> Evaluation:
    """Correlate what a model found with people's scores.

    Parameters
    ----------
    scores, values : float array, shape (n,)
        People's scores and the model's values of the same pairs; nan if there is none. A pair
        without one of them is left out.
    """
    is_there = np.isfinite(scores) & np.isfinite(values)
    x, y = scores[is_there], values[is_there]
    n = len(x)
    if (reason := why_undefined(x, y)) is not None:
        return Evaluation(n, math.nan, math.nan, reason)
    return Evaluation(n, float(pearson(x, y)), float(spearman(x, y)))


def over_runs(values: Sequence[float]) -> OverRuns:
    """Mean and deviation of one figure of each run; a run that lacks it leaves none for all.

    Parameters
    ----------
    values : sequence of float, length r
        The figure of each run; nan if it is undefined.
    """
    array, n = np.array(values, dtype=np.float64), len(values)
    if n == 0:
        return OverRuns(math.nan, math.nan, 0, _("there is no run"))
    if n_undefined := int(np.isnan(array).sum()):
        reason = ngettext(
            "undefined in %(n)s of %(runs)s runs",
            "undefined in %(n)s of %(runs)s runs",
            "n",
            n=n_undefined,
            runs=n,
        )
        return OverRuns(math.nan, math.nan, n, reason)
    if n == 1:
        return OverRuns(float(array[0]), math.nan, 1, _("a single run has no standard deviation"))
    # Equal runs have no deviation, where their mean differs from them in the last digits, too.
    is_equal = np.ptp(settled(array, array)) == 0
    return OverRuns(float(array.mean()), 0.0 if is_equal else float(array.std(ddof=1)), n)


def evaluations_over_runs(runs: Sequence[RunFigures]) -> dict[str, dict[str, OverRuns]]:
    """Pearson's and Spearman's coefficient in each test, over the runs.

    Parameters
    ----------
    runs : sequence of RunFigures, length r
        All with the same tests.
    """
    names = list(runs[0].tests) if runs else []
    return {
        name: {
            "pearson": over_runs([run.tests[name].pearson for run in runs]),
            "spearman": over_runs([run.tests[name].spearman for run in runs]),
        }
        for name in names
    }
