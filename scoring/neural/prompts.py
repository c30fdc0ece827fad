"""What a language model reads when it is asked which candidate is most similar to the last turn.

A template is a text with placeholders: {target} is replaced by the last turn, {options} by the
candidates, one on a line, and {dialogue} by the turns before, one on a line. It names the
placeholders that the question needs, and no others.

The style of a prompt says how these lines look. "plain" has turns as they are and candidates
after a dash, or after "A)" if a letter is the answer. "giccs" has the form of Figure 2 of
[GiCCS]: turns numbered through to the last one, and candidates after "A.", "B." and so on. The
wording of both is our own.
"""

import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Literal, TypeAlias, get_args

from scoring.neural.refusals import RequestError
from shell.messages import message as _

Language: TypeAlias = Literal["de", "en", "cs"]
Answer: TypeAlias = Literal["text", "letter"]
Style: TypeAlias = Literal["plain", "giccs"]

_PLACEHOLDER = re.compile(r"\{(\w+)\}")

# With the dialogue before the last turn.
_WITH_DIALOGUE: dict[Language, str] = {
    "de": """\
Lies den Anfang eines Gesprächs und die Äußerung, die darauf folgt.

Gespräch:
{dialogue}

Äußerung:
{target}

Welcher der folgenden Sätze hat in diesem Gespräch am ehesten dieselbe Bedeutung wie die Äußerung?
{options}

Antwort:""",
    "en": """\
Read the beginning of a conversation and the utterance that follows it.

Conversation:
{dialogue}

Utterance:
{target}

Which of these sentences comes closest to the meaning of the utterance in this conversation?
{options}

Answer:""",
    "cs": """\
Přečti si začátek rozhovoru a výrok, který po něm následuje.

Rozhovor:
{dialogue}

Výrok:
{target}

Která z následujících vět má v tomto rozhovoru význam nejbližší tomuto výroku?
{options}

Odpověď:""",
}

# The same, with the last turn at the end of the numbered ones.
_NUMBERED: dict[Language, str] = {
    "de": """\
Gespräch:
{dialogue}
{target}

Welcher der folgenden Sätze hat in diesem Gespräch am ehesten dieselbe Bedeutung wie die letzte \
Äußerung?
{options}

Antwort:""",
    "en": """\
Conversation:
{dialogue}
{target}

Which of these sentences comes closest to the meaning of the last utterance in this conversation?
{options}

Answer:""",
    "cs": """\
Rozhovor:
{dialogue}
{target}

Která z následujících vět má v tomto rozhovoru význam nejbližší poslednímu výroku?
{options}

Odpověď:""",
}

_ALONE: dict[Language, str] = {
    "de": """\
Äußerung:
{target}

Welcher der folgenden Sätze hat am ehesten dieselbe Bedeutung wie die Äußerung?
{options}

Antwort:""",
    "en": """\
Utterance:
{target}

Which of these sentences comes closest to the meaning of the utterance?
{options}

Answer:""",
    "cs": """\
Výrok:
{target}

Která z následujících vět má význam nejbližší tomuto výroku?
{options}

Odpověď:""",
}

LANGUAGES: tuple[Language, ...] = get_args(Language)
ANSWERS: tuple[Answer, ...] = get_args(Answer)
STYLES: tuple[Style, ...] = get_args(Style)


def template_of(language: Language, *, with_dialogue: bool, style: Style = "plain") -> str:
    """Our own template in a language; RequestError for another language."""
    if language not in LANGUAGES:
        raise RequestError(
            _(
                "there is no template in %(given)s: choose one of %(those)s, or give a template",
                given=repr(language),
                those=LANGUAGES,
            )
        )
    if not with_dialogue:
        return _ALONE[language]
    return (_NUMBERED if style == "giccs" else _WITH_DIALOGUE)[language]


def check_template(template: str, *, with_dialogue: bool) -> None:
    """Raise RequestError if a placeholder is missing, unknown or of no use."""
    needed = {"target", "options"} | ({"dialogue"} if with_dialogue else set())
    placeholders = set(_PLACEHOLDER.findall(template))
    if missing := sorted(needed - placeholders):
        raise RequestError(
            _(
                "the template lacks {%(given)s}: write it where that is to stand",
                given=missing[0],
            )
        )
    if not with_dialogue and "dialogue" in placeholders:
        raise RequestError(
            _(
                "the template has {dialogue}, but the question is asked without the dialogue: take"
                " {dialogue} out, or ask with it"
            )
        )
    if unknown := sorted(placeholders - needed):
        raise RequestError(
            _(
                "the template has {%(given)s}, which is unknown: its placeholders are {dialogue},"
                " {target} and {options}",
                given=unknown[0],
            )
        )


def prompt(
    template: str,
    *,
    turns: Sequence[str],
    target: str,
    options: Sequence[str],
    answer: Answer,
    style: Style = "plain",
    n_left_out: int = 0,
) -> str:
    """Put the texts of one dialogue into a template that `check_template` accepts.

    Parameters
    ----------
    template : str
        With {target}, {options} and perhaps {dialogue}.
    turns : sequence of str
        Turns before the last one, each put on a line of its own.
    target : str
        The last turn.
    options : sequence of str
        Candidates in the order in which they are to be shown.
    answer : {"text", "letter"}
        Whether candidates are listed with letters, or without.
    style : {"plain", "giccs"}
        How turns and candidates are listed; "giccs" has letters in any case.
    n_left_out : int
        Turns of the dialogue that come before `turns`, which keep their numbers.
    """
    lines = [one_line(turn) for turn in (*turns, target)]
    # A last turn that stands alone is no list, and has no number.
    if style == "giccs" and "dialogue" in _PLACEHOLDER.findall(template):
        lines = [f"{number}. {line}" for number, line in enumerate(lines, start=n_left_out + 1)]
    texts = {
        "dialogue": "\n".join(lines[:-1]),
        "target": lines[-1],
        "options": "\n".join(
            f"{mark} {one_line(option)}"
            for mark, option in zip(_marks(len(options), style, answer), options, strict=True)
        ),
    }
    # In one pass: a turn that says "{target}" is a text as any other.
    return _PLACEHOLDER.sub(lambda match: texts.get(match[1], match[0]), template)


def _marks(n: int, style: Style, answer: Answer) -> list[str]:
    """What stands before each candidate."""
    if style == "giccs":
        return [f"{letter}." for letter in letters(n)]
    return [f"{letter})" for letter in letters(n)] if answer == "letter" else ["-"] * n


def letters(n: int) -> list[str]:
    """The first n capital letters; RequestError where there are not as many."""
    if n > len(ascii_uppercase):
        raise RequestError(
            _(
                "%(n)s options are more than the %(most)s letters: have the text of the answer"
                " scored instead, in the plain style",
                n=n,
                most=len(ascii_uppercase),
            )
        )
    return list(ascii_uppercase[:n])


def one_line(text: str) -> str:
    """The text with all white space as single blanks."""
    return " ".join(text.split())
