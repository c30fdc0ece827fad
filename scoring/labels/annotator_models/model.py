"""What a fitted model of annotators says of each unit and of each person."""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.json_values import JsonObject, json_numbers
from scoring.labels.annotator_models.answers import FirstAnswers
from scoring.labels.annotator_models.definitions import DEFINITIONS
from scoring.labels.labels import LabelCounts, Labels
from shell.messages import Message

# Two categories whose probabilities differ by no more are equally probable: what is left is
# rounding.
TIE = 1e-9


@dataclass(frozen=True, eq=False)
class LabelModel:
    """A model of how people label, fitted to answers of one category each.

    Parameters
    ----------
    name : str
        "dawid-skene", "mace" or "glad".
    posterior : float array, shape (n_units, c)
        Probability of each category, given all answers and the model; nan for a unit without
        answers.
    ability : float array, shape (n_annotators,)
        In [0, 1], nan for people without answers. Dawid-Skene: the probability that a label of
        this person is right. MACE: the probability that the person does not answer blindly. GLAD:
        the probability that this person's label of a unit of average difficulty is right.
    difficulty : float array, shape (n_units,), or None
        Only of GLAD: above 0, 1 for a unit of average difficulty; nan for a unit without answers.
    confusion : float array, shape (n_annotators, c, c), or None
        Only of Dawid-Skene: probability that the person chooses the category of the column if that
        of the row is right. nan for people without answers, and for a row of which the person
        labelled no unit.
    n_rounds : int
        Rounds of the iteration until it came to rest.
    reason : Message or None
        Why the model could not be fitted; all arrays are nan then.
    """

    name: str
    posterior: FloatArray
    ability: FloatArray
    difficulty: FloatArray | None
    confusion: FloatArray | None
    n_rounds: int
    reason: Message | None = None

    @property
    def label(self) -> IntArray:
        """The most probable category of each unit, shape (n_units,).

        -1 without answers, and where the two most probable categories are tied.
        """
        if self.posterior.shape[1] < 2:
            return np.full(len(self.posterior), -1)
        second, first = np.moveaxis(np.sort(self.posterior, axis=1)[:, -2:], 1, 0)
        # A comparison with nan is false, so a unit without answers has no label.
        is_clear = first - second > TIE
        return np.where(is_clear, self.posterior.argmax(axis=1), -1)

    @property
    def definition(self) -> Message:
        """What was computed and when not to use it, in words."""
        return DEFINITIONS[self.name]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "name": self.name,
            "definition": self.definition,
            "label": [int(k) if k >= 0 else None for k in self.label],
            "posterior": json_numbers(self.posterior),
            "ability": json_numbers(self.ability),
            "difficulty": None if self.difficulty is None else json_numbers(self.difficulty),
            "confusion": None if self.confusion is None else json_numbers(self.confusion),
            "n_rounds": self.n_rounds,
            "reason": self.reason,
        }


def fitted_model(
    name: str,
    labels: Labels,
    answers: FirstAnswers,
    posterior: FloatArray,
    ability: FloatArray,
    *,
    n_rounds: int,
    difficulty: FloatArray | None = None,
    confusion: FloatArray | None = None,
) -> LabelModel:
    """The model with the numbering of the batch; nan for people and units without answers.

    Parameters
    ----------
    posterior, difficulty : float array, shapes (u, c) and (u,)
        In the numbering of `answers`, as the next two.
    ability, confusion : float array, shapes (p,) and (p, c, c)
    """
    units, people = (answers.units, labels.n_units), (answers.people, labels.n_annotators)
    return LabelModel(
        name,
        _spread(posterior, *units),
        _spread(ability, *people),
        None if difficulty is None else _spread(difficulty, *units),
        None if confusion is None else _spread(confusion, *people),
        n_rounds,
    )


def unfitted_model(
    name: str, labels: Labels, reason: Message | None, *, n_rounds: int = 0
) -> LabelModel:
    """A model without estimates, and the reason why there are none."""
    n_units, n_annotators, c = labels.n_units, labels.n_annotators, labels.n_categories
    return LabelModel(
        name,
        np.full((n_units, c), np.nan),
        np.full(n_annotators, np.nan),
        np.full(n_units, np.nan) if name == "glad" else None,
        np.full((n_annotators, c, c), np.nan) if name == "dawid-skene" else None,
        n_rounds,
        reason,
    )


def differs(model: LabelModel, counts: LabelCounts) -> BoolArray:
    """Units that have a label from the model and another one from the counts, shape (n_units,).

    Parameters
    ----------
    model : LabelModel
        Fitted to the answers that were counted.
    counts : LabelCounts
        Of `count_labels`. A tie there has no label, so a model that decides it does not differ.
    """
    label = model.label
    return np.asarray(counts.has_label & (label >= 0) & (counts.label.argmax(axis=1) != label))


def _spread(values: FloatArray, numbers: IntArray, n: int) -> FloatArray:
    spread = np.full((n, *values.shape[1:]), np.nan)
    spread[numbers] = values
    return spread
