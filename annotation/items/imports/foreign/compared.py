"""Best-worst answers of other tools as rows of our own table."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from annotation.items.imports.foreign.entries import Entry
from annotation.items.imports.foreign.mturk import INPUT
from annotation.items.imports.foreign.roles import Roles, bare
from annotation.items.imports.judged_items import ACTIVE, ANSWERED
from annotation.items.imports.lines import Record

_WORDS = "item|option|text|sentence|candidate|choice|answer"
_OF_OPTION = re.compile(rf"(?:{_WORDS})(\d{{1,2}})")
# A number or a letter alone, or behind a word for an option. Behind any other word it may be a
# part of a text: "n/a" is no first option.
_PLACE = re.compile(rf"(?:(?:.*[^a-z0-9])?(?:{_WORDS})[\s_.-]+)?\(?(\d{{1,2}}|[a-h])[).]?")


def header(roles: Roles) -> Record:
    items = [f"Item{number}" for number in range(1, len(roles.options) + 1)]
    names = ["Annotator", *items, "BestItem", "WorstItem", "Comment", ACTIVE, ANSWERED]
    return Record(1, names)


def _called(roles: Roles) -> dict[str, str]:
    """What the file calls the columns of our table."""
    names = {f"Item{number}": name for number, name in enumerate(roles.options, start=1)}
    names |= {"BestItem": roles.best}
    # The other one of two options is the worst.
    return names | ({"WorstItem": roles.worst} if roles.worst else {})


def records(entries: Iterable[Entry], several: Sequence[Roles]) -> Iterator[Record]:
    """A row for each question that a task has."""
    names = {roles: _called(roles) for roles in several}
    for entry in entries:
        for roles in questions_in_task(entry, several):
            yield _record(entry, roles, names[roles])


def questions_in_task(entry: Entry, several: Sequence[Roles]) -> Sequence[Roles]:
    """The questions that a task has; the first one if it has none.

    A task without any is refused for its empty fields, and no person is lost with it.
    """
    return [roles for roles in several if has_question(entry, roles)] or several[:1]


def has_question(entry: Entry, roles: Roles) -> bool:
    """Whether a task has this question: the last task of a batch may have fewer."""
    shown = (*roles.options, roles.id, roles.target, roles.candidate)
    answer_fields = (roles.best, roles.worst, roles.answer)
    return any(entry.shown.get(name, "").strip() for name in shown) or any(
        entry.answers.get(name) for name in answer_fields
    )


def _record(entry: Entry, roles: Roles, called: Mapping[str, str]) -> Record:
    options = [entry.shown.get(name, "") for name in roles.options]
    best = _pick(entry, roles, roles.best, options)
    if roles.worst:
        worst = _pick(entry, roles, roles.worst, options)
    else:
        worst = next((text for text in options if text != best), "") if best in options else ""
    return Record(
        entry.line,
        [
            entry.person,
            *options,
            best,
            worst,
            " ".join(entry.answers.get(roles.comment, ())),
            "" if entry.active_ms is None else str(entry.active_ms),
            "" if entry.answered_at is None else entry.answered_at.isoformat(),
        ],
        called,
    )


def _pick(entry: Entry, roles: Roles, name: str, options: list[str]) -> str:
    """The text of a chosen option, which the file may name by its text, its field or its place.

    What names none of them comes back as it is, to be refused with its line.
    """
    choices = entry.answers.get(name, ())
    chosen = choices[0] if len(choices) == 1 else " | ".join(choices)
    if chosen in options:
        return chosen
    # A form may trim what it sends, and a spreadsheet what it saves.
    plain = _plain(chosen)
    same = {text for text in options if _plain(text) == plain}
    if len(same) == 1:
        return same.pop()
    for called_so, text in _names(roles, options):
        if plain == called_so:
            return text
    # Each question may count its own options: item2 is the second of q3_item1 to q3_item4.
    of_question = None if _is_shown(plain, entry) else _OF_OPTION.fullmatch(plain)
    if place_match := _PLACE.fullmatch(plain) or of_question:
        sign = place_match[1]
        place = int(sign) - 1 if sign.isdecimal() else ord(sign) - ord("a")
        # If fields are numbered from 0, so are the choices.
        if sign.isdecimal() and bare(roles.options[0]).endswith("0"):
            place += 1
        if 0 <= place < len(options):
            return options[place]
    return chosen


def _plain(text: str) -> str:
    return " ".join(text.split()).lower()


def _is_shown(name: str, entry: Entry) -> bool:
    """Whether a field is called so: looked up, as all answers to a task may share many fields."""
    written = (name, name.capitalize(), name.upper())
    return any(
        f"{before}{variant}" in entry.shown for variant in written for before in ("", INPUT)
    )


def _names(roles: Roles, options: list[str]) -> Iterator[tuple[str, str]]:
    for name, text in zip(roles.options, options, strict=True):
        yield bare(name), text
        yield name.lower(), text
    if len(options) == 2:
        yield from zip(("left", "right"), options, strict=True)
