"""All statistics of best-worst answers in one: of a whole study and of its groups.

What GiCCS prints in its Tables 1 and 3: agreement and reliability of the whole data set and of
the cells source x number of turns. Its overall alpha and split-halves are unweighted means of
the cells, not figures of the pooled answers, so both are offered, under different names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from scoring.arrays import IntArray
from scoring.best_worst.agreement import Alpha, Coding, On, alpha
from scoring.best_worst.agreement_interval import alpha_intervals
from scoring.best_worst.half_draws import Rule
from scoring.best_worst.half_interval import half_interval
from scoring.best_worst.judgments import BestWorst, Picked
from scoring.best_worst.majorities import MIN_ANSWERS, StrongAgreement, strong_agreement
from scoring.best_worst.pools import pools_by_comparison
from scoring.best_worst.reliability import SplitHalf, split_half
from scoring.jackknife import JackknifeInterval
from scoring.json_values import JsonObject, json_number
from scoring.rounding import exact_mean
from shell.messages import Message
from shell.messages import message as _

Weighting: TypeAlias = Literal["cells", "judgments"]

WEIGHTINGS: dict[Weighting, Message] = {
    "cells": _("Unweighted mean of the groups, as in GiCCS [GiCCS]."),
    "judgments": _("Mean of the groups, weighted by their numbers of answers."),
}

NO_INTERVAL_OF_MEANS = _(
    "the same people answered in several groups, so the errors of the groups are not independent"
)

# The rules that every summary has. The others answer other questions, and one of them needs to
# know the people.
USUAL_RULES: tuple[Rule, ...] = ("random", "fixed")

COUNTS: dict[str, str] = {
    "n_judgments": "Answers counted.",
    "n_tuples": "Tuples with at least one answer.",
    "n_unanswered": "Tuples without any.",
    "n_items": "Items that at least one answer showed.",
    "n_pools": "Pools of these items, such as dialogues; null if that is not known.",
    "n_annotators": "Annotators who gave them; null if that is not known.",
}

STRONG_FIGURES: dict[str, str] = {
    "share": "The figure that the definition describes, from 0 to 1.",
    "unanimous_share": (
        "Share of the same tuples in which all answers picked the same item, from 0 to 1."
    ),
    "mean_pairwise_agreement": (
        "Share of the pairs of answers to a tuple that picked the same item, from 0 to 1: the "
        "mean over the same tuples, each counting once. Not corrected for chance, which gives "
        "1/k with k items a tuple."
    ),
    "n_tuples": f"Tuples counted, those with at least {MIN_ANSWERS} answers.",
    "n_left_out": "Tuples with fewer; unanswered ones are among them.",
}


@dataclass(frozen=True, eq=False)
class Summary:
    """Statistics of one batch of answers.

    Parameters
    ----------
    n_judgments : int
    n_tuples, n_unanswered : int
        Tuples with at least one judgment, and those without.
    n_items : int
        Items that at least one judgment showed.
    n_annotators : int or None
        None if the batch does not say who answered.
    split_half : dict
        By rule.
    alpha : dict
        By question, then by coding. Joint in slot coding is the headline.
    strong_agreement : dict
        By question.
    alpha_intervals : dict or None
        As `alpha`; None if they were not asked for.
    n_pools : int or None
        Pools of which at least one judgment showed an item; None if the pools were not given.
    """

    n_judgments: int
    n_tuples: int
    n_unanswered: int
    n_items: int
    n_annotators: int | None
    split_half: dict[Rule, SplitHalf]
    alpha: dict[On, dict[Coding, Alpha]]
    strong_agreement: dict[Picked, StrongAgreement]
    alpha_intervals: dict[On, dict[Coding, JackknifeInterval]] | None = None
    n_pools: int | None = None

    def figures(self) -> dict[str, float]:
        """The single figures by dotted name, nan where undefined.

        ``split_half.random.spearman`` (mean over splits), ``alpha.joint.slot``,
        ``strong_agreement.best`` and so on: what is averaged over cells.
        """
        figures = {}
        for rule, halves in self.split_half.items():
            figures[f"split_half.{rule}.spearman"] = halves.spearman.mean
            figures[f"split_half.{rule}.pearson"] = halves.pearson.mean
        for on, codings in self.alpha.items():
            for coding, coefficient in codings.items():
                figures[f"alpha.{on}.{coding}"] = coefficient.value
        for picked, strong in self.strong_agreement.items():
            figures[f"strong_agreement.{picked}"] = strong.share
        return figures

    def as_dict(self) -> JsonObject:
        """The summary in plain JSON types; a page or a file can show it as it is.

        Returns
        -------
        dict
            ``definitions`` of ``n_judgments``, ``n_tuples``, ``n_unanswered``, ``n_items``,
            ``n_pools`` and ``n_annotators``, and these;
            ``split_half`` -> rule -> {definition, definitions, rule, n_splits, n_items, spearman,
            pearson, spearman_brown, reason, note} and, if it was
            asked for, interval as below, where spearman and pearson are {mean, sd, low,
            high, values (one per split)} and spearman_brown is {value, reason, definition};
            ``alpha`` -> question -> coding -> {definition, on, coding, alpha, reason, n_units,
            n_values, n_dropped, chance_level, slot_margins, max_deviation, warning} and, if it was
            asked for, interval: {definition, low, high, over, left_out, n_units, n_people,
            is_over_people, standard_error, df, reason, note};
            ``strong_agreement`` -> question -> {definition, definitions, on, share,
            unanimous_share, mean_pairwise_agreement, n_tuples, n_left_out, reason}.
            ``definitions`` says of each single figure beside it what it is.
            What is undefined is None, and ``reason`` says why; otherwise ``reason`` is None.
        """
        return {
            "definitions": dict(COUNTS),
            "n_judgments": self.n_judgments,
            "n_tuples": self.n_tuples,
            "n_unanswered": self.n_unanswered,
            "n_items": self.n_items,
            "n_pools": self.n_pools,
            "n_annotators": self.n_annotators,
            "split_half": {rule: halves.as_dict() for rule, halves in self.split_half.items()},
            "alpha": {
                on: {
                    coding: {**coefficient.as_dict(), **self._interval(on, coding)}
                    for coding, coefficient in codings.items()
                }
                for on, codings in self.alpha.items()
            },
            "strong_agreement": {
                picked: {**strong.as_dict(), "definitions": dict(STRONG_FIGURES)}
                for picked, strong in self.strong_agreement.items()
            },
        }

    def _interval(self, on: On, coding: Coding) -> JsonObject:
        if self.alpha_intervals is None:
            return {}
        return {"interval": self.alpha_intervals[on][coding].as_dict()}


@dataclass(frozen=True)
class CellMean:
    """Mean of one figure over cells.

    Parameters
    ----------
    value : float
        The mean over the cells that have the figure; nan if none has.
    n_cells : int
        Cells that have the figure.
    without : tuple of str
        Labels of the cells that do not, and are left out.
    weighting : str
        A key of `WEIGHTINGS`.
    """

    value: float
    n_cells: int
    without: tuple[str, ...]
    weighting: Weighting

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return WEIGHTINGS[self.weighting]

    def as_dict(self) -> JsonObject:
        """The mean in plain JSON types, with the definition and the reason where undefined."""
        return {
            "definition": self.definition,
            "value": json_number(self.value),
            "n_cells": self.n_cells,
            "without": list(self.without),
            "reason": None if self.n_cells else _("no group has a value"),
            "interval_reason": NO_INTERVAL_OF_MEANS,
        }


def summarise(
    answers: BestWorst,
    *,
    n_splits: int = 100,
    rules: Sequence[Rule] = USUAL_RULES,
    with_intervals: bool = False,
    pool: IntArray | None = None,
    rng: np.random.Generator,
) -> Summary:
    """Compute all statistics of a batch of answers.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples; m may be 0.
    n_splits : int
        Repeats of the split-half, at least 1.
    rules : sequence of str
        Rules of the split-half, keys of `scoring.best_worst.halves.RULES`.
    with_intervals : bool
        Whether alpha and the split-half by the rule "random" get intervals.
    pool : int array, shape (n_items,), optional
        Pool of each item, as in `alpha_interval`. Given, the answered pools are counted.
    rng : numpy Generator
        Source of the splits. Each rule draws from a child of its own.
    """
    # Spawned, so that one rule's splits do not depend on how many numbers the other one drew.
    of_rule = dict(zip(rules, rng.spawn(len(rules)), strict=True))
    answers_per_tuple = answers.answers_per_tuple()
    items = answers.shown_items()
    halves = {
        rule: split_half(answers, rule=rule, n_splits=n_splits, rng=of_rule[rule])
        for rule in rules
    }
    if with_intervals and "random" in halves:
        interval = half_interval(
            answers,
            pool=pools_by_comparison(answers) if pool is None else pool,
            rng=of_rule["random"],
        )
        halves["random"] = replace(halves["random"], interval=interval)
    alphas = {
        on: {coding: alpha(answers, on=on, coding=coding) for coding in get_args(Coding)}
        for on in get_args(On)
    }
    return Summary(
        n_judgments=answers.n_judgments,
        n_tuples=int((answers_per_tuple > 0).sum()),
        n_unanswered=int((answers_per_tuple == 0).sum()),
        n_items=len(items),
        n_annotators=None if answers.annotator is None else len(np.unique(answers.annotator)),
        split_half=halves,
        alpha=alphas,
        strong_agreement={
            picked: strong_agreement(answers, on=picked) for picked in get_args(Picked)
        },
        alpha_intervals=(alpha_intervals(answers, alphas, pool=pool) if with_intervals else None),
        n_pools=None if pool is None else len(np.unique(pool[items])),
    )


def by_group(
    answers: BestWorst,
    labels: Sequence[str],
    *,
    n_splits: int = 100,
    rules: Sequence[Rule] = USUAL_RULES,
    with_intervals: bool = False,
    pool: IntArray | None = None,
    rng: np.random.Generator,
) -> dict[str, Summary]:
    """Compute all statistics of each group of tuples apart.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples.
    labels : sequence of str, length t
        Group of each tuple: its source, say, or its source and number of turns.
    n_splits : int
        Repeats of each split-half, at least 1.
    rules : sequence of str
        Rules of the split-half, keys of `scoring.best_worst.halves.RULES`.
    with_intervals : bool
        Whether each group gets the intervals of `summarise`, over its own people and pools.
    pool : int array, shape (n_items,), optional
        Pool of each item. Given, the answered pools of each group are counted.
    rng : numpy Generator
        Source of the splits. Each group draws from children of its own, so its figures do not
        depend on the answers of the others.

    Returns
    -------
    dict
        Summary of each label, labels in alphabetical order.

    Raises
    ------
    ValueError
        If there is not one label per tuple.
    """
    if len(labels) != answers.n_tuples:
        raise ValueError(f"there are {len(labels)} labels for {answers.n_tuples} tuples")
    names = sorted(set(labels))
    # Numbers, because an array of str drops trailing NULs and would merge such labels.
    number = {name: i for i, name in enumerate(names)}
    group = np.array([number[label] for label in labels], dtype=np.int64)
    summaries = {}
    for name in names:
        part, items = _only_items_of(answers.of_tuples(group == number[name]))
        summaries[name] = summarise(
            part,
            n_splits=n_splits,
            rules=rules,
            with_intervals=with_intervals,
            pool=None if pool is None else pool[items],
            rng=rng,
        )
    return summaries


def _only_items_of(part: BestWorst) -> tuple[BestWorst, IntArray]:
    """Renumber the items of some tuples, shape (n,): all others would only take time."""
    items, tuples = np.unique(part.tuples, return_inverse=True)
    picks = {name: np.searchsorted(items, getattr(part, name)) for name in ("best", "worst")}
    renumbered = replace(
        part, tuples=tuples.reshape(part.tuples.shape), n_items=len(items), **picks
    )
    return renumbered, items


def mean_over_cells(
    cells: Mapping[str, Summary], *, weighting: Weighting = "cells"
) -> dict[str, CellMean]:
    """Average every figure over cells, beside the figure of the pooled answers.

    Parameters
    ----------
    cells : mapping of str to Summary
        Summaries that share no judgments, as from `by_group`.
    weighting : {"cells", "judgments"}
        Whether each cell counts once, or by its number of judgments.

    Returns
    -------
    dict
        Mean by name of the figure, as in `Summary.figures`.

    Raises
    ------
    ValueError
        If there is no cell or the weighting is unknown.

    References
    ----------
    [GiCCS] in docs/references.md
    """
    if weighting not in get_args(Weighting):
        raise ValueError(
            f"weighting must be one of {', '.join(get_args(Weighting))}, not {weighting!r}"
        )
    if not cells:
        raise ValueError("there are no cells to average over")

    figures = {label: summary.figures() for label, summary in cells.items()}
    means = {}
    for name in next(iter(figures.values())):
        have = [label for label in cells if not np.isnan(figures[label][name])]
        weights = [cells[label].n_judgments if weighting == "judgments" else 1 for label in have]
        values = [figures[label][name] for label in have]
        means[name] = CellMean(
            value=exact_mean(values, weights) if have else float("nan"),
            n_cells=len(have),
            without=tuple(label for label in cells if label not in have),
            weighting=weighting,
        )
    return means
