"""`CHANGELOG.md` of a release: what changed from one to the next, and what happened since."""

from collections.abc import Sequence
from itertools import groupby

from annotation.core.exports.markdown import inline
from annotation.core.exports.release_facts import Change


def markdown(changes: Sequence[Change]) -> str:
    """The change log as Markdown; `changes` in the order of `ReleaseFacts.changes`."""
    parts = ["# Change log\n"]
    for number, of_release in groupby(changes, key=lambda change: change.number):
        changes_of_release = list(of_release)
        own = next(change for change in changes_of_release if not change.is_later)
        parts.append(f"\n## {number}.0.0 ({own.at:%Y-%m-%d})\n\n")
        parts.extend(_items(own))
        if later := [change for change in changes_of_release if change.is_later]:
            parts.append("\nChanges since this release:\n\n")
            for change in later:
                parts.extend(_items(change))
    return "".join(parts)


def _items(change: Change) -> list[str]:
    return [f"- {inline(line)}\n" for line in change.lines]
