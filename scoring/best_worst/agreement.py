"""Krippendorff's alpha of best-worst answers, in named codings.

Units are tuples. What is called the same answer is the *coding*, which changes the figure and
which papers rarely name:

- ``slot``: the pick's place in the tuple's stored order. Depends on that order: where it goes
  with the answers, chance agreement is overrated. So the order has to be drawn, and the margins
  of the slots are given with a warning when they are far from uniform.
- ``item``: the item picked. Not corrected for chance: items of different tuples cannot be
  confused, so random clicking already agrees more than the margins of many items predict. Its
  chance level is given beside it.
- ``uniform``: the expected disagreement of a random choice instead of that of the margins, as in
  Bennett's S [Bennett1954]. Depends on neither.

Symbols: t tuples of k items; n values that can be paired; n_c of them in category c.
"""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.judgments import BestWorst
from scoring.json_values import JsonObject, json_number, json_numbers
from scoring.rounding import rounded
from shell.messages import Message
from shell.messages import message as _

On: TypeAlias = Literal["best", "worst", "stacked", "joint"]
Coding: TypeAlias = Literal["slot", "item", "uniform"]

QUESTIONS: dict[On, Message] = {
    "best": _("The best picks are compared."),
    "worst": _("The worst picks are compared."),
    "stacked": _("Best and worst picks are compared as separate units."),
    "joint": _(
        "The best and the worst pick are taken together: two answers are equal only if both picks"
        " are."
    ),
}
CODINGS: dict[Coding, Message] = {
    "slot": _("Slot coding: a pick is coded by its position in the tuple's stored order."),
    "item": _(
        "Item coding: a pick is coded by its item, so the value is not corrected for chance (see"
        " the chance level)."
    ),
    "uniform": _("The expected disagreement is that of a random choice [Bennett1954]."),
}

# Up to here the slots' margins count as near uniform: their expected disagreement falls short of
# a random choice's by a twentieth, which makes 1 - alpha a twentieth larger.
TOLERATED_SHORTFALL = 0.05


@dataclass(frozen=True, eq=False)
class Alpha:
    """Krippendorff's alpha of a batch of answers.

    Parameters
    ----------
    value : float
        1 - observed / expected disagreement, at most 1; nan where undefined.
    on : str
        The picks compared, a key of `QUESTIONS`.
    coding : str
        What counts as the same, a key of `CODINGS`.
    n_units, n_values : int
        Units with at least two values, and their values.
    n_dropped : int
        Units with fewer than two values, which have nothing to agree with; unanswered tuples
        are among them.
    reason : Message or None
        Why there is no value.
    chance_level : float or None
        For item coding, the alpha that random clicking on the same tuples would give; nan where
        undefined. None for the codings that put it at 0.
    slot_margins : float array, shape (k,), or (k, k) for joint, or None
        For slot coding, the share of the values in each slot; for joint in each (best slot, worst
        slot), whose diagonal is 0.
    max_deviation : float or None
        Largest distance of a slot margin from the share of a random choice.
    warning : Message or None
        Set where slot margins are far from uniform.
    """

    value: float
    on: On
    coding: Coding
    n_units: int
    n_values: int
    n_dropped: int
    reason: Message | None = None
    chance_level: float | None = None
    slot_margins: FloatArray | None = None
    max_deviation: float | None = None
    warning: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Krippendorff's alpha for nominal data [Krippendorff2011], with tuples as units."
            " %(picks)s %(coding)s",
            picks=QUESTIONS[self.on],
            coding=CODINGS[self.coding],
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition; the value is named alpha."""
        level, margins = self.chance_level, self.slot_margins
        return {
            "definition": self.definition,
            "on": self.on,
            "coding": self.coding,
            "alpha": json_number(self.value),
            "reason": self.reason,
            "n_units": self.n_units,
            "n_values": self.n_values,
            "n_dropped": self.n_dropped,
            "chance_level": None if level is None else json_number(level),
            "slot_margins": None if margins is None else json_numbers(margins),
            "max_deviation": self.max_deviation,
            "warning": self.warning,
        }


def alpha(answers: BestWorst, *, on: On, coding: Coding) -> Alpha:
    """Krippendorff's alpha of the answers, units being tuples.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples of k items.
    on : {"best", "worst", "stacked", "joint"}
        Compare the best picks; the worst picks; both, as separate units; or the pairs, which are
        the same only if both picks are.
    coding : {"slot", "item", "uniform"}
        What is the same pick and what agreement is due to chance; see the module's head.

    Returns
    -------
    Alpha
        Its value is nan, with the reason, if no tuple has two answers or if all values are
        equal. In uniform coding equal values are perfect agreement, whatever their slot: 1.

    Raises
    ------
    ValueError
        If `on` or `coding` is unknown.

    References
    ----------
    [Krippendorff2011], [Bennett1954] in docs/references.md
    """
    if on not in get_args(On):
        raise ValueError(f"on must be one of {', '.join(get_args(On))}, not {on!r}")
    if coding not in get_args(Coding):
        raise ValueError(f"coding must be one of {', '.join(get_args(Coding))}, not {coding!r}")

    # Units with one value drop out, and with them their share of the margins.
    answers_per_tuple = answers.answers_per_tuple()
    pairable = answers.of_judgments(answers_per_tuple[answers.tuple_number] >= 2)
    questions = 2 if on == "stacked" else 1
    n_pairable_tuples = int((answers_per_tuple >= 2).sum())
    n_units = questions * n_pairable_tuples
    n_values = questions * pairable.n_judgments
    n_dropped = questions * (answers.n_tuples - n_pairable_tuples)

    if n_units == 0:
        reason = (
            _("no tuple has two answers") if answers.n_judgments else _("there are no answers")
        )
        level = np.nan if coding == "item" else None
        return Alpha(np.nan, on, coding, 0, 0, n_dropped, reason, chance_level=level)

    units, values = units_and_values(pairable, on=on, by_item=coding == "item")
    observed, expected = nominal_disagreement(units, values)
    if coding == "uniform":
        expected = 1 - chance_of_agreeing(answers.tuple_size, on)
    if expected > 0:
        result = Alpha(1 - observed / expected, on, coding, n_units, n_values, n_dropped)
    else:
        result = Alpha(np.nan, on, coding, n_units, n_values, n_dropped, _ALL_EQUAL)
    if coding == "item":
        return _with_chance_level(result, pairable)
    if coding == "slot":
        return _with_margins(result, values, k=answers.tuple_size)
    return result


_ALL_EQUAL = _("all values are equal, so the disagreement expected by chance is 0")


def nominal_disagreement(units: IntArray, values: IntArray) -> tuple[float, float]:
    """Observed and expected disagreement of nominal values [Krippendorff2011].

    The krippendorff package holds a table of units x categories x categories, which for an item
    coding of a large study takes 100 GB; here memory grows with the number of values only.

    Parameters
    ----------
    units, values : int array, shape (n,)
        Unit and category of each value. Missing values are just not there; units of one value
        are left out.

    Returns
    -------
    observed, expected : float
        Shares of disagreeing pairs, in [0, 1]: within units, each unit counting by its values;
        and among all values. Alpha is 1 - observed / expected. nan without a unit of two values.
    """
    _, unit, unit_sizes = np.unique(units, return_inverse=True, return_counts=True)
    is_paired = unit_sizes[unit] >= 2
    unit, values = unit[is_paired], values[is_paired]
    if (n := len(unit)) == 0:
        return np.nan, np.nan

    _, category = np.unique(values, return_inverse=True)
    n_categories = int(category.max()) + 1
    # One number per cell that is filled, so the table of units x categories is never made.
    cells, counts = np.unique(unit * n_categories + category, return_counts=True)
    others = unit_sizes[cells // n_categories] - 1
    # Summed as disagreements, not as 1 - agreements, so that perfect agreement is exactly 0.
    observed = float((counts * (others + 1 - counts) / others).sum()) / n
    margins = np.bincount(category)
    expected = float((margins * (n - margins)).sum()) / (n * (n - 1))
    return observed, expected


def units_and_values(answers: BestWorst, *, on: On, by_item: bool) -> tuple[IntArray, IntArray]:
    """Unit and category of each value, (m,) each; stacked (2m,), all best before all worst."""
    units = answers.tuple_number
    if by_item:
        best, worst, n_categories = answers.best, answers.worst, answers.n_items
    else:
        best, worst = answers.slots("best"), answers.slots("worst")
        n_categories = answers.tuple_size
    if on == "stacked":
        return (
            np.concatenate([units, units + answers.n_tuples]),
            np.concatenate([best, worst]),
        )
    values = {"best": best, "worst": worst, "joint": best * n_categories + worst}
    return units, values[on]


def chance_of_agreeing(k: int, on: On) -> float:
    """Chance that two random picks from one tuple are the same."""
    return 1 / (k * (k - 1)) if on == "joint" else 1 / k


def _with_chance_level(result: Alpha, pairable: BestWorst) -> Alpha:
    """Add the alpha that random clicking on the same tuples would give, in item coding.

    Random picks agree with 1/k (joint: 1/(k(k-1))). What the margins lead alpha to expect follows
    from the design: item i, shown in a_i answers, is picked by each with 1/k, independently, so
    two values of different answers are both i with a_i (a_i - 1) / k^2 (summed over pairs of
    answers); for stacked values the same four times over, since one answer's two picks differ.
    For joint values the categories are ordered pairs of items, with 1 / (k(k-1)).
    """
    k, n = pairable.tuple_size, result.n_values
    shown_answers = pairable.answers_per_tuple()
    if result.on == "joint":
        first, second = np.triu_indices(k, 1)
        low = np.minimum(pairable.tuples[:, first], pairable.tuples[:, second])
        high = np.maximum(pairable.tuples[:, first], pairable.tuples[:, second])
        _, category = np.unique(low * pairable.n_items + high, return_inverse=True)
        weight = 2.0  # each unordered pair is two ordered ones
    else:
        category = pairable.tuples
        weight = 4.0 if result.on == "stacked" else 1.0
    appearances = np.bincount(
        category.ravel(), np.repeat(shown_answers, category.size // len(shown_answers))
    )
    agreeing = chance_of_agreeing(k, result.on)
    same = weight * agreeing**2 * float((appearances * (appearances - 1)).sum())
    expected = 1 - same / (n * (n - 1))
    level = 1 - (1 - agreeing) / expected if expected > 0 else np.nan
    return replace(result, chance_level=level)


def _with_margins(result: Alpha, values: IntArray, *, k: int) -> Alpha:
    """Add the margins of the slots, with a warning where they are far from uniform.

    How far is measured by what it does to alpha, not by a chi-square test: the picks of one tuple
    go together, so a test that takes them as independent rejects uniform margins far too often.
    """
    shape = (k, k) if result.on == "joint" else (k,)
    margins = np.bincount(values, minlength=int(np.prod(shape))).reshape(shape) / result.n_values
    by_chance = np.full(shape, chance_of_agreeing(k, result.on))
    if result.on == "joint":
        np.fill_diagonal(by_chance, 0.0)
    max_deviation = float(np.abs(margins - by_chance).max())
    of_random_choice = 1 - chance_of_agreeing(k, result.on)
    shortfall = 1 - (1 - float((margins**2).sum())) / of_random_choice
    warning = None
    if shortfall > TOLERATED_SHORTFALL:
        warning = _(
            "The picks are spread unevenly over the positions in the stored order of the "
            "tuples (largest deviation from an even share: %(deviation)s). This alpha depends"
            " on that order: the disagreement that it expects by chance is %(share)s %% below "
            "that of random choices. Use alpha with uniform chance instead.",
            deviation=rounded(max_deviation, 2),
            share=rounded(shortfall, 0, times=100),
        )
    return replace(result, slot_margins=margins, max_deviation=max_deviation, warning=warning)
