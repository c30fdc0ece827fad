"""Multiple choice: how often a model picks the candidate that people found most similar.

A dialogue comes with some options, one of which the model chooses; it is right if people gave no
other option a higher score. A model that reads a list of options may go by their places in it, so
that the options are shuffled several times and each shuffle has a choice of its own.

Symbols: d dialogues; s shuffles.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray, IntArray, read_only, whole_numbers
from scoring.groups import ROUNDING
from scoring.json_values import JsonObject, json_number, json_numbers
from shell.messages import Message
from shell.messages import message as _

DEFINITION = _(
    "Share of dialogues in which the chosen option has people's highest score [GiCCS], averaged "
    "over shuffles of the options. Standard error: standard deviation over dialogues (n - 1 in "
    "the denominator) divided by the square root of their number. The spread over shuffles "
    "shows the effect of the order of the options."
)


@dataclass(frozen=True)
class ChoiceShare:
    """The share of some dialogues in which the choice was right.

    Parameters
    ----------
    n : int
        Dialogues.
    right : float
        Right ones among them, as a mean over shuffles.
    accuracy : float
        right / n; nan without a dialogue.
    standard_error : float
        Of the accuracy, over dialogues, n - 1 in the denominator; nan below two dialogues.
    chance : float
        Accuracy expected of choosing at random: the mean over dialogues of the share of options
        that are right; nan where the numbers of options are not known.
    """

    n: int
    right: float
    accuracy: float
    standard_error: float
    chance: float

    @property
    def reason(self) -> Message | None:
        """Why there is no accuracy, or no standard error."""
        if self.n >= 2:
            return None
        if self.n == 1:
            return _("a single dialogue has no standard error")
        return _("no dialogue has scores for all of its options")

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "n": self.n,
            "right": self.right,
            "accuracy": json_number(self.accuracy),
            "standard_error": json_number(self.standard_error),
            "chance": json_number(self.chance),
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class ChoiceAccuracy:
    """How often the choices were right: over all dialogues, by subset and by shuffle.

    Parameters
    ----------
    overall : ChoiceShare
        Of all dialogues that count.
    by_subset : dict of str to ChoiceShare
        Of the dialogues of each subset, in the order in which they come first; a name that is a
        message stays one.
    per_shuffle : float array, shape (s,)
        Accuracy of each shuffle alone; nan without a dialogue.
    n_left_out : int
        Dialogues that do not count, because it is not known which option is right.
    n_tied : int
        Dialogues in which several options are right, because people scored them alike.
    right : float array, shape (d,)
        Share of the shuffles in which the choice of each dialogue was right; nan if it does not
        count.
    chances : float array, shape (d,)
        Share of the options of each dialogue that are right; nan if it does not count, or the
        number of options is not known.
    """

    overall: ChoiceShare
    by_subset: dict[str, ChoiceShare]
    per_shuffle: FloatArray
    n_left_out: int
    n_tied: int
    right: FloatArray
    chances: FloatArray
    definition: Message = field(default=DEFINITION, init=False)

    @property
    def shuffle_sd(self) -> float:
        """Standard deviation of the shuffles' accuracies, n - 1; nan below two shuffles."""
        if len(self.per_shuffle) < 2:
            return math.nan
        return float(self.per_shuffle.std(ddof=1))

    @property
    def shuffle_range(self) -> tuple[float, float]:
        """Least and greatest accuracy of a shuffle."""
        return float(self.per_shuffle.min()), float(self.per_shuffle.max())

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        low, high = self.shuffle_range
        return {
            "definition": self.definition,
            **self.overall.as_dict(),
            "n_left_out": self.n_left_out,
            "n_tied": self.n_tied,
            # The name once more, because the keys of JSON are plain texts.
            "by_subset": {
                name: {"name": name, **share.as_dict()} for name, share in self.by_subset.items()
            },
            "shuffles": {
                "n": len(self.per_shuffle),
                "accuracies": json_numbers(self.per_shuffle),
                "sd": json_number(self.shuffle_sd),
                "low": json_number(low),
                "high": json_number(high),
            },
            # From which the share of any part of the dialogues follows.
            "dialogues": {
                "right": json_numbers(self.right),
                "chance": json_numbers(self.chances),
            },
        }


def best_options(scores: npt.ArrayLike) -> frozenset[int]:
    """Find the options of one dialogue that people scored highest.

    Parameters
    ----------
    scores : float array, shape (k,)
        People's score of each option; nan if there is none.

    Returns
    -------
    frozenset of int
        Numbers, 0..k-1, of the options with the highest score, several where they are tied (equal
        but for rounding). Empty if a score is missing: the missing one may be the highest.
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.size == 0 or not np.isfinite(values).all():
        return frozenset()
    slack = ROUNDING * float(np.abs(values).max())
    return frozenset(np.flatnonzero(values >= values.max() - slack).tolist())


def choice_accuracy(
    chosen: npt.ArrayLike,
    best: Sequence[Collection[int]],
    *,
    n_options: Sequence[int] | None = None,
    subsets: Sequence[str] | None = None,
) -> ChoiceAccuracy:
    """Compute how often the choice was right, with its standard error over dialogues.

    Parameters
    ----------
    chosen : int array, shape (d,) or (s, d)
        Number of the option chosen for each dialogue, whatever the order in which it was shown;
        in each of s shuffles.
    best : sequence of collections of int, length d
        Options of each dialogue that are right, see `best_options`; a dialogue with none is left
        out and counted.
    n_options : sequence of int, length d, optional
        Options of each dialogue, from which chance is computed.
    subsets : sequence of str, length d, optional
        Subset of each dialogue, such as its number of turns.

    Raises
    ------
    ValueError
        If the lengths differ, or an option has a number that its dialogue does not have.

    References
    ----------
    [GiCCS] in docs/references.md
    """
    options = np.atleast_2d(whole_numbers(chosen, "chosen"))
    n_dialogues = len(best)
    if options.ndim != 2 or options.shape[1] != n_dialogues or options.shape[0] == 0:
        raise ValueError(
            f"choices of shape {np.shape(chosen)} do not fit {n_dialogues} dialogues: give one "
            "choice for each, or one row of them for each shuffle"
        )
    for name, given in (("n_options", n_options), ("subsets", subsets)):
        if given is not None and len(given) != n_dialogues:
            raise ValueError(f"{name} has {len(given)} values for {n_dialogues} dialogues")
    _check_numbers(options, best, n_options)

    counts = np.array([len(right) > 0 for right in best], dtype=bool)
    is_right = np.array(
        [
            [int(option) in right for option, right in zip(row, best, strict=True)]
            for row in options
        ]
    ).reshape(options.shape)
    chances = np.full(n_dialogues, np.nan)
    if n_options is not None:
        chances = np.array([len(set(r)) / n for r, n in zip(best, n_options, strict=True)])

    shares = is_right.mean(axis=0)
    labels = np.array(subsets if subsets is not None else [""] * n_dialogues, dtype=object)
    by_subset = {
        name: _share(shares[here], chances[here])
        for name in dict.fromkeys(subsets or ())
        for here in [counts & (labels == name)]
    }
    per_shuffle = np.full(len(options), np.nan)
    if counts.any():
        per_shuffle = is_right[:, counts].mean(axis=1)
    return ChoiceAccuracy(
        overall=_share(shares[counts], chances[counts]),
        by_subset=by_subset,
        per_shuffle=read_only(per_shuffle),
        n_left_out=int((~counts).sum()),
        n_tied=sum(len(set(right)) > 1 for right in best),
        right=read_only(np.where(counts, shares, np.nan)),
        chances=read_only(np.where(counts, chances, np.nan)),
    )


def share_of(right: npt.ArrayLike, chances: npt.ArrayLike) -> ChoiceShare:
    """Compute the accuracy over some dialogues, from what `ChoiceAccuracy` has of each.

    Parameters
    ----------
    right, chances : float array, shape (d,)
        Of each dialogue; those whose `right` is nan are left out.
    """
    shares = np.asarray(right, dtype=np.float64)
    counts = np.isfinite(shares)
    return _share(shares[counts], np.asarray(chances, dtype=np.float64)[counts])


def _check_numbers(
    chosen: IntArray, best: Sequence[Collection[int]], n_options: Sequence[int] | None
) -> None:
    for d, right in enumerate(best):
        named = [*chosen[:, d].tolist(), *right]
        end = math.inf if n_options is None else n_options[d]
        if wrong := [option for option in named if not 0 <= option < end]:
            raise ValueError(f"dialogue {d} has no option {wrong[0]}")


def _share(shares: FloatArray, chances: FloatArray) -> ChoiceShare:
    n = len(shares)
    if n == 0:
        return ChoiceShare(0, 0.0, math.nan, math.nan, math.nan)
    error = float(shares.std(ddof=1)) / math.sqrt(n) if n >= 2 else math.nan
    return ChoiceShare(n, float(shares.sum()), float(shares.mean()), error, float(chances.mean()))
