"""Partial correlation: what two variables have in common beside what others explain."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray
from scoring.json_values import JsonObject, json_number
from shell.messages import Message, ngettext
from shell.messages import message as _

# Directions of the covariates, and residuals, that are smaller than this share are rounding.
NEGLIGIBLE = 1e-10


@dataclass(frozen=True, eq=False)
class PartialCorrelation:
    """Pearson's correlation of two variables, controlling for covariates.

    Parameters
    ----------
    value : float
        Correlation of the residuals, in [-1, 1]; nan where undefined.
    n : int
        Cases: those with both variables and all covariates.
    n_covariates : int
        Covariates controlled for, without those that are constant or follow from the others.
    p : float
        Two-sided p-value of no partial correlation, from t with n - 2 - n_covariates degrees of
        freedom; nan where undefined.
    low, high : float
        95 % interval by Fisher's transformation with standard error
        1 / sqrt(n - n_covariates - 3); nan where undefined.
    reason : Message or None
        Why there is no value.
    """

    value: float
    n: int
    n_covariates: int
    p: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Pearson's correlation of the residuals of both variables after a linear regression "
            "on the covariates [Fisher1924]."
        )

    @property
    def note(self) -> Message | None:
        """What is to be known of a value that nothing was controlled for."""
        if self.n_covariates or np.isnan(self.value):
            return None
        return _("no covariate varies, so this is the plain correlation")

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "value": json_number(self.value),
            "p": json_number(self.p),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "n": self.n,
            "n_covariates": self.n_covariates,
            "reason": self.reason,
            "note": self.note,
        }


def partial_correlation(
    x: npt.ArrayLike, y: npt.ArrayLike, covariates: npt.ArrayLike
) -> PartialCorrelation:
    """Correlate x and y by Pearson's coefficient, controlling for covariates.

    Parameters
    ----------
    x, y : float array, shape (n,)
        Variables; nan where missing.
    covariates : float array, shape (n,) or (n, c)
        One covariate, or c of them; nan where missing. A case in which anything is missing is
        left out.

    Returns
    -------
    PartialCorrelation
        Its value is nan, with the reason, if cases are too few or the covariates explain one of
        the variables wholly.

    Raises
    ------
    ValueError
        If the shapes do not fit together.

    References
    ----------
    [Fisher1924] in docs/references.md
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    z = np.asarray(covariates, dtype=np.float64)
    z = z[:, None] if z.ndim == 1 else z
    if first.ndim != 1 or first.shape != second.shape or z.shape[:1] != first.shape or z.ndim != 2:
        raise ValueError(
            f"shapes {first.shape}, {second.shape} and {np.shape(covariates)} differ: x, y and "
            "each covariate holds one value per case"
        )
    is_complete = ~(np.isnan(first) | np.isnan(second) | np.isnan(z).any(axis=1))

    n = int(is_complete.sum())
    if n < 2:
        return PartialCorrelation(
            np.nan, n, 0, reason=_("there are fewer than two complete cases")
        )
    value, rank = partial_pearson(first[is_complete], second[is_complete], z[is_complete])
    n_covariates, df = int(rank), n - 2 - int(rank)
    if df < 1:
        reason = ngettext(
            "%(n)s cases are too few for %(covariates)s covariate: at least 3 more cases than"
            " covariates are needed",
            "%(n)s cases are too few for %(covariates)s covariates: at least 3 more cases than"
            " covariates are needed",
            "covariates",
            n=n,
            covariates=n_covariates,
        )
        return PartialCorrelation(np.nan, n, n_covariates, reason=reason)
    if np.isnan(value):
        reason = _("one variable is constant, or the covariates explain it completely")
        return PartialCorrelation(np.nan, n, n_covariates, reason=reason)
    r = float(value)
    low, high = _interval(r, n - n_covariates - 3)
    return PartialCorrelation(r, n, n_covariates, _p_value(r, df), low, high)


def partial_pearson(
    x: FloatArray, y: FloatArray, covariates: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Partial correlations of many samples at once, none of them with a gap.

    Parameters
    ----------
    x, y : float array, shape (..., n)
        Variables.
    covariates : float array, shape (..., n, c)
        Covariates.

    Returns
    -------
    coefficients : float array, shape (...)
        Values in [-1, 1]; nan where a variable has no residual.
    rank : float array, shape (...)
        Covariates that count: neither constant nor following from the others.
    """
    x, y = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    largest = np.abs(covariates).max(axis=-2, keepdims=True, initial=0.0)
    z = covariates - covariates.mean(axis=-2, keepdims=True)
    # On one scale, so that the smallness of a direction does not depend on units.
    norms = np.linalg.norm(z, axis=-2, keepdims=True)
    is_constant = norms <= NEGLIGIBLE * largest
    z = np.where(is_constant, 0.0, z / np.where(is_constant, 1.0, norms))
    # Orthonormal directions instead of a regression: covariates may follow from one another.
    directions, sizes, _rotations = np.linalg.svd(z, full_matrices=False)
    counts = sizes > NEGLIGIBLE
    directions = directions * counts[..., None, :]

    residuals = []
    has_residual = []
    for variable in (x, y):
        explained = directions @ (np.swapaxes(directions, -1, -2) @ variable[..., None])
        residual = variable - explained[..., 0]
        size, size_before = np.linalg.norm(residual, axis=-1), np.linalg.norm(variable, axis=-1)
        residuals.append(residual)
        has_residual.append(size > NEGLIGIBLE * size_before)
    of_x, of_y = residuals
    products = (of_x * of_y).sum(axis=-1)
    scale = np.linalg.norm(of_x, axis=-1) * np.linalg.norm(of_y, axis=-1)
    coefficients = np.full(products.shape, np.nan)
    np.divide(products, scale, out=coefficients, where=has_residual[0] & has_residual[1])
    return np.clip(coefficients, -1.0, 1.0), counts.sum(axis=-1).astype(np.float64)


def _p_value(r: float, df: int) -> float:
    from scipy.special import stdtr  # noqa: PLC0415 - loaded only where it is needed

    if abs(r) == 1:
        return 0.0
    return 2 * float(stdtr(df, -abs(r) * np.sqrt(df / (1 - r**2))))


def _interval(r: float, weight: int) -> tuple[float, float]:
    from scipy.special import ndtri  # noqa: PLC0415 - loaded only where it is needed

    if weight < 1 or abs(r) == 1:
        return (r, r) if weight >= 1 else (float("nan"), float("nan"))
    half = float(ndtri(0.975)) / np.sqrt(weight)
    return float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half))
