"""Multiple choice by a causal language model: which candidate means the same as the last turn?

The model reads a question that lists the candidates (see `prompts`), and of each candidate it is
computed how likely it is as the answer; the likeliest is chosen [GiCCS]. What the answer is, is a
setting: the candidate's text, which any language model can continue with, or its letter, which
only models that were taught to answer such questions connect with the candidate it stands for
[Robinson2023]. So is its likelihood: the sum over tokens, by which longer candidates are less
likely for being longer, or the mean per token, by which they are not. Neither matters to letters.

The list is shuffled several times, because models favour places in a list. Of equally likely
candidates the one shown first is chosen, so that chance decides there as well.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.baselines.choices import ChoiceAccuracy, best_options, choice_accuracy
from scoring.json_values import JsonObject
from scoring.neural.choice_settings import ChoiceSettings, Dialogue
from scoring.neural.likelihoods import BATCH_SIZE, Continuation, KeptLikelihoods, LanguageModel
from scoring.neural.prompts import (
    letters,
    one_line,
    prompt,
)
from scoring.neural.refusals import RequestError
from shell.messages import Message
from shell.messages import message as _

# Called with the share that is done and what is being done.
Progress: TypeAlias = Callable[[float, Message], None]

# Dialogues that are made into tokens at once: what bounds memory besides the batch.
AT_ONCE = 100

# Figures are read with every page that lists a study's measures.
MAX_EXAMPLE_LENGTH = 5000


@dataclass(frozen=True, eq=False)
class Choices:
    """What a model chose.

    Parameters
    ----------
    values : list of float arrays
        Of each dialogue the log-likelihood of each option as the answer, mean over shuffles.
    accuracy : ChoiceAccuracy
        Beside people's scores.
    shortened : list of str
        Names of the dialogues of which the first turns were left out, because they do not fit
        into the model's window.
    settings : ChoiceSettings
        How it was asked.
    example : str
        What the model read of the first dialogue, its candidates as first shuffled.
    n_computed, n_kept : int
        Likelihoods that were computed now, and that were kept from before.
    """

    values: list[FloatArray]
    accuracy: ChoiceAccuracy
    shortened: list[str]
    settings: ChoiceSettings
    example: str
    n_computed: int
    n_kept: int

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            **self.accuracy.as_dict(),
            "style": self.settings.style,
            "template": self.settings.question,
            "example": self.example,
            "answer": self.settings.answer,
            "likelihood": self.settings.likelihood,
            "with_dialogue": self.settings.with_dialogue,
            "seed": self.settings.seed,
            "n_shortened": len(self.shortened),
            "shortened": list(self.shortened),
        }


@dataclass
class _Counted:
    """What was done so far."""

    n_computed: int = 0
    n_kept: int = 0
    shortened: list[str] = field(default_factory=list)
    example: str = ""


def choose(
    dialogues: Sequence[Dialogue],
    settings: ChoiceSettings,
    *,
    model: LanguageModel,
    identity: str,
    stored: KeptLikelihoods,
    progress: Progress = lambda share, message: None,
    batch_size: int = BATCH_SIZE,
) -> Choices:
    """Let a model choose among the options of each dialogue.

    Parameters
    ----------
    dialogues : sequence of Dialogue
        One or more; no two with the same name.
    settings : ChoiceSettings
        How to ask.
    model : LanguageModel
        Whom to ask.
    identity : str
        Name of the model with its revision and type of numbers, under which its likelihoods are
        kept.
    stored : KeptLikelihoods
        Likelihoods known from before; new ones are added after each batch.
    progress : callable, optional
        Told about the share that is done.
    batch_size : int
        Texts that the model reads at once; it does not change what is found.

    Raises
    ------
    RequestError
        If dialogues have the same name, or the last turn and the options of one do not fit into
        the model's window: options are never cut.

    References
    ----------
    [GiCCS], [Robinson2023] in docs/references.md
    """
    if not dialogues:
        raise RequestError(_("there is no dialogue to choose in"))
    names: set[str] = set()
    for dialogue in dialogues:
        if dialogue.id in names:
            raise RequestError(
                _(
                    "two dialogues are called %(dialogue)s: names are given once",
                    dialogue=dialogue.id,
                )
            )
        names.add(dialogue.id)

    counted = _Counted()
    values, chosen = [], []
    for first in range(0, len(dialogues), AT_ONCE):
        block = dialogues[first : first + AT_ONCE]
        orders = [_orders(dialogue, settings) for dialogue in block]
        questions = [
            _asked(dialogue, settings, order, model, counted)
            for dialogue, order in zip(block, orders, strict=True)
        ]

        def on_progress(share: float, start: int = first, size: int = len(block)) -> None:
            message = _("multiple choice, %(n)s dialogues", n=len(dialogues))
            progress((start + share * size) / len(dialogues), message)

        likelihoods = _values(
            [each for dialogue in questions for shuffle in dialogue for each in shuffle],
            model=model,
            identity=identity,
            stored=stored,
            counted=counted,
            batch_size=batch_size,
            on_progress=on_progress,
        )
        at = 0
        for order, shuffles in zip(orders, questions, strict=True):
            size = order.size
            sums = likelihoods[at : at + size].reshape(order.shape)
            if settings.likelihood == "per_token":
                sums = sums / np.array([[each.n_tokens for each in row] for row in shuffles])
            at += size
            # Places in the list; the first of equally likely ones.
            picked = sums.argmax(axis=1)
            chosen.append(order[np.arange(len(order)), picked])
            by_option = np.empty_like(sums)
            np.put_along_axis(by_option, order, sums, axis=1)
            values.append(by_option.mean(axis=0))

    accuracy = choice_accuracy(
        np.array(chosen).T,
        [best_options(dialogue.scores) for dialogue in dialogues],
        n_options=[len(dialogue.options) for dialogue in dialogues],
        subsets=[dialogue.subset for dialogue in dialogues],
    )
    return Choices(
        values,
        accuracy,
        counted.shortened,
        settings,
        counted.example,
        counted.n_computed,
        counted.n_kept,
    )


def _orders(dialogue: Dialogue, settings: ChoiceSettings) -> IntArray:
    """The options as each shuffle shows them, shape (shuffles, options).

    Drawn from the seed and the dialogue's name, so that a dialogue has the same orders whatever
    other dialogues there are.
    """
    name = int.from_bytes(hashlib.sha256(dialogue.id.encode()).digest()[:8])
    rng = np.random.default_rng([settings.seed, name])
    n_options = len(dialogue.options)
    return np.array([rng.permutation(n_options) for _shuffle in range(settings.shuffles)])


def _asked(
    dialogue: Dialogue,
    settings: ChoiceSettings,
    orders: IntArray,
    model: LanguageModel,
    counted: _Counted,
) -> list[list[Continuation]]:
    """What the model reads for each shuffle and place in the list."""

    def question(order: IntArray, n_left_out: int) -> str:
        return prompt(
            settings.question,
            turns=dialogue.turns[n_left_out:],
            target=dialogue.target,
            options=[dialogue.options[i] for i in order],
            answer=settings.answer,
            style=settings.style,
            n_left_out=n_left_out,
        )

    def without(n_left_out: int) -> list[list[Continuation]]:
        made = []
        for order in orders:
            options = [one_line(dialogue.options[i]) for i in order]
            answers = letters(len(options)) if settings.answer == "letter" else options
            made.append(model.continuations(question(order, n_left_out), answers))
        return made

    def fits(n_left_out: int) -> bool:
        return all(model.fits(each) for row in without(n_left_out) for each in row)

    # All shuffles and options see the same turns, or they could not be compared.
    n_turns = len(dialogue.turns) if settings.with_dialogue else 0
    n_left_out = bisect_left(range(n_turns + 1), True, key=fits)
    if n_left_out > n_turns:
        longest = max(len(each.tokens) for row in without(n_turns) for each in row)
        # A model without a limit would have read all of it.
        assert model.window is not None
        raise RequestError(
            _(
                "dialogue %(dialogue)s: its last turn and options alone are %(longest)s tokens,"
                " but the model reads %(window)s: choose a model that reads more, or leave it out",
                dialogue=dialogue.id,
                longest=longest,
                window=model.window,
            )
        )
    if n_left_out:
        counted.shortened.append(dialogue.id)
    if not counted.example:
        counted.example = _at_most(question(orders[0], n_left_out), MAX_EXAMPLE_LENGTH)
    return without(n_left_out)


def _at_most(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]} […]"


def _values(
    continuations: list[Continuation],
    *,
    model: LanguageModel,
    identity: str,
    stored: KeptLikelihoods,
    counted: _Counted,
    batch_size: int,
    on_progress: Callable[[float], None],
) -> FloatArray:
    """The log-likelihood of each answer, computed only where it is not kept."""
    digests = [each.digest(identity) for each in continuations]
    known = stored.found(set(digests))
    counted.n_kept += len(known)
    new = {
        digest: each
        for digest, each in zip(digests, continuations, strict=True)
        if digest not in known
    }
    order, n_done = list(new), 0
    for places, sums in model.log_likelihoods(list(new.values()), batch_size=batch_size):
        computed = {order[i]: float(value) for i, value in zip(places, sums, strict=True)}
        stored.keep(computed.items())
        known |= computed
        n_done += len(computed)
        counted.n_computed += len(computed)
        on_progress(n_done / len(order))
    on_progress(1.0)
    return np.array([known[digest] for digest in digests])
