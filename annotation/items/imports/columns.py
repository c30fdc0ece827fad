"""What a researcher says of a table's columns: which of them holds the target, the candidate, …"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.basics.errors import AnnotationError, ImportProblemsError
from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.problems import shown, text_problem
from annotation.kinds.contract.items import PAIR_COLUMNS, ItemsPart

# What a column can be beside a role: kept under its own name, or not imported at all.
METADATA, LEAVE_OUT = "metadata", "leave_out"
# Common names of columns, in small letters and without anything that is no letter or digit.
_COMMON_NAMES = {
    "id": ("id", "pairid", "itemid", "key", "nr", "no", "number", "nummer", "index"),
    "target": (
        *("target", "text1", "texta", "sentence1", "sentencea", "sent1", "s1", "satz1"),
        *("answer1", "answera", "antwort1", "question1", "premise", "reference", "ref", "first"),
    ),
    "candidate": (
        *("candidate", "text2", "textb", "sentence2", "sentenceb", "sent2", "s2", "satz2"),
        *("answer2", "answerb", "antwort2", "question2", "hypothesis", "hyp", "prediction"),
        *("response", "paraphrase", "second"),
    ),
    "target_context": ("targetcontext", "context1", "contexta"),
    "candidate_context": ("candidatecontext", "context2", "contextb"),
    "text": ("text", "sentence", "satz", "word", "wort"),
    "question": ("question", "frage"),
    "group": ("group", "gruppe"),
    "intended_class": ("intendedclass",),
    "domain": ("domain", "topic", "thema"),
    "source": ("source", "quelle", "corpus"),
    "check": ("check",),
    "expected": ("expected",),
    "explanation": ("explanation",),
    "tolerance": ("tolerance",),
    "earlier_rating": ("earlierrating",),
}
_SIDES = ("target", "candidate")


@dataclass(frozen=True)
class FoundColumn:
    """A column of a file, its first values, and what its name suggests that it is."""

    name: str
    values: tuple[str, ...]
    suggested: str


class UnknownColumnsError(ImportProblemsError):
    """The names of a table's columns do not say which of them hold the texts."""

    def __init__(self, names: Sequence[str], kind: ItemsPart) -> None:
        super().__init__(
            [
                Problem(
                    "missing",
                    _("it is unclear from the column names (%(names)s) which are %(needed)s"),
                    _("choose them, or rename them in the first line"),
                )
                % {"names": _listed(names), "needed": _needed(kind)}
            ]
        )


def parse(parts: Iterable[str]) -> dict[str, str]:
    """The role of each column, from parts that say ROLE=COLUMN.

    Raises ImportProblemsError if one says something else, or a column is given two roles.
    """
    problems: list[Said] = []
    columns: dict[str, str] = {}
    for part in parts:
        role, is_there, name = (piece.strip() for piece in part.partition("="))
        if not (role and is_there and name):
            problems.append(
                _("%(part)s: write ROLE=COLUMN, such as target=answer1") % {"part": shown(part)}
            )
        elif problem := text_problem(name) or text_problem(role):
            problems.append(problem % {"field": shown(part)})
        elif columns.setdefault(name, role) != role:
            problems.append(
                Problem(
                    "conflict",
                    _("the column %(name)s is assigned to both %(first)s and %(second)s"),
                    _("choose one"),
                )
                % {"name": shown(name), "first": columns[name], "second": role}
            )
    if problems:
        raise ImportProblemsError(problems)
    return columns


def of_json(text: str) -> dict[str, str]:
    """The role of each column, as a page hands it on from one step to the next."""
    try:
        columns = json.loads(text or "{}")
    except ValueError:
        columns = None
    is_whole = isinstance(columns, dict) and all(
        isinstance(role, str) and not text_problem(name) and not text_problem(role)
        for name, role in columns.items()
    )
    if not is_whole:
        raise AnnotationError(
            _("The meaning of the columns could not be read. Choose them again.")
        )
    return dict(columns)


def problems_of(columns: Mapping[str, str], names: Sequence[str], kind: ItemsPart) -> list[Said]:
    """What is wrong with the roles that somebody gave to columns of a file."""
    problems: list[Said] = []
    known = kind.column_roles
    for name, role in columns.items():
        if name not in names:
            problems.append(
                Problem("unknown", _("the file has no column %(name)s"), _("it has %(names)s"))
                % {"name": shown(name), "names": _listed(names)}
            )
        if role not in (*known, METADATA, LEAVE_OUT):
            problems.append(
                Problem(
                    "unknown",
                    _("%(role)s is not a possible role of a column"),
                    _("choose one of %(roles)s"),
                )
                % {"role": shown(role), "roles": ", ".join((*known, METADATA, LEAVE_OUT))}
            )
    for role in known:
        if len(same := [name for name, other in columns.items() if other == role]) > 1:
            problems.append(
                Problem(
                    "duplicate",
                    _("%(names)s are all assigned to %(role)s"),
                    _("choose one of them"),
                )
                % {"names": _listed(same), "role": role}
            )
    return problems


def suggestions(names: Sequence[str], kind: ItemsPart) -> list[str]:
    """What each column probably is; what its name does not tell is metadata."""
    places: dict[str, int] = {}
    plain = [_plain(name) for name in names]
    for role in kind.column_roles:
        for common in _COMMON_NAMES[role]:
            if common in plain and plain.index(common) not in places.values():
                places[role] = plain.index(common)
                break
    has_pairs = all(side in places or f"{side}_context" in places for side in _SIDES)
    for role in ("text",) if has_pairs else PAIR_COLUMNS if "text" in places else ():
        places.pop(role, None)
    by_place = {place: role for role, place in places.items()}
    return [by_place.get(place, METADATA) for place in range(len(names))]


def is_second_text(name: str) -> bool:
    """Whether a column is called like the second of two texts, such as text2 or Answer B."""
    plain = _plain(name)
    return plain in _COMMON_NAMES["candidate"] and plain[-1] in "2b"


def _plain(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(shown(name) for name in names[:30])
    return f"{listed}, …" if len(names) > 30 else listed


def _needed(kind: ItemsPart) -> Said:
    if kind.takes_single_texts:
        return _("target and candidate of a pair, or a single text")
    return _("target and candidate")
