"""The catalogues in locale/ as the tests read them."""

import ast
import gettext
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from django.conf import settings

LANGUAGES = ("cs", "de")


@dataclass
class Entry:
    """One message of a .po file."""

    context: str = ""
    message: str = ""
    plural: str = ""
    # By number of the plural form.
    said: dict[int, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    is_obsolete: bool = False

    @property
    def key(self) -> tuple[str, str, str]:
        return self.context, self.message, self.plural


@cache
def po(language: str, folder: Path | None = None) -> list[Entry]:
    """Every message of a catalogue; its header, whose message is empty, is left out."""
    folder = folder or Path(settings.LOCALE_PATHS[0])
    text = (folder / language / "LC_MESSAGES" / "django.po").read_text("utf-8")
    entries = [_entry(block) for block in re.split(r"\n\n+", text)]
    return [entry for entry in entries if entry.message]


def _entry(block: str) -> Entry:
    entry, name = Entry(), ""
    texts: dict[str, str] = {}
    for line in block.splitlines():
        if line.startswith("#:"):
            entry.files += line[2:].split()
        elif line.startswith("#,"):
            entry.flags |= {flag.strip() for flag in line[2:].split(",")}
        elif line.startswith("#~"):
            entry.is_obsolete = True
        elif line and not line.startswith("#"):
            head, quote, rest = line.partition('"')
            name = head.strip() or name
            # The escapes of a .po file are Python's.
            texts[name] = texts.get(name, "") + ast.literal_eval(quote + rest)
    entry.context = texts.pop("msgctxt", "")
    entry.message = texts.pop("msgid", "")
    entry.plural = texts.pop("msgid_plural", "")
    for name, text in texts.items():
        number = re.fullmatch(r"msgstr(?:\[(\d)\])?", name)
        assert number, name
        entry.said[int(number[1] or 0)] = text
    return entry


def mo(language: str) -> dict[tuple[str, int], str]:
    """What a compiled catalogue says: by message (with its context before a \\x04) and form."""
    path = Path(settings.LOCALE_PATHS[0]) / language / "LC_MESSAGES" / "django.mo"
    with path.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    return {
        key if isinstance(key, tuple) else (key, 0): text for key, text in catalogue.items() if key
    }


def is_annotators(entry: Entry) -> bool:
    """Whether an annotator's page, or the walk through one, can show it."""
    return any(re.match(_ANNOTATORS, file) for file in entry.files) or (
        entry.message in refused_launches() | letters()
    )


@cache
def refused_launches() -> frozenset[str]:
    """What a platform's module says to somebody who comes by a launch that cannot be let in."""
    return frozenset(
        ast.literal_eval(marked.args[0])
        for path in Path(settings.BASE_DIR, "annotation", "crowds", "platforms").rglob("*.py")
        for name in ("LaunchError", "UncheckedLaunchError")
        for refusal in _calls(ast.parse(path.read_text("utf-8")), name)
        for marked in _calls(refusal, "_")
    )


@cache
def letters() -> frozenset[str]:
    """What people are written in the language of their study."""
    module = Path(settings.BASE_DIR, "annotation", "crowds", "services", "link_letters.py")
    calls = _calls(ast.parse(module.read_text("utf-8")), "gettext")
    return frozenset(ast.literal_eval(call.args[0]) for call in calls)


def _calls(tree: ast.AST, name: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == name
    ]


_ANNOTATORS = "|".join(
    (
        r"templates/(answering|designs/try)/",
        r"templates/\d+\.html",
        r"templates/kinds/_(choices|context_\w+|elsewhere_note|pair|rated_turns|sentences|slider)\.html",
        r"templates/kinds/\w+/(question|chosen_here|keys|sentences)\.html",
        r"annotation/kinds/\w+/answer(ing)?\.py",
        r"annotation/kinds/answer_fields\.py",
        r"templates/crowds/(launch|open_elsewhere|outcome|preview)",
        r"annotation/templatetags/",
        r"annotation/answering/(pages/|forms\.py|launch\.py|showing\.py|queries/screens\.py)",
        r"annotation/answering/services/(assignments|giving_way|join_limits|instructions|judgments|pending_questions|phases|reminders|replies)\.py",
        r"annotation/crowds/(pages/(launching|leaving|webhooks)|services/launch(es|_\w+))\.py",
        r"annotation/core/(pages/(failing|addresses)|services/throttle)\.py",
        r"annotation/basics/(errors|keys)\.py",
        r"annotation/questionnaires/(forms/replying|queries/answers_in_words)\.py",
        r"templates/questionnaires/_(head|question)\.html",
    )
)
