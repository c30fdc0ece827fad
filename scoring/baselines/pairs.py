"""What a measure is given: two texts, and what stands before each of them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts whose likeness is measured.

    Parameters
    ----------
    first, second : str
        Target and candidate. Measures that are not symmetric say which they take for what.
    first_context, second_context : tuple of str
        The turns of each text's context up to the text itself, which is not among them, in their
        order; empty for a text that stands alone.
    """

    first: str
    second: str
    first_context: tuple[str, ...] = ()
    second_context: tuple[str, ...] = ()
