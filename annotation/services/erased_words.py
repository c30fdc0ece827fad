"""Names and numbers of people, taken out of what was written about them.

Also out of what is else never changed: an event of a release says the same without the name.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.admin.models import LogEntry
from django.db.models import Model, Q

from annotation.models import (
    Exclusion,
    Intent,
    Job,
    Person,
    PhaseRun,
    Release,
    ReleaseEvent,
    Study,
    Visit,
)

# What stands in a text where a name or a number was.
ERASED = "…"
# Shorter names are also other words; platforms' numbers are longer than this.
_SHORTEST = 3


def words_of(people: Iterable[Person], visits: Sequence[Visit] = ()) -> list[str]:
    """What says who somebody was, the longest first: a name may be part of an address."""
    found = {visit.submission_id for visit in visits}
    for person in people:
        found |= {person.platform_id, person.email, person.name}
    return sorted((word for word in found if len(word) >= _SHORTEST), key=len, reverse=True)


def erase(study: Study, words: Sequence[str], visits: Sequence[Visit] = ()) -> None:
    """Take names and numbers out of what was written about people, and leave the rest."""
    if not words:
        return
    history = LogEntry.objects.filter(
        content_type__app_label="annotation", content_type__model="study", object_id=str(study.pk)
    )
    excluded = Exclusion.objects.filter(
        Q(annotator__study=study) | Q(assignment__annotator__study=study)
    )
    opened = PhaseRun.objects.filter(assignment__annotator__study=study).exclude(reason="")
    intents = Intent.objects.filter(visit__in=visits)
    events = ReleaseEvent.objects.filter(release__study=study).exclude(reason="")
    # Whose answers a file has may have been typed, and a refusal quotes the file.
    imports = Job.objects.filter(study=study, kind=Job.Kind.IMPORT_ITEMS)
    written: list[tuple[Iterable[Model], tuple[str, ...]]] = [
        (history, ("change_message",)),
        (excluded, ("reason", "lifted_reason")),
        (opened, ("reason",)),
        (visits, ("doubt", "note")),
        (intents, ("error", "note")),
        (events, ("reason",)),
        # The next release would tell it again.
        (Release.objects.filter(study=study), ("changes",)),
        (imports, ("parameters", "error", "message")),
    ]
    for rows, names in written:
        for row in rows:
            changed = {}
            for name in names:
                before = getattr(row, name)
                if (without := _values_without(before, words)) != before:
                    changed[name] = without
            if changed:
                type(row)._base_manager.filter(pk=row.pk).update(**changed)


def _without(text: str, words: Sequence[str]) -> str:
    """A text, or a stored sentence with its values, without these words."""
    if "\n" in text:
        # Of problems each line is a sentence.
        return "\n".join(_without(line, words) for line in text.split("\n"))
    try:
        stored = json.loads(text) if text.startswith(("{", "[")) else None
    except ValueError:
        stored = None
    if stored is not None:
        without = _values_without(stored, words)
        return text if without == stored else json.dumps(without, ensure_ascii=False)
    for word in words:
        if word in text:
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", ERASED, text)
    return text


def _values_without(stored: Any, words: Sequence[str]) -> Any:
    if isinstance(stored, str):
        return _without(stored, words)
    if isinstance(stored, list):
        return [_values_without(value, words) for value in stored]
    if isinstance(stored, dict):
        # The sentence itself is ours, and found again in the catalogue by every character.
        ours = {"say", "plural", "count"}
        return {
            name: value if name in ours else _values_without(value, words)
            for name, value in stored.items()
        }
    return stored
