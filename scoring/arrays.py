"""Names of the array types that cross the borders of this package, and how they are taken in."""

from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from shell.messages import message as _

IntArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

Scalar = TypeVar("Scalar", bound=np.generic)

# As they are stored, whatever the machine.
_STORED = np.dtype("<f8")


def whole_numbers(values: npt.ArrayLike, name: str) -> IntArray:
    """Return `values` as a read-only array of int64; ValueError, with the name, for others."""
    array = np.asarray(values)
    # An empty list arrives as an array of floats.
    if array.dtype.kind not in "iu" and array.size:
        raise ValueError(f"{name} must hold whole numbers, not {array.dtype}")
    return read_only(array.astype(np.int64, copy=False))


def packed_floats(values: FloatArray) -> bytes:
    """Return the values as they are stored: eight bytes each, the lowest first."""
    return np.ascontiguousarray(values, dtype=_STORED).tobytes()


def unpacked_floats(stored: bytes) -> FloatArray:
    """Return the values that `packed_floats` made these bytes of."""
    return np.frombuffer(stored, dtype=_STORED).astype(np.float64)


def read_only(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Return a read-only view, so that the caller's own array stays writable."""
    view = array.view()
    view.flags.writeable = False
    return view


def refuse_infinite(name: str, values: FloatArray) -> None:
    """Raise ValueError, with the name of the column, for a value that is infinite."""
    if (infinite := np.isinf(values)).any():
        i = int(infinite.argmax())
        raise ValueError(
            _(
                "%(name)s[%(place)s] is %(value)s; a missing value is nan",
                name=name,
                place=str(i),
                value=float(values[i]),
            )
        )
