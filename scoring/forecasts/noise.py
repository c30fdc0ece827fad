"""How noisy the people of a pilot or an earlier study are.

Symbols: t tuples of k items; m judgments; d drawn noises; g groups of tuples.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.pools import pool_of_tuples, pools_by_comparison
from scoring.forecasts.latents import UNIFORM, Latents, Shape
from scoring.forecasts.other_people import unseen_careless_shares
from scoring.forecasts.own_shape import own_shape
from scoring.forecasts.picks import expected_agreement
from scoring.forecasts.pilots import MAX_GROUPS, MIN_PEOPLE, Drawn, agreement_of
from scoring.jackknife import MIN_ITEMS, MIN_POOLS, numbered, sampled
from scoring.json_values import JsonObject, json_number
from shell.messages import Message
from shell.messages import message as _

# Noise is looked for between these: below and above, answers are as good as certain or random.
LOWEST, HIGHEST = 0.01, 10.0
_NOISES = np.geomspace(LOWEST, HIGHEST, 40)

PilotShape: TypeAlias = Literal["pilot"] | Shape


@dataclass(frozen=True, eq=False)
class NoiseEstimate(Drawn):
    """How noisy the answers of a pilot or an earlier study are.

    Parameters
    ----------
    value : float
        The noise at which simulated people agree as often; nan if it cannot be told.
    draws : float array, shape (d,)
        Noises that another study may have: the pilot's people and pools (or items) are a sample,
        and that study's people are other ones, some of whom may be careless. All are the value if
        `note` says so.
    agreement : float
        Share of the pairs of answers to the same tuple that name the same item, best and worst
        picks together, in [0, 1].
    n_tuples : int
        Tuples with at least two answers.
    latents : Latents
        Shape of the simulated latent scores.
    note : Message or None
        What the draws leave out, and why.
    reason : Message or None
        Why there is no value.
    """

    value: float
    draws: FloatArray
    agreement: float
    n_tuples: int
    latents: Latents = UNIFORM
    note: Message | None = None
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "The noise at which simulated people, with latent scores of the given shape, agree on "
            "the same tuples as often as these people did. Agreement is the share of pairs of "
            "answers to one tuple that pick the same item. low and high: 95 % of what another "
            "study with other people may have, by a jackknife of the agreement over people and "
            "pools [Miller1974] [CameronGelbachMiller2011]. In half of the draws, a further share "
            "of these people answers at random. It is drawn from Beta(1, n + 1) for n people in "
            "the pilot [MitchellBeauchamp1988]."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "noise": json_number(self.value),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "latents": self.latents.definition,
            "agreement": json_number(self.agreement),
            "n_tuples": self.n_tuples,
            "note": self.note,
            "reason": self.reason,
        }


def estimate_noise(
    answers: BestWorst, *, shape: PilotShape = "uniform", rng: np.random.Generator
) -> NoiseEstimate:
    """Find the noise at which simulated people agree as often as these did.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples; those of tuples with a single answer say nothing.
    shape : {"uniform", "normal", "bimodal", "pilot"}
        Of the latent scores. "pilot": the beta distribution under which the scores vary as much as
        these do without error; uniform unless the answers speak against it.
    rng : numpy Generator
        Source of the simulated answers and of the draws.

    Returns
    -------
    NoiseEstimate
        Its value is nan, with the reason, where no tuple has two answers, or where people agree
        as often as noise below 0.01 makes them, or no more often than by chance.

    References
    ----------
    [Miller1974], [CameronGelbachMiller2011], [MitchellBeauchamp1988] in docs/references.md
    """
    n = answers.answers_per_tuple()
    if n.max(initial=0) < 2:
        why = _("no tuple has two answers, so differences between people are unknown")
        return NoiseEstimate(np.nan, np.array([np.nan]), np.nan, 0, reason=why)
    answers, n = answers.of_tuples(n >= 2), n[n >= 2]
    lacks, column = _left_out(answers)
    # Two questions of each tuple: the best and the worst.
    number, t = answers.tuple_number, answers.n_tuples
    person = answers.annotator
    agreement = agreement_of(
        np.concatenate([number, t + number]),
        np.concatenate([answers.slots("best"), answers.slots("worst")]),
        None if person is None else np.tile(person, 2),
        n_values=answers.tuple_size,
        lacks=None if lacks is None else np.tile(lacks, 2),
        column=np.tile(column, 2),
        rng=rng,
    )
    weight = n * (n - 1) / (n * (n - 1)).sum()
    if shape != "pilot":
        latents = Latents.of(shape)
    elif lacks is None:
        latents = UNIFORM
    else:
        without = agreement.without_units
        # Signals are interpolated between agreements, of which they are a smooth function.
        noises = _NOISES[::3]
        latents = own_shape(
            answers, agreement.value, without, lacks, noises=noises, weight=weight, rng=rng
        )
    expected = expected_agreement(answers.tuples, _NOISES, weight=weight, latents=latents, rng=rng)
    reason = note = None
    if agreement.value > expected[0]:
        reason = _("people agree as if there were no noise: below %(least)s", least=LOWEST)
    elif agreement.value < expected[-1]:
        reason = _("people agree no more often than by chance")
    if not (agreement.is_over_units or agreement.is_over_people):
        note = _(
            "The range leaves out how items and people differ: that needs at least %(pools)s"
            " pools or %(n)s items, and %(people)s people.",
            pools=MIN_POOLS,
            n=MIN_ITEMS,
            people=MIN_PEOPLE,
        )
    elif not agreement.is_over_units:
        note = _(
            "The range leaves out how items differ: that needs at least %(pools)s pools or"
            " %(n)s items.",
            pools=MIN_POOLS,
            n=MIN_ITEMS,
        )
    elif not agreement.is_over_people:
        note = _(
            "The range leaves out how people differ: that needs at least %(n)s people.",
            n=MIN_PEOPLE,
        )
    agreements = agreement.draws
    if person is not None and agreement.is_over_people:
        by_chance = 1 / answers.tuple_size
        careless = unseen_careless_shares(person, n_draws=len(agreements), rng=rng)
        agreements = by_chance + (agreements - by_chance) * (1 - careless) ** 2
    value, draws = (_noises_at(a, expected) for a in (np.array([agreement.value]), agreements))
    return NoiseEstimate(
        np.nan if reason else float(value[0]),
        draws,
        agreement.value,
        t,
        latents,
        note,
        reason,
    )


def _left_out(answers: BestWorst) -> tuple[BoolArray | None, IntArray]:
    """Which tuples are missing without each group of pools, (g, t), and a group of each tuple.

    Where there are few pools, an item is left out with all tuples that show it.
    """
    pool = pools_by_comparison(answers)
    of_tuple = pool_of_tuples(answers, pool)
    items = np.flatnonzero(pool >= 0)
    sample = sampled(
        unit="items",
        n_units=len(items),
        n_items=len(items),
        n_pools=len(np.unique(of_tuple)),
        annotator=None,
    )
    if sample.reason:
        return None, of_tuple
    is_by_pool = sample.left_out == "pools"
    group = np.full(answers.n_items, -1)
    group[items] = numbered(pool[items] if is_by_pool else items, max_groups=MAX_GROUPS)
    groups = np.arange(group.max() + 1)[:, None, None]
    lacks = (group[answers.tuples] == groups).any(axis=2)
    return lacks, of_tuple if is_by_pool else np.arange(answers.n_tuples)


def _noises_at(agreements: FloatArray, expected: FloatArray) -> FloatArray:
    """The noises that make people agree so often, within what is looked for."""
    return np.exp(np.interp(-agreements, -expected, np.log(_NOISES)))
