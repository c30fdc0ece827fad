"""Tails of the normal and of Student's distribution, from scipy, loaded when first needed."""

from typing import NamedTuple

import numpy as np

from scoring.arrays import FloatArray


class Tails(NamedTuple):
    """Chances of a statistic as far from 0 either way, as low, and as high; nan of nan."""

    two_sided: float
    lower: float
    upper: float


NO_TAILS = Tails(np.nan, np.nan, np.nan)


def normal_tails(z: float) -> Tails:
    """Tails of the standard normal distribution beyond z."""
    from scipy.special import ndtr  # noqa: PLC0415 - importing scoring loads numpy only

    return Tails(2 * float(ndtr(-abs(z))), float(ndtr(z)), float(ndtr(-z)))


def student_tails(t: float, df: float) -> Tails:
    """Tails of Student's distribution with `df` degrees of freedom beyond t."""
    from scipy.special import stdtr  # noqa: PLC0415 - importing scoring loads numpy only

    return Tails(2 * float(stdtr(df, -abs(t))), float(stdtr(df, t)), float(stdtr(df, -t)))


def normal_share(z: FloatArray) -> FloatArray:
    """Share of the standard normal distribution below each z."""
    from scipy.special import ndtr  # noqa: PLC0415 - importing scoring loads numpy only

    return np.asarray(ndtr(z), dtype=np.float64)


def normal_quantile(share: float) -> float:
    """Value that a share of the standard normal distribution lies below; infinite of 0 and 1."""
    from scipy.special import ndtri  # noqa: PLC0415 - importing scoring loads numpy only

    return float(ndtri(share))


def student_quantile(share: float, df: float) -> float:
    """Value that a share of Student's distribution with `df` degrees of freedom lies below."""
    from scipy.special import stdtrit  # noqa: PLC0415 - importing scoring loads numpy only

    return float(stdtrit(df, share))
