"""What every measure is given beside pairs and settings, and what it answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from scoring.arrays import FloatArray
from scoring.baselines import Pair
from scoring.baselines.specification import Setting
from shell.messages import Message

# How much of the work is done, from 0 to 1, and what is being done.
Say: TypeAlias = Callable[[float, Message], None]
Settings: TypeAlias = Mapping[str, Setting]

BATCH_SIZE = 64


def _silent(_share: float, _message: Message) -> None:
    pass


@dataclass(frozen=True)
class Workplace:
    """Folders, and whom to tell how far it is.

    Parameters
    ----------
    models : path or None
        The folder below which models lie; None if there is none: models come from the hub.
    store : path
        The folder of kept vectors and values; it is made where it is missing.
    say : callable
        Told the share that is done and a message, after every batch.
    batch_size : int
        Texts or pairs that are computed and kept at once.
    """

    models: Path | None
    store: Path
    say: Say = _silent
    batch_size: int = BATCH_SIZE


@dataclass(frozen=True, eq=False)
class Scored:
    """The values of a measure, and how they came about.

    Parameters
    ----------
    values : float array, shape (n_pairs,)
        In the order of the pairs; nan if there is none.
    device : str
        What computed them; "none" where all was kept from earlier.
    revision : str
        Of the model: the hub's commit, or a digest of the folder's files.
    n_encoded, n_kept : int
        Different texts (bi-encoders) or pairs (other models) that were computed now, and that
        were kept from earlier. Words, for word vectors: all of them are read now.
    figures : dict
        What else is to be said of them.
    layers : float array, shape (n_pairs, n_layers + 1), or None
        BERTScore of every layer, where it was asked for; layer 0 are the embeddings.
    """

    values: FloatArray
    device: str
    revision: str
    n_encoded: int
    n_kept: int
    figures: Mapping[str, float] = field(default_factory=dict)
    layers: FloatArray | None = None


Score: TypeAlias = Callable[[Sequence[Pair], Settings, Workplace], Scored]
