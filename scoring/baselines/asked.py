"""Measures as the command line names them: squad_f1, meteor:stemmer=german, bi_encoder:FOLDER."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scoring.baselines.lexical import LEXICAL
from scoring.baselines.specification import Setting, Specification
from scoring.neural.measures import check, display_name
from shell import InputError

ALL = "all"
# What each kind of measure with a model calls what it is computed with.
KINDS = {
    "bi_encoder": "model",
    "cross_encoder": "model",
    "bertscore": "model",
    "word_vectors": "file",
}

_SETTING = re.compile(r",([a-z_]+)=([^,]*)$")


@dataclass(frozen=True)
class AskedMeasure:
    """A measure that is to be computed.

    Parameters
    ----------
    name : str
        As it is called in what the command writes.
    specification : Specification
    models : path or None
        The folder in which its model lies, if it was named by a path; else None.
    """

    name: str
    specification: Specification
    models: Path | None = None

    @property
    def title(self) -> str:
        """As it is called in print, such as "SQuAD F1"."""
        return display_name(self.specification)


def lexical_measures(text: str) -> list[AskedMeasure]:
    """Read measures that need no model: keys with commas between them, or "all".

    A key may have settings, key:name=value:name=value.

    Raises
    ------
    InputError
        If there is no such measure or setting.
    """
    if text == ALL:
        return [AskedMeasure(key, Specification(key)) for key in LEXICAL]
    return [_lexical(name.strip()) for name in text.split(",") if name.strip()]


def _lexical(name: str) -> AskedMeasure:
    key, *parts = name.split(":")
    if key in KINDS:
        raise InputError(f"argument --measures: {key} needs a model: --model {key}:FOLDER")
    if key not in LEXICAL:
        raise InputError(
            f"argument --measures: there is no measure {key!r}; there are {', '.join(LEXICAL)}"
        )
    settings = {}
    for part in parts:
        setting, is_set, value = part.partition("=")
        if not is_set:
            raise InputError(f"argument --measures: {part!r} in {name!r} is not NAME=VALUE")
        settings[setting] = value
    return AskedMeasure(name, _checked("--measures", Specification(key, settings)))


def model_measures(texts: Sequence[str]) -> list[AskedMeasure]:
    """Read measures with a model: KIND:NAME, and settings after commas, name=value.

    NAME is a path of a folder or file that is there, or else what the folder of models has.

    Raises
    ------
    InputError
        If there is no such kind, no name, or no such setting.
    """
    return [_with_model(text) for text in texts]


def _with_model(text: str) -> AskedMeasure:
    kind, _, rest = text.partition(":")
    if kind not in KINDS:
        raise InputError(
            f"argument --model: {text!r} does not begin with one of {', '.join(KINDS)}, such as "
            "bi_encoder:FOLDER"
        )
    given: list[tuple[str, str]] = []
    while setting := _SETTING.search(rest):
        given.insert(0, (setting[1], setting[2]))
        rest = rest[: setting.start()]
    if not rest:
        raise InputError(f"argument --model: {text!r} names no {KINDS[kind]}")
    path = Path(rest)
    models, name = None, rest
    if path.exists():
        path = path.resolve()
        models, name = path.parent, path.name
    settings = {KINDS[kind]: name, **{key: _value(value) for key, value in given}}
    return AskedMeasure(text, _checked("--model", Specification(kind, settings)), models)


def _checked(argument: str, specification: Specification) -> Specification:
    try:
        return check(specification)
    except ValueError as error:
        raise InputError(f"argument {argument}: {error}") from error


def _value(text: str) -> Setting:
    """A setting's value: a whole number, true or false, or else a text."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if re.fullmatch(r"-?\d+", text, re.ASCII) else text
