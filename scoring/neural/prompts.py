"""What a language model reads when it is asked which candidate is most similar to the last turn.

A template is a text with placeholders: {target} is replaced by the last turn, {options} by the
candidates, one on a line, and {dialogue} by the turns before, one on a line. It names the
placeholders that the question needs, and no others. The wording is our own: the prompt of [GiCCS]
is not printed in full.
"""

import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Literal, TypeAlias, get_args

from scoring.neural.refusals import RequestError

Language: TypeAlias = Literal["de", "en", "cs"]
Answer: TypeAlias = Literal["text", "letter"]

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


def template_of(language: Language, *, with_dialogue: bool) -> str:
    """Our own template in a language; RequestError for another language."""
    if language not in LANGUAGES:
        raise RequestError(
            f"there is no template in {language!r}: choose one of {', '.join(LANGUAGES)}, "
            "or give a template"
        )
    return (_WITH_DIALOGUE if with_dialogue else _ALONE)[language]


def check_template(template: str, *, with_dialogue: bool) -> None:
    """Raise RequestError if a placeholder is missing, unknown or of no use."""
    needed = {"target", "options"} | ({"dialogue"} if with_dialogue else set())
    found = set(_PLACEHOLDER.findall(template))
    if missing := sorted(needed - found):
        raise RequestError(f"the template lacks {{{missing[0]}}}: write it where that is to stand")
    if not with_dialogue and "dialogue" in found:
        raise RequestError(
            "the template has {dialogue}, but the question is asked without the dialogue: "
            "take {dialogue} out, or ask with it"
        )
    if unknown := sorted(found - needed):
        raise RequestError(
            f"the template has {{{unknown[0]}}}, which is unknown: "
            "its placeholders are {dialogue}, {target} and {options}"
        )


def prompt(
    template: str, *, turns: Sequence[str], target: str, options: Sequence[str], answer: Answer
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
    """
    marks = letters(len(options)) if answer == "letter" else ["-"] * len(options)
    closed = ")" if answer == "letter" else ""
    texts = {
        "dialogue": "\n".join(map(one_line, turns)),
        "target": one_line(target),
        "options": "\n".join(
            f"{mark}{closed} {one_line(option)}"
            for mark, option in zip(marks, options, strict=True)
        ),
    }
    # In one pass: a turn that says "{target}" is a text as any other.
    return _PLACEHOLDER.sub(lambda found: texts.get(found[1], found[0]), template)


def letters(n: int) -> list[str]:
    """The first n capital letters; RequestError where there are not as many."""
    if n > len(ascii_uppercase):
        raise RequestError(
            f"{n} options are more than the {len(ascii_uppercase)} letters: "
            "have the text of the answer scored instead"
        )
    return list(ascii_uppercase[:n])


def one_line(text: str) -> str:
    """The text with all white space as single blanks."""
    return " ".join(text.split())
