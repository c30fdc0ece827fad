"""The memory as JSON, and back: no pickle, so that a file can be read by a person."""

import dataclasses
import json
from decimal import Decimal
from typing import Any

from tests.simulators.mturk import entities
from tests.simulators.mturk.settings import Settings
from tests.simulators.mturk.world import World

_KINDS = {
    kind.__name__: kind
    for kind in [World, Settings, *vars(entities).values()]
    if dataclasses.is_dataclass(kind) and isinstance(kind, type)
}


def plain(value: Any) -> Any:
    """For reading: dataclasses as dicts, money as text."""
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def _marked(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        parts = {f.name: _marked(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"%kind": type(value).__name__, **parts}
    if isinstance(value, Decimal):
        return {"%money": str(value)}
    if isinstance(value, dict):
        return {key: _marked(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_marked(part) for part in value]
    return value


def _unmarked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unmarked(part) for part in value]
    if not isinstance(value, dict):
        return value
    if "%money" in value:
        return Decimal(value["%money"])
    parts = {key: _unmarked(part) for key, part in value.items() if key != "%kind"}
    return _KINDS[value["%kind"]](**parts) if "%kind" in value else parts


def dump(world: World) -> str:
    return json.dumps(_marked(world), ensure_ascii=False)


def load(text: str) -> World:
    world = _unmarked(json.loads(text))
    if not isinstance(world, World):
        raise ValueError("this file is not a snapshot of the Mechanical Turk simulator")
    return world
