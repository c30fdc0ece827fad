"""From Python's syntax tree to the parts of a condition; what is in no table is refused."""

import ast
from typing import NoReturn

from scoring.baselines.expression_values import (
    ARITHMETIC,
    COMPARISONS,
    FUNCTIONS,
    OF_FUNCTION,
    OPERATORS,
    Kind,
    Part,
    Run,
    Value,
    as_word,
    computed,
    number_of,
    read_as,
    search,
    text_of,
)

# A condition deeper than this is no condition but an attack.
DEEPEST = 30

_NAMES = [signature.partition("(")[0] for signature in FUNCTIONS]
_FUNCTIONS = ", ".join(_NAMES)
_ALLOWED = f"{', '.join(OPERATORS)}, and the functions {_FUNCTIONS}"


class Reader:
    """Turns Python's syntax tree into parts, and refuses all that is not in the tables."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names: dict[str, None] = {}

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        # Python counts bytes.
        offset: int = getattr(node, "col_offset", 0)
        before = self.text.strip().encode()[:offset].decode()
        raise ValueError(f"column {indent(self.text) + len(before) + 1}: {why}")

    def part(self, node: ast.expr, depth: int) -> Part:
        if depth > DEEPEST:
            self.refuse(node, "the condition is nested too deeply: write it in parts")
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name():
                return self._name(node)
            case ast.Call():
                return self._call(node, depth + 1)
            case ast.Compare():
                return self._comparison(node, depth + 1)
            case ast.BoolOp():
                return self._both_or_either(node, depth + 1)
            case ast.UnaryOp(op=ast.Not()):
                inner = self._truth(node.operand, depth + 1)
                return Part("truth", lambda run: inner.value(run) is not True)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                sign = -1.0 if isinstance(node.op, ast.USub) else 1.0
                number = self._as(node.operand, "number", depth + 1)
                return computed("number", lambda a: sign * a, [number])
            case ast.BinOp() if type(node.op) in ARITHMETIC:
                sides = [self._as(one, "number", depth + 1) for one in (node.left, node.right)]
                return computed("number", ARITHMETIC[type(node.op)], sides)
        self.refuse(node, f"this is no part of a condition; there are {_ALLOWED}")

    def _constant(self, node: ast.Constant) -> Part:
        value = node.value
        if isinstance(value, bool):
            return Part("truth", lambda run: value)
        if isinstance(value, str):
            return Part("text", lambda run: value)
        if isinstance(value, (int, float)):
            number = number_of(value)
            if number is not None:
                return Part("number", lambda run: number)
            self.refuse(node, "this number is too large")
        self.refuse(node, "there are texts in quotes, numbers, True and False")

    def _name(self, node: ast.Name) -> Part:
        if node.id == "first":
            return Part("text", lambda run: run.item.first)
        if node.id == "second":
            return Part("text", lambda run: run.item.second)
        if node.id in _NAMES:
            self.refuse(node, f"{node.id} is a function: write {node.id}(...)")
        return self._metadata(node.id)

    def _metadata(self, name: str) -> Part:
        self.names[name] = None
        return Part("metadata", lambda run: None, name)

    def _call(self, node: ast.Call, depth: int) -> Part:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _NAMES:
            self.refuse(node, f"there is no such function; there are {_FUNCTIONS}")
        arguments = node.args
        if node.keywords or any(isinstance(one, ast.Starred) for one in arguments):
            self.refuse(node, f"{name} takes its arguments one by one, without names")
        n = len(OF_FUNCTION[name][0]) if name in OF_FUNCTION else 1 + (name == "matches")
        if len(arguments) != n:
            self.refuse(node, f"give {name} so many arguments: {n}, not {len(arguments)}")
        if name == "matches":
            return self._matches(arguments, depth)
        if name == "column":
            if isinstance(arguments[0], ast.Constant) and isinstance(arguments[0].value, str):
                return self._metadata(arguments[0].value)
            self.refuse(arguments[0], "column takes the name of metadata in quotes")
        if name == "known":
            metadata = self.part(arguments[0], depth)
            if metadata.kind != "metadata":
                self.refuse(arguments[0], "known takes the name of metadata")
            known = metadata.name
            return Part("truth", lambda run: text_of(run.item.metadata.get(known)) is not None)
        takes, gives, function = OF_FUNCTION[name]
        parts = [self._as(one, kind, depth) for one, kind in zip(arguments, takes, strict=True)]
        return computed(gives, function, parts)

    def _matches(self, arguments: list[ast.expr], depth: int) -> Part:
        text = self._as(arguments[0], "text", depth)
        pattern = arguments[1]
        if not (isinstance(pattern, ast.Constant) and isinstance(pattern.value, str)):
            self.refuse(pattern, "matches takes a regular expression in quotes")
        try:
            found = search(pattern.value)
        except ValueError as error:
            self.refuse(pattern, str(error))

        def value(run: Run) -> Value:
            subject = text.value(run)
            return None if subject is None else found(run, str(subject))

        return Part("truth", value)

    def _comparison(self, node: ast.Compare, depth: int) -> Part:
        tests = []
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn):
                tests.append(self._member(left, op, right, depth))
            elif type(op) in COMPARISONS:
                tests.append(
                    computed("truth", COMPARISONS[type(op)], self._alike(left, right, depth))
                )
            else:
                self.refuse(node, f"there is no such comparison; there are {', '.join(OPERATORS)}")
            left = right
        return _all(tests)

    def _member(self, left: ast.expr, op: ast.cmpop, right: ast.expr, depth: int) -> Part:
        is_wanted = isinstance(op, ast.In)
        if not isinstance(right, ast.Tuple | ast.List):
            sides = [self._as(one, "text", depth) for one in (left, right)]
            return computed("truth", lambda a, b: (a in b) == is_wanted, sides)
        if not right.elts:
            self.refuse(right, "there is nothing in these brackets")
        pairs = [self._alike(left, one, depth) for one in right.elts]

        def value(run: Run) -> Value:
            given = [(a.value(run), b.value(run)) for a, b in pairs]
            if any(a is None or b is None for a, b in given):
                return None
            return any(a == b for a, b in given) == is_wanted

        return Part("truth", value)

    def _alike(self, left: ast.expr, right: ast.expr, depth: int) -> list[Part]:
        """Two sides as the same kind: what metadata are is decided by the other side."""
        sides = [self.part(one, depth) for one in (left, right)]
        kinds = {side.kind for side in sides} - {"metadata"} or {"text"}
        if len(kinds) > 1:
            one, other = (side.kind for side in sides)
            self.refuse(right, f"a {one} is compared with a {other}")
        if (kind := kinds.pop()) == "truth":
            # Metadata that are true or false are compared as texts are: flag == True.
            return [
                as_word(side) if side.kind == "truth" else read_as(side, "text") for side in sides
            ]
        return [read_as(side, kind) for side in sides]

    def _both_or_either(self, node: ast.BoolOp, depth: int) -> Part:
        parts = [self._truth(one, depth) for one in node.values]
        if isinstance(node.op, ast.And):
            return _all(parts)
        return Part("truth", lambda run: True in [one.value(run) for one in parts])

    def _truth(self, node: ast.expr, depth: int) -> Part:
        part = self.part(node, depth)
        if part.kind != "truth":
            self.refuse(node, "this is neither true nor false: compare it, as in x > 3")
        return part

    def _as(self, node: ast.expr, kind: Kind, depth: int) -> Part:
        part = self.part(node, depth)
        if part.kind not in (kind, "metadata"):
            self.refuse(node, f"a {kind} is wanted here, not a {part.kind}")
        return read_as(part, kind)


def indent(text: str) -> int:
    """How many blanks stand before the condition."""
    return len(text) - len(text.lstrip())


def _all(parts: list[Part]) -> Part:
    # Each one is asked: who lacks what must not depend on what stands before it.
    return Part("truth", lambda run: {one.value(run) for one in parts} == {True})
