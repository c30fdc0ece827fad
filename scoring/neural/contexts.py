"""What of a context is put in front of a text, and how."""

from collections.abc import Sequence

from scoring.baselines import Pair
from scoring.neural.workplace import Settings

SEPARATORS = {"newline": "\n", "space": " "}


def sides(pair: Pair, settings: Settings) -> tuple[str, str]:
    """Both texts of a pair, each with what its settings put in front of it.

    Parameters
    ----------
    pair : Pair
    settings : dict
        "context", "turns" and "separator", as `scoring.neural.measures` defines them.
    """
    context = settings["context"]
    return (
        pair.first if context == "none" else _in_front(pair.first, pair.first_context, settings),
        _in_front(pair.second, pair.second_context, settings)
        if context == "front"
        else pair.second,
    )


def truncation_side(settings: Settings) -> str:
    """Where a text that is too long for a model is cut.

    With its context in front it is cut from the left: the beginning of the context is lost first.
    A text that is too long by itself loses its own beginning.
    """
    return "right" if settings["context"] == "none" else "left"


def _in_front(text: str, context: Sequence[str], settings: Settings) -> str:
    turns = int(settings["turns"])
    shown = context[-turns:] if turns else context
    return SEPARATORS[str(settings["separator"])].join([*shown, text])
