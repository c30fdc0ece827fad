"""Requests and answers held against botocore's model of the service, by the server's own hand.

botocore itself checks only types, required members and minimums before it sends.
"""

import re
from decimal import Decimal
from functools import cache
from typing import Any

from botocore.loaders import Loader
from botocore.model import OperationModel, ServiceModel, Shape

from tests.simulators.mturk.errors import ServiceError

_TYPES: dict[str, tuple[type, ...]] = {
    "structure": (dict,),
    "list": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "long": (int,),
    "timestamp": (int, float),
}


@cache
def service() -> ServiceModel:
    # By the loader alone: a session would heed whatever profile the environment names.
    return ServiceModel(Loader().load_service_model("mturk", "service-2"), "mturk")


def operation(name: str) -> OperationModel:
    return service().operation_model(name)


def check(name: str, parameters: Any) -> dict[str, Any]:
    """The parameters of a call, or a ValidationException that names everything wrong with them."""
    shape = operation(name).input_shape
    problems: list[str] = []
    _inspect(shape, parameters, "", problems)
    if problems:
        n = len(problems)
        head = f"{n} validation error{'s' if n > 1 else ''} detected: "
        raise ServiceError(400, "ValidationException", head + "; ".join(problems))
    assert isinstance(parameters, dict)
    return parameters


def _inspect(shape: Shape, value: Any, path: str, problems: list[str]) -> None:
    kind = shape.type_name
    fits = isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
    if not fits:
        where = f" at '{path}'" if path else ""
        message = f"{type(value).__name__}{where} can not be converted to {kind}"
        raise ServiceError(400, "SerializationException", message)
    if kind == "structure":
        _inspect_members(shape, value, path, problems)
    elif kind == "list":
        for number, part in enumerate(value, 1):
            _inspect(shape.member, part, f"{path}.{number}.member", problems)
    else:
        for rule in _broken_rules(shape, value):
            problems.append(
                f"Value '{value}' at '{path}' failed to satisfy constraint: Member must {rule}"
            )


def _inspect_members(shape: Shape, value: dict[str, Any], path: str, problems: list[str]) -> None:
    for name in shape.required_members:
        if value.get(name) is None:
            where = _below(path, name)
            problems.append(
                f"Value null at '{where}' failed to satisfy constraint: Member must not be null"
            )
    for name, member in shape.members.items():
        if value.get(name) is not None:
            _inspect(member, value[name], _below(path, name), problems)


def _below(path: str, name: str) -> str:
    name = name[0].lower() + name[1:]
    return f"{path}.{name}" if path else name


def _broken_rules(shape: Shape, value: Any) -> list[str]:
    rules = []
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    size = len(value) if isinstance(value, str) else value
    noun = "length" if isinstance(value, str) else "value"
    if low is not None and size < low:
        rules.append(f"have {noun} greater than or equal to {low}")
    if high is not None and size > high:
        rules.append(f"have {noun} less than or equal to {high}")
    enum = shape.metadata.get("enum")
    if enum and value not in enum:
        rules.append(f"satisfy enum value set: [{', '.join(enum)}]")
    pattern = shape.metadata.get("pattern")
    if pattern and not re.fullmatch(pattern.removeprefix("^").removesuffix("$"), value):
        rules.append(f"satisfy regular expression pattern: {pattern}")
    return rules


def answer(name: str, result: dict[str, Any]) -> dict[str, Any]:
    """A result cut to the model's output: unknown members are dropped, money becomes text."""
    shape = operation(name).output_shape
    cut = _cut(shape, result) if shape else {}
    assert isinstance(cut, dict)
    return cut


def _cut(shape: Shape, value: Any) -> Any:
    kind = shape.type_name
    if kind == "structure":
        members = shape.members.items()
        return {n: _cut(m, value[n]) for n, m in members if value.get(n) is not None}
    if kind == "list":
        return [_cut(shape.member, part) for part in value]
    if kind == "timestamp":
        return int(value) if value == int(value) else round(value, 3)
    if isinstance(value, Decimal):
        return f"{value:.2f}"
    return value
