"""Cross-encoders: a model that reads both texts at once and says how alike they are."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray
from scoring.baselines import Pair
from scoring.neural import packages
from scoring.neural.contexts import sides, truncation_side
from scoring.neural.drawn_weights import noted, refuse_any_head
from scoring.neural.models import Model, loading, model_of
from scoring.neural.refusals import ModelError
from scoring.neural.vector_store import Encode, Unit, VectorStore, keep
from scoring.neural.workplace import Scored, Settings, Workplace
from shell.messages import message as _

_CHUNK = 10_000
# By the setting: the step in which a pair is read, forwards or backwards.
_ORDERS = {"target": (1,), "candidate": (-1,), "both": (1, -1)}


def score(pairs: Sequence[Pair], settings: Settings, place: Workplace) -> Scored:
    """What a cross-encoder predicts for two texts: SAS, semantic answer similarity [SAS].

    A model that reads the first text first need not say the same of the other order; the setting
    "order" says which one it reads, or whether the value is the mean of both.

    Parameters
    ----------
    pairs : sequence of Pair
    settings : dict
        As `scoring.neural.measures` defines them, complete.
    place : Workplace

    Returns
    -------
    Scored
        Values in [0, 1] after a sigmoid, otherwise on the scale that the model was trained for. Of
        both orders the figure "order_difference" is the mean absolute difference of the two.

    Raises
    ------
    models.ModelError
        If the model is not there, may not be read, has no trained weights for this, or does not
        give one number for a pair.
    packages.PackagesError
        If something must be computed, and the packages for it are missing.

    References
    ----------
    [SAS] in docs/references.md
    """
    model = model_of(settings, place)
    activation, side = str(settings["activation"]), truncation_side(settings)
    loaded = _Predictor(model, activation, side, place.batch_size)
    identity = {
        "model": model.name,
        "revision": model.revision,
        "measure": "cross_encoder",
        # What was kept without this may be what a head says that was drawn at random.
        "head": "trained",
        "activation": activation,
        "truncated": side,
    }
    orders = _ORDERS[str(settings["order"])]

    def texts(number: int) -> Unit:
        order, place_of_pair = divmod(number, len(pairs))
        return sides(pairs[place_of_pair], settings)[:: orders[order]]

    n_units = len(pairs) * len(orders)
    with VectorStore(place.store, identity) as store:
        vectors = keep(store, n_units, texts, loaded.load, place, noun="pairs")
        scores = np.full(n_units, np.nan)
        for start in range(0, n_units, _CHUNK):
            scores[start : start + _CHUNK] = store.get(vectors.keys[start : start + _CHUNK])[:, 0]
    by_order = scores.reshape(len(orders), len(pairs))
    figures: dict[str, float] = {}
    if len(orders) == 2 and len(pairs):
        figures = {"order_difference": float(np.abs(by_order[0] - by_order[1]).mean())}
    values: FloatArray = by_order.mean(axis=0)
    return Scored(
        values, loaded.device, model.revision, vectors.n_encoded, vectors.n_kept, figures
    )


class _Predictor:
    """The model, loaded when the first pair needs it."""

    def __init__(self, model: Model, activation: str, side: str, batch_size: int) -> None:
        self.model = model
        self.activation = activation
        self.truncation_side = side
        self.batch_size = batch_size
        self.device = "none"

    def load(self) -> Encode:
        library = packages.load("sentence_transformers", "torch", "transformers")
        name, self.device = packages.device()
        with loading(self.model), noted() as drawn:
            model = library.CrossEncoder(
                str(self.model.folder),
                device=name,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
                activation_fn=self._activation(),
            )
        refuse_any_head(drawn, self.model)
        if model.num_labels != 1:
            raise ModelError(
                _(
                    "The model %(name)s gives %(n)s numbers for a pair: a cross-encoder that says"
                    " how alike two texts are gives one.",
                    name=self.model.name,
                    n=model.num_labels,
                )
            )
        model.tokenizer.truncation_side = self.truncation_side

        def predict(units: Sequence[Unit]) -> npt.NDArray[np.float32]:
            predicted = model.predict(
                [list(unit) for unit in units],
                batch_size=self.batch_size,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
            return np.asarray(predicted, dtype=np.float32).reshape(len(units), 1)

        return predict

    def _activation(self) -> Any:
        layers = packages.load("torch").nn
        named = {"sigmoid": layers.Sigmoid, "identity": layers.Identity}
        # The model's own: what its settings name, else a sigmoid.
        return named[self.activation]() if self.activation in named else None
