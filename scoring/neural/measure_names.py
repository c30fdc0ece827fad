"""How measures are called in tables and files."""

from scoring.baselines.lexical import LEXICAL
from scoring.baselines.specification import Specification
from scoring.neural.contexts import SEPARATORS
from scoring.neural.measures import MEASURES, check


def display_name(specification: Specification) -> str:
    """The measure with its settings, as tables show it; different ones differ.

    Raises ValueError as `check` does.
    """
    if lexical := LEXICAL.get(specification.measure):
        return lexical.named(specification.settings)
    checked = check(specification)
    measure, settings = MEASURES[checked.measure], checked.settings
    parts = [f"{measure.name} {settings.get('model') or settings['file']}"]
    if settings.get("revision"):
        parts[0] += f" @{_short(str(settings['revision']))}"
    if settings.get("preset"):
        parts.append(str(settings["preset"]))
    if "layer" in settings:
        parts.append(layer_name(int(settings["layer"])))
    if settings.get("context", "none") != "none":
        turns = int(settings["turns"])
        shown = {0: "context", 1: "1 turn"}.get(turns, f"{turns} turns")
        where = "in front" if settings["context"] == "front" else "in front of the target"
        parts.append(f"{shown} {where}" + _after(str(settings["separator"])))
    if settings.get("activation", "model") != "model":
        parts.append(str(settings["activation"]))
    if settings.get("order", "target") != "target":
        parts.append("both orders" if settings["order"] == "both" else "candidate first")
    if settings.get("idf"):
        parts.append("idf")
    if settings.get("lower"):
        parts.append("lower case")
    return ", ".join(parts)


def layer_name(layer: int) -> str:
    """A layer of a model as names of measures have it."""
    return "last layer" if layer == -1 else f"layer {layer}"


def _after(separator: str) -> str:
    return "" if separator == next(iter(SEPARATORS)) else f" (separated by {separator})"


def _short(revision: str) -> str:
    kind, _colon, digest = revision.rpartition(":")
    return f"{kind}:{digest[:12]}" if kind else revision[:20]
