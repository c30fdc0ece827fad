"""Subsets of the items by name: by what a column says, by the words of the texts, by a condition.

Each function gives masks by name, which `together` joins for `baseline_report`; names say by what
the items were divided, so that those of two divisions do not meet. Subsets may overlap.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray
from scoring.baselines.expression import Condition, Selected
from scoring.baselines.pairs import Pair
from scoring.baselines.word_cuts import WORDS, words_of
from scoring.measures.leaderboard import EVERYTHING
from shell.messages import message as _

# A table of more subsets than this is read by nobody, and its differences fill megabytes.
MAX_SUBSETS = 50

DEFINITIONS: dict[str, str] = {
    "word_overlap": f"Whether the two texts share a word. {WORDS}",
    "f1_zero": (
        "Whether SQuAD's F1 of the two texts is 0, as the study of answer similarity divides its "
        "pairs: lower-case, without ASCII punctuation and English articles, they share no word."
    ),
}


def by_label(column: str, labels: Sequence[str | float | None]) -> dict[str, BoolArray]:
    """Make a subset of each label's items.

    Parameters
    ----------
    column : str
        What the labels are called, such as "domain" or "turns".
    labels : sequence of str or numbers, length n
        Of each item; None or "" where it has none.

    Returns
    -------
    dict of bool arrays, shape (n,)
        As "domain: news", in the order of the labels, that of the numbers if all of them are some;
        last, if there are any, "no domain".

    Raises
    ------
    ValueError
        If there are more than 50 labels.
    """
    given = ["" if label is None else _written(label) for label in labels]
    distinct = sorted(set(given) - {""}, key=_place)
    if len(distinct) > MAX_SUBSETS:
        raise ValueError(
            _(
                "%(name)s has %(n)s different values, but at most %(most)s subsets are "
                "possible; choose another column, or write a condition",
                name=column,
                n=len(distinct),
                most=MAX_SUBSETS,
            )
        )
    of_item = np.array(given, dtype=object)
    masks: dict[str, BoolArray] = {
        f"{column}: {label}": np.asarray(of_item == label, dtype=np.bool_) for label in distinct
    }
    if (without := np.asarray(of_item == "", dtype=np.bool_)).any():
        masks[f"no {column}"] = without
    return masks


def by_word_overlap(pairs: Sequence[Pair]) -> dict[str, BoolArray]:
    """Divide the items by whether their texts share a word; see `DEFINITIONS`."""
    shares = np.array(
        [not words_of(pair.first).isdisjoint(words_of(pair.second)) for pair in pairs],
        dtype=np.bool_,
    )
    return {"no shared word": ~shares, "shared word": shares}


def by_f1_zero(f1: npt.ArrayLike) -> dict[str, BoolArray]:
    """Divide the items by whether SQuAD's F1 is 0; see `DEFINITIONS`.

    Parameters
    ----------
    f1 : float array, shape (n,)
        Values of the measure "squad_f1"; an item without one is in neither subset.
    """
    values = np.asarray(f1, dtype=np.float64)
    return {"f1_eq_0": values == 0, "f1_ne_0": (values != 0) & ~np.isnan(values)}


def by_condition(condition: Condition, selected: Selected) -> dict[str, BoolArray]:
    """Divide the items by whether a condition holds.

    Parameters
    ----------
    condition : Condition
    selected : Selected
        What `condition.select` said of the items. Those that lack something it asks for are
        where it does not hold.
    """
    text = " ".join(condition.text.split())
    return {text: selected.mask, f"not ({text})": ~selected.mask}


def together(*divisions: Mapping[str, BoolArray], n_items: int) -> dict[str, BoolArray]:
    """Join the subsets of several divisions, in their order; all items come last, as "all".

    Raises
    ------
    ValueError
        If two subsets have one name, a subset is called "all", or there are more than 50.
    """
    masks: dict[str, BoolArray] = {}
    for division in divisions:
        for name, mask in division.items():
            if name == EVERYTHING:
                raise ValueError(
                    _(
                        "%(given)s is the name for all items; give that subset another name",
                        given=repr(EVERYTHING),
                    )
                )
            if name in masks:
                raise ValueError(
                    _(
                        "two subsets are called %(given)s; choose only one of them",
                        given=repr(name),
                    )
                )
            masks[name] = mask
    if len(masks) > MAX_SUBSETS:
        raise ValueError(
            _(
                "these are %(n)s subsets, but a report has at most %(most)s; choose fewer",
                n=len(masks),
                most=MAX_SUBSETS,
            )
        )
    return {**masks, EVERYTHING: np.ones(n_items, dtype=np.bool_)}


def _written(label: str | float) -> str:
    return label if isinstance(label, str) else f"{label:.15g}"


def _place(label: str) -> tuple[bool, float, str]:
    """Numbers by their size, before all others."""
    try:
        number = float(label)
    except ValueError:
        return True, 0.0, label
    # nan has no place.
    return (False, number, label) if number == number else (True, 0.0, label)  # noqa: PLR0124
