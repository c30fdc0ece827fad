"""From Python's syntax tree to the parts of a condition; what is in no table is refused."""

import ast
from collections.abc import Callable
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
    as_alike,
    as_word,
    computed,
    number_of,
    once,
    read_as,
    search,
    text_of,
)
from shell.messages import Message
from shell.messages import message as _

# A condition deeper than this is no condition but an attack.
DEEPEST = 30
# Nor is one of more parts, each of which is asked of every item.
MAX_PARTS = 200

_NAMES = [signature.partition("(")[0] for signature in FUNCTIONS]

# By the kinds of the left and the right side.
_UNLIKE: dict[tuple[Kind, Kind], Message] = {
    ("text", "number"): _("a text is compared with a number"),
    ("text", "truth"): _("a text is compared with true or false"),
    ("number", "text"): _("a number is compared with a text"),
    ("number", "truth"): _("a number is compared with true or false"),
    ("truth", "text"): _("true or false is compared with a text"),
    ("truth", "number"): _("true or false is compared with a number"),
}
# By the kind that is wanted and that which is there.
_UNWANTED: dict[tuple[Kind, Kind], Message] = {
    ("text", "number"): _("a text is needed here, not a number"),
    ("text", "truth"): _("a text is needed here, not true or false"),
    ("number", "text"): _("a number is needed here, not a text"),
    ("number", "truth"): _("a number is needed here, not true or false"),
}


class Reader:
    """Turns Python's syntax tree into parts, and refuses all that is not in the tables."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names: dict[str, None] = {}
        self.n_parts = 0

    def refuse(self, node: ast.AST, why: Message) -> NoReturn:
        # Python counts bytes.
        offset: int = getattr(node, "col_offset", 0)
        before = self.text.strip().encode()[:offset].decode()
        raise ValueError(at_column(indent(self.text) + len(before) + 1, why))

    def part(self, node: ast.expr, depth: int) -> Part:
        if depth > DEEPEST:
            self.refuse(node, _("the condition is nested too deeply: write it in parts"))
        self.n_parts += 1
        if self.n_parts > MAX_PARTS:
            self.refuse(
                node,
                _("a condition has at most %(most)s parts: write a shorter one", most=MAX_PARTS),
            )
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
                sides = [self._as(side, "number", depth + 1) for side in (node.left, node.right)]
                return computed("number", ARITHMETIC[type(node.op)], sides)
        self.refuse(
            node,
            _(
                "this cannot be part of a condition; use %(those)s and the functions "
                "%(functions)s",
                those=OPERATORS,
                functions=_NAMES,
            ),
        )

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
            self.refuse(node, _("this number is too large"))
        self.refuse(node, _("use texts in quotes, numbers, True or False"))

    def _name(self, node: ast.Name) -> Part:
        if node.id == "first":
            return Part("text", lambda run: run.item.first)
        if node.id == "second":
            return Part("text", lambda run: run.item.second)
        if node.id in _NAMES:
            self.refuse(
                node,
                _(
                    "%(function)s is a function: write %(example)s",
                    function=node.id,
                    example=f"{node.id}(...)",
                ),
            )
        return self._metadata(node.id)

    def _metadata(self, name: str) -> Part:
        self.names[name] = None
        return Part("metadata", lambda run: None, name)

    def _call(self, node: ast.Call, depth: int) -> Part:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _NAMES:
            self.refuse(node, _("this function does not exist; use %(those)s", those=_NAMES))
        arguments = node.args
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in arguments):
            self.refuse(
                node,
                _("%(function)s takes its arguments without names", function=name),
            )
        n = len(OF_FUNCTION[name][0]) if name in OF_FUNCTION else 1 + (name == "matches")
        if len(arguments) != n:
            self.refuse(
                node,
                _(
                    "wrong number of arguments for %(function)s: %(n)s instead of %(wanted)s",
                    function=name,
                    wanted=n,
                    n=len(arguments),
                ),
            )
        if name == "matches":
            return self._matches(arguments, depth)
        if name == "column":
            if isinstance(arguments[0], ast.Constant) and isinstance(arguments[0].value, str):
                return self._metadata(arguments[0].value)
            self.refuse(arguments[0], _("column takes the name of metadata in quotes"))
        if name == "known":
            metadata = self.part(arguments[0], depth)
            if metadata.kind != "metadata":
                self.refuse(arguments[0], _("known takes the name of metadata"))
            known = metadata.name
            return Part("truth", lambda run: text_of(run.item.metadata.get(known)) is not None)
        takes, gives, function = OF_FUNCTION[name]
        parts = [
            self._as(argument, kind, depth)
            for argument, kind in zip(arguments, takes, strict=True)
        ]
        return computed(gives, function, parts)

    def _matches(self, arguments: list[ast.expr], depth: int) -> Part:
        text = self._as(arguments[0], "text", depth)
        pattern = arguments[1]
        if not (isinstance(pattern, ast.Constant) and isinstance(pattern.value, str)):
            self.refuse(pattern, _("matches takes a regular expression in quotes"))
        try:
            matcher = search(pattern.value)
        except ValueError as error:
            self.refuse(pattern, error.args[0])

        def value(run: Run) -> Value:
            subject = text.value(run)
            return None if subject is None else matcher(run, str(subject))

        return Part("truth", value)

    def _comparison(self, node: ast.Compare, depth: int) -> Part:
        for op in node.ops:
            if not (isinstance(op, ast.In | ast.NotIn) or type(op) in COMPARISONS):
                self.refuse(
                    node, _("this comparison does not exist; use %(those)s", those=OPERATORS)
                )
        tests = []
        left, left_part = node.left, self.part(node.left, depth)
        for op, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn) and isinstance(right, ast.Tuple | ast.List):
                tests.append(self._member(left_part, op, right, depth))
                if right is not node.comparators[-1]:
                    # These brackets are compared with more, which brackets cannot be.
                    self.part(right, depth)
                continue
            # It is compared with what stands on either side of it.
            right_part = once(self.part(right, depth))
            if isinstance(op, ast.In | ast.NotIn):
                sides = [
                    self._read(part, node, "text")
                    for part, node in ((left_part, left), (right_part, right))
                ]
                tests.append(computed("truth", _contained(op), sides))
            else:
                is_ordered = not isinstance(op, ast.Eq | ast.NotEq)
                sides = self._alike(left_part, right_part, right, is_ordered=is_ordered)
                tests.append(computed("truth", COMPARISONS[type(op)], sides))
            left, left_part = right, right_part
        return _all(tests)

    def _member(
        self, left: Part, op: ast.In | ast.NotIn, right: ast.Tuple | ast.List, depth: int
    ) -> Part:
        is_wanted = isinstance(op, ast.In)
        if not right.elts:
            self.refuse(right, _("there is nothing in these brackets"))
        left = once(left)
        pairs = [self._alike(left, self.part(element, depth), element) for element in right.elts]

        def value(run: Run) -> Value:
            given = [(a.value(run), b.value(run)) for a, b in pairs]
            if any(a is None or b is None for a, b in given):
                return None
            return any(a == b for a, b in given) == is_wanted

        return Part("truth", value)

    def _alike(
        self, left: Part, right: Part, node: ast.expr, *, is_ordered: bool = False
    ) -> list[Part]:
        """Two sides as the same kind: what metadata are is decided by the other side."""
        kinds = {left.kind, right.kind} - {"metadata"}
        if not kinds:
            return [
                as_alike(left, right, is_ordered=is_ordered),
                as_alike(right, left, is_ordered=is_ordered),
            ]
        if len(kinds) > 1:
            self.refuse(node, _UNLIKE[left.kind, right.kind])
        if (kind := kinds.pop()) == "truth":
            # Metadata that are true or false are compared as texts are: flag == True.
            return [
                as_word(side) if side.kind == "truth" else read_as(side, "text")
                for side in (left, right)
            ]
        return [read_as(side, kind) for side in (left, right)]

    def _both_or_either(self, node: ast.BoolOp, depth: int) -> Part:
        parts = [self._truth(operand, depth) for operand in node.values]
        if isinstance(node.op, ast.And):
            return _all(parts)
        return Part("truth", lambda run: True in [part.value(run) for part in parts])

    def _truth(self, node: ast.expr, depth: int) -> Part:
        part = self.part(node, depth)
        if part.kind != "truth":
            self.refuse(node, _("this is neither true nor false: compare it, as in x > 3"))
        return part

    def _as(self, node: ast.expr, kind: Kind, depth: int) -> Part:
        return self._read(self.part(node, depth), node, kind)

    def _read(self, part: Part, node: ast.expr, kind: Kind) -> Part:
        if part.kind not in (kind, "metadata"):
            self.refuse(node, _UNWANTED[kind, part.kind])
        return read_as(part, kind)


def at_column(column: int, problem: Message) -> Message:
    """What is wrong with a condition, and where; columns are counted from 1."""
    return _("column %(column)s: %(problem)s", column=column, problem=problem)


def indent(text: str) -> int:
    """How many blanks stand before the condition."""
    return len(text) - len(text.lstrip())


def _contained(op: ast.In | ast.NotIn) -> Callable[[str, str], bool]:
    is_wanted = isinstance(op, ast.In)
    return lambda a, b: (a in b) == is_wanted


def _all(parts: list[Part]) -> Part:
    # Each one is asked: who lacks what must not depend on what stands before it.
    return Part("truth", lambda run: {part.value(run) for part in parts} == {True})
