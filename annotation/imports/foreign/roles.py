"""Which field of another tool's file is what: guessed from names, or told."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from annotation.errors import ImportProblemsError
from annotation.imports.foreign.entries import Entry
from annotation.imports.foreign.mturk import ANSWER, INPUT
from annotation.models.kinds import QuestionKind
from annotation.sentences import sentence as _

# By words of their names, the likelier first.
_BEST = ("best", "most")
_WORST = ("worst", "least")
_IDS = ("pair_id", "pairid", "item_id", "itemid", "instance_id", "id", "key")
_PAIRS = (
    ("target", "candidate"),
    ("sentence1", "sentence2"),
    ("text1", "text2"),
    ("s1", "s2"),
    ("left", "right"),
    ("premise", "hypothesis"),
    ("a", "b"),
)
_TEXTS = ("text", "candidate", "sentence", "displayed_text")
_RATED = ("rating", "score", "similarity", "likert", "scale", "slider", "number")
_LABELLED = ("label", "category", "class", "choice", "sentiment")
_COMMENTS = ("comment", "feedback", "remark")
_OPTIONS = ("item", "option", "candidate", "text", "sentence", "tuple", "choice", "utterance")
_NUMBERED = re.compile(r"(.*?)[ _.-]*(\d{1,2}|(?<![a-z])[a-h])")
SEPARATOR = ","


@dataclass(frozen=True)
class Roles:
    """Names of fields and answers as the file has them; empty: there is none."""

    # Of a best-worst question, in the order in which they were shown.
    options: tuple[str, ...] = ()
    best: str = ""
    worst: str = ""
    # Of a pair or a single text.
    id: str = ""
    target: str = ""
    candidate: str = ""
    # What was rated or chosen.
    answer: str = ""
    comment: str = ""

    @property
    def named(self) -> list[tuple[str, str]]:
        """Those that there are, each with its name in the file."""
        found = [(role.name, getattr(self, role.name)) for role in fields(self)]
        return [
            (role, SEPARATOR.join(name) if isinstance(name, tuple) else name)
            for role, name in found
            if name
        ]


def roles_of(entries: Sequence[Entry], kind: str, told: Mapping[str, str]) -> Roles:
    """The roles in a file that begins with these answers; `told` goes before every guess.

    Raises ImportProblemsError where what is needed cannot be found.
    """
    shown = list(dict.fromkeys(name for entry in entries for name in entry.shown))
    said = list(dict.fromkeys(name for entry in entries for name in entry.said))
    roles = _told(told, shown, said)
    # Where nothing tells them apart, what is one thing is not the other.
    free = [name for name in shown if name not in {roles.best, roles.worst, roles.answer}]
    if kind == QuestionKind.BEST_WORST:
        roles = replace(
            roles,
            best=roles.best or _containing(said, _BEST),
            worst=roles.worst or _containing(said, _WORST),
        )
        free = [name for name in free if name not in {roles.best, roles.worst}]
        roles = replace(roles, options=roles.options or _options(free))
        if len(roles.options) == 2 and not roles.best and not roles.worst:
            # A comparison of two has one answer.
            answers = [n for n in said if n not in roles.options and not _is_comment(n)]
            roles = replace(roles, best=answers[0] if len(answers) == 1 else "")
    else:
        names = _RATED if kind == QuestionKind.RATING else _LABELLED
        target, candidate = (roles.target, roles.candidate)
        if not candidate:
            pair = _pair(free)
            target, candidate = pair or ("", _exactly(free, _TEXTS))
        roles = replace(
            roles, target=target, candidate=candidate, id=roles.id or _exactly(free, _IDS)
        )
        taken = {roles.target, roles.candidate, roles.id}
        answers = [n for n in said if n not in taken and not _is_comment(n)]
        found = _containing(answers, names) or (answers[0] if len(answers) == 1 else "")
        roles = replace(roles, answer=roles.answer or found)
    roles = replace(roles, comment=roles.comment or next(filter(_is_comment, said), ""))
    _refuse_missing(roles, kind, shown, said)
    return roles


def _told(told: Mapping[str, str], shown: list[str], said: list[str]) -> Roles:
    roles = Roles()
    problems = []
    for role, name in told.items():
        if role not in {field.name for field in fields(Roles)}:
            known = ", ".join(field.name for field in fields(Roles))
            problems.append(
                _("%(role)s is nothing that a column can be; choose one of %(known)s")
                % {"role": role, "known": known}
            )
            continue
        there = said if role in {"best", "worst", "answer", "comment"} else shown
        names = [one.strip() for one in name.split(SEPARATOR)] if role == "options" else [name]
        full = [_as_there(one, there) for one in names]
        problems += [
            _("%(role)s: the file has no %(name)s; it has %(there)s")
            % {"role": role, "name": one, "there": ", ".join(there[:30])}
            for one, there_is in zip(names, full, strict=True)
            if not there_is
        ]
        found: dict[str, Any] = {role: tuple(full) if role == "options" else full[0]}
        roles = replace(roles, **found)
    if problems:
        raise ImportProblemsError(problems)
    return roles


def _as_there(name: str, there: list[str]) -> str:
    """A name as the file has it, with Input. or Answer. before it or without."""
    return next((one for one in (name, f"{INPUT}{name}", f"{ANSWER}{name}") if one in there), "")


def bare(name: str) -> str:
    """A name in small letters, without what Mechanical Turk puts before it."""
    return name.removeprefix(INPUT).removeprefix(ANSWER).strip().lower()


def _is_comment(name: str) -> bool:
    return any(word in bare(name) for word in _COMMENTS)


def _containing(names: Collection[str], words: tuple[str, ...]) -> str:
    return next((name for word in words for name in names if word in bare(name)), "")


def _exactly(names: Collection[str], words: tuple[str, ...]) -> str:
    return next((name for word in words for name in names if bare(name) == word), "")


def _pair(names: list[str]) -> tuple[str, str] | None:
    plain = {re.sub(r"[ _.-]", "", bare(name)): name for name in names}
    for one, other in _PAIRS:
        if one in plain and other in plain:
            return plain[one], plain[other]
    return None


def _options(names: list[str]) -> tuple[str, ...]:
    """The numbered fields of one stem, such as item1 to item4 or option_a to option_c."""
    families: dict[str, dict[str, str]] = {}
    for name in names:
        if found := _NUMBERED.fullmatch(bare(name)):
            families.setdefault(found[1], {})[found[2]] = name
    whole = {stem: family for stem, family in families.items() if len(family) > 1}
    known = (stem for word in _OPTIONS for stem in whole if word in stem)
    largest = max(whole, key=lambda stem: len(whole[stem]), default="")
    family = whole.get(next(known, largest), {})
    ordered = sorted(family, key=lambda number: (not number.isdecimal(), number.zfill(2)))
    if ordered:
        return tuple(family[number] for number in ordered)
    return _pair(names) or ()


def _refuse_missing(roles: Roles, kind: str, shown: list[str], said: list[str]) -> None:
    problems = []
    there = ", ".join(shown[:30]) or "–"
    answers = ", ".join(said[:30]) or "–"
    if kind == QuestionKind.BEST_WORST:
        if len(roles.options) < 2:
            problems.append(
                _(
                    "The file does not say which texts were compared: its fields are %(names)s."
                    " Name them with options, or add them to the file."
                )
                % {"names": there}
            )
        missing = [role for role in ("best", "worst") if not getattr(roles, role)]
        if "best" in missing or (missing and len(roles.options) > 2):
            problems.append(
                _("Which answer is %(role)s cannot be seen: the answers are %(names)s. Name it.")
                % {"role": ", ".join(missing), "names": answers}
            )
    else:
        if not (roles.candidate or roles.id):
            problems.append(
                _(
                    "The file does not say which texts were judged: its fields are %(names)s."
                    " Name them with target and candidate, or with id."
                )
                % {"names": there}
            )
        if not roles.answer:
            problems.append(
                _("Which answer counts cannot be seen: the answers are %(names)s. Name it.")
                % {"names": answers}
            )
    if problems:
        raise ImportProblemsError(problems)
