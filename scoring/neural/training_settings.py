"""How a model is trained, and the checks of what was chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from scoring.neural.refusals import RequestError, check_choice, check_whole_number
from scoring.neural.trainees import KINDS, LOSSES, Kind
from shell.messages import Message
from shell.messages import message as _


class DivergedError(RequestError):
    """The steps were so large that the loss is no number any more."""


@dataclass(frozen=True)
class TrainingSettings:
    """How a model is trained.

    Parameters
    ----------
    epochs : int
        How often each pair is seen.
    batch_size : int
        Pairs of one step.
    learning_rate : float
        The highest.
    warmup : float
        Share of the steps, in [0, 1), over which the rate rises.
    weight_decay : float
        Of AdamW; not of biases and norms.
    seed : int
        Of the first run; the next ones have the numbers that follow.
    runs : int
        How many.
    loss : str
        "cosine" for a bi-encoder; "bce" or "mse" for a cross-encoder. Empty: the first of them.
    max_length : int
        Tokens of a text at most (of both, for a cross-encoder); 0 for as many as the model reads.
    checkpoint_steps : int
        Steps between checkpoints, beside those at the end of an epoch.
    """

    epochs: int = 1
    batch_size: int = 16
    learning_rate: float = 2e-5
    warmup: float = 0.1
    weight_decay: float = 0.01
    seed: int = 1
    runs: int = 1
    loss: str = ""
    max_length: int = 0
    checkpoint_steps: int = 500

    def __post_init__(self) -> None:
        for name, least in (
            ("epochs", 1),
            ("batch_size", 1),
            ("runs", 1),
            ("checkpoint_steps", 1),
            ("seed", 0),
            ("max_length", 0),
        ):
            check_whole_number(name, getattr(self, name), least)
        if not _is_share(self.learning_rate) or not self.learning_rate:
            raise RequestError(
                _(
                    "%(setting)s is %(given)s: choose a number above 0 to below 1",
                    setting="learning_rate",
                    given=repr(self.learning_rate),
                )
            )
        if not _is_share(self.warmup):
            raise RequestError(
                _(
                    "%(setting)s is %(given)s: choose a share of the steps, from 0 to below 1",
                    setting="warmup",
                    given=repr(self.warmup),
                )
            )
        if not _is_share(self.weight_decay):
            raise RequestError(
                _(
                    "%(setting)s is %(given)s: choose a number from 0 to below 1",
                    setting="weight_decay",
                    given=repr(self.weight_decay),
                )
            )

    @classmethod
    def of_json(cls, settings: Mapping[str, Any], *, kind: Kind) -> "TrainingSettings":
        """Read settings by name; RequestError for an unknown one, or a loss of another kind."""
        known = [each.name for each in fields(cls)]
        if unknown := [name for name in settings if name not in known]:
            raise RequestError(
                _(
                    "%(given)s is no setting of training: there are %(those)s",
                    given=repr(unknown[0]),
                    those=known,
                )
            )
        check_choice("kind", kind, KINDS)
        made = cls(**settings)
        losses = list(LOSSES[kind])
        if made.loss and made.loss not in losses:
            raise RequestError(_no_loss_of(kind, made.loss, losses))
        return made if made.loss else replace(made, loss=losses[0])


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1


def _no_loss_of(kind: Kind, loss: object, losses: Sequence[str]) -> Message:
    if len(losses) == 2:
        return _(
            "loss is %(given)s, but a %(kind)s is trained by %(one)s or %(other)s",
            given=repr(loss),
            kind=kind,
            one=losses[0],
            other=losses[1],
        )
    return _(
        "loss is %(given)s, but a %(kind)s is trained by %(those)s",
        given=repr(loss),
        kind=kind,
        those=losses,
    )
