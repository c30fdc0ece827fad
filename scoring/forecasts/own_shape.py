"""The shape of the latent scores of a pilot's own items.

At the same agreement the scores vary more or less, by the shape of the latent scores. How much
they vary without error is the *signal*: the mean square of the items' expected scores.

Symbols: t tuples of k items, each with two answers or more; g groups of tuples.
"""

import numpy as np

from scoring.arrays import BoolArray, FloatArray
from scoring.best_worst.counting import share
from scoring.best_worst.judgments import BestWorst
from scoring.forecasts.latents import UNIFORM, Latents
from scoring.forecasts.picks import expected_figures
from scoring.jackknife import one_way_variance

# Concentrations, and how far each is from the uniform one, which is kept unless the pilot speaks
# against it: being two steps away from it weighs as much as one standard error of the signal.
_STEPS: dict[float, int] = {1.0: 0, 0.45: 1, 0.2: 2, 0.1: 3, 2.5: 1, np.inf: 2}


def own_shape(
    answers: BestWorst,
    agreement: float,
    agreement_without: FloatArray,
    lacks: BoolArray,
    *,
    noises: FloatArray,
    weight: FloatArray,
    rng: np.random.Generator,
) -> Latents:
    """Find the shape under which the signal is that of these answers at their agreement.

    Parameters
    ----------
    answers : BestWorst
        A pilot's.
    agreement, agreement_without : float, float array of shape (g,)
        Its agreement, and that without each group of tuples.
    lacks : bool array, shape (g, t)
        Which tuples are missing without each group.
    noises : float array, shape (p,)
        Ascending noises at which people are simulated.
    weight : float array, shape (t,)
        Of each tuple in the agreement, adding up to 1.
    rng : numpy Generator
        Source of the simulated answers.
    """
    seed = rng.integers(2**32)

    def expected(a: float, agreements: FloatArray) -> FloatArray:
        curve, signals = expected_figures(
            answers.tuples,
            noises,
            weight=weight,
            latents=Latents(a),
            rng=np.random.default_rng(seed),
        )
        of_agreements: FloatArray = np.interp(-agreements, -curve, signals)
        return of_agreements

    signal, *without = signals(answers, np.vstack([np.zeros_like(lacks[:1]), lacks]))
    surplus = np.array(without) - expected(1.0, agreement_without)
    error = one_way_variance(surplus).value
    if not error > 0:
        return UNIFORM
    here = np.array([agreement])
    distances = {
        a: (signal - float(expected(a, here)[0])) ** 2 / error + (steps / 2) ** 2
        for a, steps in _STEPS.items()
    }
    return Latents(min(distances, key=lambda a: distances[a]))


def signals(answers: BestWorst, lacks: BoolArray) -> FloatArray:
    """Signal without each group of tuples, shape (g,), unbiased by the errors of the scores.

    Each tuple counts alike in the scores of its items.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - importing scoring loads numpy only

    t, k = answers.tuples.shape
    n = answers.answers_per_tuple()[:, None]
    best, worst = (
        np.bincount(answers.tuple_number * k + answers.slots(picked), minlength=t * k)
        for picked in ("best", "worst")
    )
    mean = (best - worst).reshape(t, k) / n
    # Of the mean of n points, of which each is -1, 0 or 1.
    variance = ((best + worst).reshape(t, k) / n - mean**2) / (n - 1)

    def summed(values: FloatArray) -> FloatArray:
        cells = csr_array(
            (values.ravel(), answers.tuples.ravel(), np.arange(0, t * k + 1, k)),
            (t, answers.n_items),
        )
        sums: FloatArray = (cells.T @ (~lacks).T.astype(np.float64)).T
        return sums

    squares = share(summed(mean) ** 2 - summed(variance), summed(np.ones((t, k))) ** 2)
    means: FloatArray = np.nanmean(squares, axis=1)
    return means
