"""What a platform documents of the calls that Likeness makes: paths, fields and words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Operation:
    """One call: what its body must and may say, and which words its `action` takes."""

    method: str
    path: str
    source: str
    needs: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    query: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    # What the objects in its lists may hold.
    items: frozenset[str] = frozenset()

    def is_of(self, row: Mapping[str, Any]) -> bool:
        pattern = re.sub(r"\{\w+\}", "[^/]+", self.path)
        return row["method"] == self.method and bool(re.fullmatch(pattern, row["path"]))


@dataclass(frozen=True)
class Documentation:
    """All calls of a platform.

    Parameters
    ----------
    words : mapping
        Of fields that take one of some words, wherever they stand.
    parts : mapping
        Of fields that take an object, or a list of them: what it may hold.
    """

    operations: Sequence[Operation]
    words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    parts: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def undocumented(self, row: Mapping[str, Any]) -> list[str]:
        """What the documentation does not have of one request, as the journal shows it."""
        what = f"{row['method']} {row['path']}"
        operation = next((each for each in self.operations if each.is_of(row)), None)
        if operation is None:
            return [f"{what}: no such call"]
        body = row["body"] if isinstance(row["body"], dict) else {}
        problems = [f"no {name}" for name in sorted(operation.needs - body.keys())]
        problems += [
            f"field {name}" for name in sorted(body.keys() - operation.needs - operation.may)
        ]
        problems += [f"query {name}" for name in sorted(row["query"].keys() - operation.query)]
        if operation.actions and body.get("action") not in operation.actions:
            problems.append(f"action {body.get('action')!r}")
        if operation.items:
            lists = [each for each in body.values() if isinstance(each, list)]
            keys = {key for items in lists for item in items for key in item}
            problems += [f"item {key}" for key in sorted(keys - operation.items)]
        return [f"{what}: {problem}" for problem in [*problems, *self._inside(body)]]

    def _inside(self, value: Any) -> list[str]:
        """What parts of a body hold that is not documented."""
        if isinstance(value, list):
            return [problem for each in value for problem in self._inside(each)]
        if not isinstance(value, dict):
            return []
        problems = []
        for name, part in value.items():
            if name in self.words and part not in self.words[name]:
                problems.append(f"{name} {part!r}")
            for each in part if isinstance(part, list) else [part]:
                if name in self.parts and not isinstance(each, dict):
                    problems.append(f"{name} {each!r}")
                elif name in self.parts:
                    problems += [f"{name}.{key}" for key in sorted(each.keys() - self.parts[name])]
            problems += self._inside(part)
        return problems


def names(words: str) -> frozenset[str]:
    return frozenset(words.split())
