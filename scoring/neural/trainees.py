"""What can be trained: two towers, each of which reads a text, or a model that reads both."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, get_args

import numpy as np

from scoring.arrays import FloatArray
from scoring.neural import packages
from scoring.neural.bi_encoder import cosines
from scoring.neural.refusals import RequestError
from shell.messages import Message
from shell.messages import message as _

if TYPE_CHECKING:
    import torch

Kind: TypeAlias = Literal["bi_encoder", "cross_encoder"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# Of each kind the first is the usual one.
LOSSES: dict[Kind, dict[str, Message]] = {
    "bi_encoder": {
        "cosine": _("Squared difference of the score and the cosine of the two vectors [SBERT]."),
    },
    "cross_encoder": {
        "bce": _("Binary cross-entropy of the score and the sigmoid of the model's output."),
        "mse": _("Squared difference of the score and the sigmoid of the model's output."),
    },
}


class Trainee(Protocol):
    """A model that learns from pairs of texts with scores from 0 to 1."""

    module: "torch.nn.Module"

    def loss(
        self, first: Sequence[str], second: Sequence[str], scores: FloatArray
    ) -> "torch.Tensor":
        """Mean loss of some pairs."""

    def predict(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """A value of each pair, without dropout."""

    def save(self, folder: Path) -> None:
        """Write it as a folder that sentence-transformers reads."""


class BiEncoder:
    """Two towers with the same weights; their likeness is the cosine of the two vectors."""

    def __init__(self, folder: Path, *, max_length: int, loss: str) -> None:
        assert loss in LOSSES["bi_encoder"]
        self.module = _loaded("SentenceTransformer", folder, max_length=max_length)

    def loss(
        self, first: Sequence[str], second: Sequence[str], scores: FloatArray
    ) -> "torch.Tensor":
        """Squared error of the cosine, mean over pairs."""
        functions = packages.load("torch.nn.functional")
        cosine = functions.cosine_similarity(self._vectors(first), self._vectors(second))
        loss: torch.Tensor = functions.mse_loss(cosine, _tensor(scores, cosine))
        return loss

    def _vectors(self, texts: Sequence[str]) -> "torch.Tensor":
        vectors: torch.Tensor = self.module(_read(self.module, list(texts)))["sentence_embedding"]
        return vectors

    def predict(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """Cosine of the vectors of each pair, in [-1, 1]."""
        vectors = self.module.encode(
            [*first, *second], show_progress_bar=False, convert_to_numpy=True
        )
        return cosines(vectors[: len(first)], vectors[len(first) :])

    def save(self, folder: Path) -> None:
        """Write it as a folder that sentence-transformers reads."""
        self.module.save_pretrained(str(folder), create_model_card=False)


class CrossEncoder:
    """A model that reads both texts at once and gives one number, a score by its sigmoid."""

    def __init__(self, folder: Path, *, max_length: int, loss: str) -> None:
        self._loss = loss
        n_labels = _n_labels(folder)
        if n_labels not in (None, 1):
            raise RequestError(
                _(
                    "the model in %(folder)s tells %(n)s classes apart, but a score is one number:"
                    " choose a model with one output, or one without any",
                    folder=str(folder),
                    n=n_labels,
                )
            )
        self.module = _loaded("CrossEncoder", folder, max_length=max_length, num_labels=1)
        # Whatever it was before: what is trained is the sigmoid.
        self.module.activation_fn = packages.load("torch.nn").Sigmoid()

    def loss(
        self, first: Sequence[str], second: Sequence[str], scores: FloatArray
    ) -> "torch.Tensor":
        """Cross-entropy or squared error, mean over pairs."""
        functions = packages.load("torch.nn.functional")
        pairs = list(zip(first, second, strict=True))
        output = self.module(_read(self.module, pairs))["scores"].view(-1)
        aim = _tensor(scores, output)
        loss: torch.Tensor = (
            functions.binary_cross_entropy_with_logits(output, aim)
            if self._loss == "bce"
            else functions.mse_loss(output.sigmoid(), aim)
        )
        return loss

    def predict(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """Sigmoid of the output for each pair, in [0, 1]."""
        pairs = list(zip(first, second, strict=True))
        if not pairs:
            return np.zeros(0)
        predicted = self.module.predict(pairs, show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(predicted, dtype=np.float64).reshape(len(pairs))

    def save(self, folder: Path) -> None:
        """Write it as a folder that sentence-transformers reads."""
        self.module.save_pretrained(str(folder), create_model_card=False)


TRAINEES: dict[Kind, type[BiEncoder] | type[CrossEncoder]] = {
    "bi_encoder": BiEncoder,
    "cross_encoder": CrossEncoder,
}


def _loaded(name: str, folder: Path, *, max_length: int, **options: object) -> Any:
    library = packages.load("sentence_transformers", "torch", "transformers")
    device = packages.device()[0]
    model = getattr(library, name)(
        str(folder),
        device=device,
        local_files_only=True,
        trust_remote_code=False,
        # Whatever the file has: sums of many small steps need all digits.
        model_kwargs={"use_safetensors": True, "dtype": packages.load("torch").float32},
        **options,
    )
    if max_length:
        longest = model.max_seq_length
        if longest and max_length > longest:
            raise RequestError(
                _(
                    "max_length is %(given)s, but the model reads %(longest)s tokens: choose at"
                    " most as many",
                    given=str(max_length),
                    longest=longest,
                )
            )
        model.max_seq_length = max_length
    return model


def _n_labels(folder: Path) -> int | None:
    """How many outputs a model has that was made to tell classes apart; None for another one."""
    config = packages.load("transformers").AutoConfig.from_pretrained(
        folder, local_files_only=True, trust_remote_code=False
    )
    kinds = getattr(config, "architectures", None) or [""]
    return int(config.num_labels) if kinds[0].endswith("ForSequenceClassification") else None


def _read(module: Any, texts: list[Any]) -> dict[str, Any]:
    return {
        name: value.to(module.device) if hasattr(value, "to") else value
        for name, value in module.preprocess(texts).items()
    }


def _tensor(scores: FloatArray, like: "torch.Tensor") -> "torch.Tensor":
    library = packages.load("torch")
    tensor: torch.Tensor = library.tensor(scores, dtype=like.dtype, device=like.device)
    return tensor
