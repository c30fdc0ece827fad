"""Which field of another tool's file is what: guessed from names, or given by the researcher."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from annotation.basics.errors import ImportProblemsError
from annotation.basics.sentences import Problem
from annotation.basics.sentences import sentence as _
from annotation.items.imports.foreign.entries import Entry
from annotation.items.imports.foreign.mturk import ANSWER, INPUT
from annotation.items.imports.foreign.several import QuestionFields, questions_of
from annotation.kinds.contract.items import ItemsPart

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
_COMMENTS = ("comment", "feedback", "remark")
_OPTIONS = ("item", "option", "candidate", "text", "sentence", "tuple", "choice", "utterance")
# What stands before the number is cut afterwards: together the two take quadratic time.
_NUMBER_AT_END = re.compile(r"(\d{1,2}|(?<![a-z])[a-h])\Z")
SEPARATOR, QUESTIONS = ",", ";"


@dataclass(frozen=True)
class Roles:
    """Names of fields and answers as the file has them; empty: there is none."""

    # Fields of a best-worst question; the options are in the order in which they were shown.
    options: tuple[str, ...] = ()
    best: str = ""
    worst: str = ""
    # Fields of a pair or a single text.
    id: str = ""
    target: str = ""
    candidate: str = ""
    # What was rated or chosen.
    answer: str = ""
    comment: str = ""


def named(several: Sequence[Roles]) -> list[tuple[str, str]]:
    """The roles in use, each with its names in the file, as a form or command takes them."""
    named_roles = []
    for role in fields(Roles):
        names = [getattr(roles, role.name) for roles in several]
        if any(names):
            written = [SEPARATOR.join(name) if isinstance(name, tuple) else name for name in names]
            named_roles.append((role.name, QUESTIONS.join(filter(None, written))))
    return named_roles


def roles_of(entries: Sequence[Entry], kind: ItemsPart, given: Mapping[str, str]) -> list[Roles]:
    """The roles in a file that begins with these answers, for each question of a task.

    `given` roles are used before any guess; semicolons separate several questions.
    Raises ImportProblemsError if what is needed cannot be found.
    """
    shown = list(dict.fromkeys(name for entry in entries for name in entry.shown))
    answers = list(dict.fromkeys(name for entry in entries for name in entry.answers))
    if any(QUESTIONS in name for name in given.values()):
        return _of_several(
            [_of_one(shown, answers, kind, question) for question in _given_for_each(given)],
            entries,
        )
    if not given.keys() - {"comment"} and (questions := _questions(shown, answers, kind)):
        return _of_several(
            [_of_question(question, kind) for question in questions], entries, answers, given
        )
    return [_of_one(shown, answers, kind, given)]


def _given_for_each(given: Mapping[str, str]) -> list[dict[str, str]]:
    """The given roles of each question."""
    parts = {role: name.split(QUESTIONS) for role, name in given.items()}
    n = max(map(len, parts.values()))
    for role, names in parts.items():
        if role != "comment" and len(names) != n:
            raise ImportProblemsError(
                [
                    Problem(
                        "conflict",
                        _("%(role)s is given for %(n)s questions, but others for %(wanted)s"),
                        _("put a semicolon between the questions"),
                    )
                    % {"role": role, "n": len(names), "wanted": n}
                ]
            )
    return [
        {role: names[number].strip() for role, names in parts.items() if number < len(names)}
        for number in range(n)
    ]


def _questions(shown: list[str], answers: list[str], kind: ItemsPart) -> list[QuestionFields]:
    """Several questions, recognised by their names; empty if there is only one."""
    if not kind.compares_items:
        return (
            [] if _is_one_pair(shown) else questions_of(shown, answers, [kind.answer_names], bare)
        )
    # If there are two texts, the other one is the worst.
    has_worst = bool(_containing(answers, _WORST))
    questions = questions_of(shown, answers, [_BEST, _WORST] if has_worst else [_BEST], bare)
    either = questions_of(shown, answers, [(*_BEST, *_WORST)], bare)
    if len(questions) < len(either):
        raise _ambiguous([name for question in either for name in question.answers.values()])
    return questions


def _ambiguous(names: list[str]) -> ImportProblemsError:
    return ImportProblemsError(
        [
            _(
                "The file has several questions in one task, and the names %(names)s "
                "do not show which fields belong together. Give all of them, with "
                "semicolons between the questions: options=a1,b1;a2,b2 and "
                "best=best1;best2."
            )
            % {"names": ", ".join(names)}
        ]
    )


def _is_one_pair(shown: list[str]) -> bool:
    """Whether two numbers tell the sides of a pair, as in text1 and text2."""
    pair = _pair(shown)
    return pair is not None and any(name[-1:].isdecimal() for name in pair)


def _of_question(named: QuestionFields, kind: ItemsPart) -> Roles:
    """The roles of one question of several, by their whole names."""
    try:
        roles = _of_one(list(named.shown), list(named.answers), kind, {})
    except ImportProblemsError as error:
        raise _ambiguous([*named.shown.values(), *named.answers.values()]) from error
    return Roles(
        options=tuple(named.shown[name] for name in roles.options),
        best=named.answers.get(roles.best, ""),
        worst=named.answers.get(roles.worst, ""),
        id=named.shown.get(roles.id, ""),
        target=named.shown.get(roles.target, ""),
        candidate=named.shown.get(roles.candidate, ""),
        answer=named.answers.get(roles.answer, ""),
        comment=named.answers.get(roles.comment, ""),
    )


def _of_several(
    several: list[Roles],
    entries: Sequence[Entry],
    answers: Collection[str] = (),
    given: Mapping[str, str] = {},
) -> list[Roles]:
    if len({len(roles.options) for roles in several}) > 1:
        raise ImportProblemsError(
            [
                _(
                    "The questions of a task show different numbers of texts: %(names)s. "
                    "Give the same number for each, with semicolons between the "
                    "questions."
                )
                % {"names": QUESTIONS.join(SEPARATOR.join(r.options) for r in several)}
            ]
        )
    # A comment on the whole task is stored with its first question.
    comment = given.get("comment", "") or next(filter(_is_comment, answers), "")
    if comment and not any(roles.comment for roles in several):
        names = [name for entry in entries for name in entry.answers]
        several[0] = replace(several[0], comment=_as_there(comment, names))
    return several


def _of_one(
    shown: list[str], answer_fields: list[str], kind: ItemsPart, given: Mapping[str, str]
) -> Roles:
    roles = _given_roles(given, shown, answer_fields)
    # A field has one role only.
    free = [name for name in shown if name not in {roles.best, roles.worst, roles.answer}]
    if kind.compares_items:
        roles = replace(
            roles,
            best=roles.best or _containing(answer_fields, _BEST),
            worst=roles.worst or _containing(answer_fields, _WORST),
        )
        free = [name for name in free if name not in {roles.best, roles.worst}]
        roles = replace(roles, options=roles.options or numbered_fields(free))
        if len(roles.options) == 2 and not roles.best and not roles.worst:
            # A comparison of two has one answer.
            answers = [n for n in answer_fields if n not in roles.options and not _is_comment(n)]
            roles = replace(roles, best=answers[0] if len(answers) == 1 else "")
    else:
        names = kind.answer_names
        target, candidate = (roles.target, roles.candidate)
        if not candidate:
            pair = _pair(free)
            target, candidate = pair or ("", _exactly(free, _TEXTS))
        roles = replace(
            roles, target=target, candidate=candidate, id=roles.id or _exactly(free, _IDS)
        )
        taken = {roles.target, roles.candidate, roles.id}
        answers = [n for n in answer_fields if n not in taken and not _is_comment(n)]
        answer = _containing(answers, names) or (answers[0] if len(answers) == 1 else "")
        roles = replace(roles, answer=roles.answer or answer)
    roles = replace(roles, comment=roles.comment or next(filter(_is_comment, answer_fields), ""))
    _refuse_missing(roles, kind, shown, answer_fields)
    return roles


def _given_roles(given: Mapping[str, str], shown: list[str], answers: list[str]) -> Roles:
    roles = Roles()
    problems = []
    for role, name in given.items():
        if role not in {field.name for field in fields(Roles)}:
            known = ", ".join(field.name for field in fields(Roles))
            problems.append(
                Problem(
                    "unknown",
                    _("%(role)s is not a possible role of a column"),
                    _("choose one of %(known)s"),
                )
                % {"role": role, "known": known}
            )
            continue
        there = answers if role in {"best", "worst", "answer", "comment"} else shown
        names = (
            [option.strip() for option in name.split(SEPARATOR)] if role == "options" else [name]
        )
        full = [_as_there(option, there) for option in names]
        problems += [
            Problem("unknown", _("%(role)s: the file has no %(name)s"), _("it has %(there)s"))
            % {"role": role, "name": option, "there": ", ".join(there[:30])}
            for option, there_is in zip(names, full, strict=True)
            if not there_is
        ]
        changes: dict[str, Any] = {role: tuple(full) if role == "options" else full[0]}
        roles = replace(roles, **changes)
    if problems:
        raise ImportProblemsError(problems)
    return roles


def _as_there(name: str, there: list[str]) -> str:
    """A name as the file has it, with Input. or Answer. before it or without."""
    return next(
        (variant for variant in (name, f"{INPUT}{name}", f"{ANSWER}{name}") if variant in there),
        "",
    )


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
    for first, other in _PAIRS:
        if first in plain and other in plain:
            return plain[first], plain[other]
    return None


def numbered_fields(names: list[str]) -> tuple[str, ...]:
    """The numbered fields of one stem, such as item1 to item4 or option_a to option_c."""
    families: dict[str, dict[str, str]] = {}
    for name in names:
        if number := _NUMBER_AT_END.search(bare(name)):
            stem = number.string[: number.start()].rstrip(" _.-")
            families.setdefault(stem, {})[number[0]] = name
    whole = {stem: family for stem, family in families.items() if len(family) > 1}
    known = (stem for word in _OPTIONS for stem in whole if word in stem)
    largest = max(whole, key=lambda stem: len(whole[stem]), default="")
    family = whole.get(next(known, largest), {})
    ordered = sorted(family, key=lambda number: (not number.isdecimal(), number.zfill(2)))
    if ordered:
        return tuple(family[number] for number in ordered)
    return _pair(names) or ()


def _refuse_missing(
    roles: Roles, kind: ItemsPart, shown: list[str], answer_fields: list[str]
) -> None:
    problems = []
    there = ", ".join(shown[:30]) or "–"
    answers = ", ".join(answer_fields[:30]) or "–"
    if kind.compares_items:
        if len(roles.options) < 2:
            problems.append(
                _(
                    "The file does not show which texts were compared. Its fields are "
                    "%(names)s. Name the texts with options, or add them to the file."
                )
                % {"names": there}
            )
        missing = [role for role in ("best", "worst") if not getattr(roles, role)]
        if "best" in missing or (missing and len(roles.options) > 2):
            problems.append(
                _(
                    "The file does not show which answer is %(role)s. The answers are "
                    "%(names)s. Name the right one."
                )
                % {"role": ", ".join(missing), "names": answers}
            )
    else:
        if not (roles.candidate or roles.id):
            problems.append(
                _(
                    "The file does not show which texts were judged. Its fields are "
                    "%(names)s. Name the texts with target and candidate, or with id."
                )
                % {"names": there}
            )
        if not roles.answer:
            problems.append(
                _(
                    "The file does not show which answer counts. The answers are "
                    "%(names)s. Name the right one."
                )
                % {"names": answers}
            )
    if problems:
        raise ImportProblemsError(problems)
