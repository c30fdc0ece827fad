"""Random numbers that seeds decide."""

import numpy as np


def generator(*seeds: int) -> np.random.Generator:
    """Return a generator that several seeds decide together, and the order of them.

    Parameters
    ----------
    seeds : int
        Not negative. The first is that of a study, say; the others tell its uses apart.
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seeds)))
