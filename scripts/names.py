#!/usr/bin/env python3
"""Refuse names that say what happened to a thing, and not what it is: `found`, `told`, `Wanted`.

Fields of classes are left out: they may be the names of columns, of the API or of a form.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("annotation", "scoring", "tuples", "shell", "config")
VARIABLES = frozenset({"found", "said", "one", "told", "kept", "asked", "of", "meanwhile"})
CLASSES = frozenset({"Asked", "Wanted", "Shown", "Found", "Known", "Kept", "Told", "Standing"})
LIMITS = ("MOST_", "FEWEST_", "LONGEST_", "SHORTEST_")


def problems(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The line and the name of everything that is called so."""
    fields = {
        id(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        for target in _targets(statement)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name in CLASSES:
            yield node.lineno, node.name
        elif isinstance(node, ast.arg) and node.arg in VARIABLES:
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            is_limit = node.id.lstrip("_").startswith(LIMITS)
            if is_limit or (node.id in VARIABLES and id(node) not in fields):
                yield node.lineno, node.id


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AnnAssign) else []


def main() -> int:
    """Print every problem; 1 if there is one."""
    lines = [
        f"{path}:{line}: {name}: name the thing, not what happened to it"
        for folder in FOLDERS
        for path in sorted(Path(folder).rglob("*.py"))
        if "migrations" not in path.parts
        for line, name in problems(ast.parse(path.read_text("utf-8")))
    ]
    print("\n".join(lines) if lines else "Every name says what the thing is.")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
