"""Dialogues with their options, and how a language model is asked to choose."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

from scoring.neural.prompts import (
    ANSWERS,
    STYLES,
    Answer,
    Language,
    Style,
    check_template,
    template_of,
)
from scoring.neural.refusals import RequestError, check_choice, check_whole_number
from shell.messages import message as _
from shell.messages import ngettext

Likelihood: TypeAlias = Literal["sum", "per_token"]
LIKELIHOODS: tuple[Likelihood, ...] = get_args(Likelihood)


@dataclass(frozen=True)
class Dialogue:
    """A last turn, the turns before it, and candidates for what means the same.

    Parameters
    ----------
    id : str
        Its name, from which the shuffles are drawn; no two dialogues of a run have the same.
    turns : tuple of str
        The turns before the last one.
    target : str
        The last turn.
    options : tuple of str
        The candidates, two or more.
    scores : tuple of float
        People's score of each candidate; nan where there is none.
    subset : str
        What its accuracy is reported by; its number of turns, with the last one, if not given.
    """

    id: str
    turns: tuple[str, ...]
    target: str
    options: tuple[str, ...]
    scores: tuple[float, ...]
    subset: str = ""

    def __post_init__(self) -> None:
        if len(self.options) < 2:
            raise RequestError(
                _(
                    "dialogue %(dialogue)s has %(n)s options: 2 are needed",
                    dialogue=self.id,
                    n=len(self.options),
                )
            )
        if len(self.scores) != len(self.options):
            raise ValueError(f"dialogue {self.id} has {len(self.scores)} scores for its options")
        for text in (self.target, *self.options):
            if not text.strip():
                raise RequestError(
                    _(
                        "dialogue %(dialogue)s has an empty last turn or option",
                        dialogue=self.id,
                    )
                )
        if not self.subset:
            n_turns = ngettext("%(n)s turn", "%(n)s turns", "n", n=len(self.turns) + 1)
            object.__setattr__(self, "subset", n_turns)


@dataclass(frozen=True)
class ChoiceSettings:
    """How the question is asked and the answer scored.

    Parameters
    ----------
    language : {"de", "en", "cs"}
        Of our template, where none is given.
    style : {"plain", "giccs"}
        How the prompt lists turns and candidates, see `prompts`.
    template : str
        With {target}, {options} and, if asked with the dialogue, {dialogue}; empty for ours.
    answer : {"text", "letter"}
        Whether the candidate's text is the answer, or its letter.
    likelihood : {"per_token", "sum"}
        Mean of the log-likelihoods of the answer's tokens, or their sum.
    with_dialogue : bool
        Whether the turns before the last one are part of the question.
    shuffles : int
        Orders in which the candidates are listed.
    seed : int
        From which the orders are drawn.
    """

    language: Language = "de"
    style: Style = "plain"
    template: str = ""
    answer: Answer = "text"
    likelihood: Likelihood = "per_token"
    with_dialogue: bool = True
    shuffles: int = 5
    seed: int = 1

    def __post_init__(self) -> None:
        for name, allowed in (
            ("style", STYLES),
            ("answer", ANSWERS),
            ("likelihood", LIKELIHOODS),
        ):
            check_choice(name, getattr(self, name), allowed)
        if type(self.with_dialogue) is not bool:
            raise RequestError(
                _(
                    "%(setting)s is %(given)s: choose true or false",
                    setting="with_dialogue",
                    given=repr(self.with_dialogue),
                )
            )
        check_whole_number("shuffles", self.shuffles, 1)
        check_whole_number("seed", self.seed, 0)
        if not isinstance(self.template, str):
            raise RequestError(
                _(
                    "template is %(given)s: give a text, or none for ours",
                    given=repr(self.template),
                )
            )
        check_template(self.question, with_dialogue=self.with_dialogue)

    @classmethod
    def of_json(cls, settings: Mapping[str, Any]) -> "ChoiceSettings":
        """Read settings by name; RequestError for a name that is none."""
        known = [each.name for each in fields(cls)]
        if unknown := [name for name in settings if name not in known]:
            raise RequestError(
                _(
                    "%(given)s is no setting of multiple choice: there are %(those)s",
                    given=repr(unknown[0]),
                    those=known,
                )
            )
        return cls(**settings)

    @property
    def question(self) -> str:
        """The template that is used."""
        return self.template or template_of(
            self.language, with_dialogue=self.with_dialogue, style=self.style
        )
