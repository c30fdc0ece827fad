"""Bi-encoders: the cosine of the vectors that a model gives each of two texts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scoring.arrays import FloatArray
from scoring.baselines import Pair
from scoring.neural import packages
from scoring.neural.contexts import sides, truncation_side
from scoring.neural.drawn_weights import but_for_a_pooler, noted, refuse_any
from scoring.neural.models import Model, loading, model_of
from scoring.neural.vector_store import Encode, StoredUnits, Unit, Vectors, VectorStore, keep
from scoring.neural.workplace import Scored, Settings, Workplace

# Pairs whose vectors are in memory at once.
_CHUNK = 1024


def score(pairs: Sequence[Pair], settings: Settings, place: Workplace) -> Scored:
    """Cosine of the two texts' embeddings [SBERT].

    Each different text, with what is put in front of it, is encoded once for a model and revision
    and kept. Memory is bounded by the batch, beside the pairs themselves and 100 bytes for each
    text.

    Parameters
    ----------
    pairs : sequence of Pair
    settings : dict
        As `scoring.neural.measures` defines them, complete.
    place : Workplace

    Returns
    -------
    Scored
        Values in [-1, 1]; nan where a vector is zero or not finite.

    Raises
    ------
    models.ModelError
        If the model is not there, may not be read, or lacks weights.
    packages.PackagesError
        If something must be encoded, and the packages for it are missing.

    References
    ----------
    [SBERT] in docs/references.md
    """
    model = model_of(settings, place)
    side = truncation_side(settings)
    encoder = Encoder(model, side, place.batch_size)
    identity = {"model": model.name, "revision": model.revision, "truncated": side}
    with VectorStore(place.store, identity) as store:
        values, vectors = similarities(pairs, settings, store, encoder, place)
    return Scored(values, encoder.device, model.revision, vectors.n_encoded, vectors.n_kept)


def similarities(
    pairs: Sequence[Pair],
    settings: Settings,
    store: VectorStore,
    encoder: "Encoder",
    place: Workplace,
) -> tuple[FloatArray, StoredUnits]:
    """Cosines of pairs, by the vectors of a store and those that it lacks.

    Parameters
    ----------
    pairs, settings, place
        As `score` takes them.
    store : VectorStore
    encoder : Encoder
        Not loaded where no text is lacking.
    """

    def text(number: int) -> Unit:
        return (sides(pairs[number // 2], settings)[number % 2],)

    stored = keep(store, 2 * len(pairs), text, encoder.load, place, lengths=encoder.lengths)
    values = np.full(len(pairs), np.nan)
    for start in range(0, len(pairs), _CHUNK):
        vectors = store.get(stored.keys[2 * start : 2 * (start + _CHUNK)])
        values[start : start + _CHUNK] = cosines(vectors[::2], vectors[1::2])
    return values, stored


def cosines(first: Vectors, second: Vectors) -> FloatArray:
    """Cosine of each row of one array with the same row of another; nan for a zero vector."""
    a, b = first.astype(np.float64), second.astype(np.float64)
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    products = np.einsum("ij,ij->i", a, b)
    cosine: FloatArray = np.full(len(a), np.nan)
    np.divide(products, lengths, out=cosine, where=lengths > 0)
    # Rounding may lead a little beyond 1.
    np.clip(cosine, -1.0, 1.0, out=cosine)
    return cosine


class Encoder:
    """The model, loaded when the first text needs it."""

    def __init__(self, model: Model, truncation_side: str, batch_size: int) -> None:
        self.model = model
        self.truncation_side = truncation_side
        self.batch_size = batch_size
        self.device = "none"
        self._model: Any = None

    def load(self) -> Encode:
        if self._model is None:
            self._model = self._loaded()
        return self._encode

    def lengths(self, units: Sequence[Unit]) -> list[int]:
        """The tokens of each text as far as the model reads it; characters where it has no tokens.

        Texts of as many characters may have twice as many tokens, which is as much padding.
        """
        tokenizer = getattr(self._model, "tokenizer", None)
        texts = [text for (text,) in units]
        if not isinstance(tokenizer, packages.load("transformers").PreTrainedTokenizerBase):
            return [len(text) for text in texts]
        encoded = tokenizer(texts, truncation=True, max_length=self._model.max_seq_length)
        return [len(ids) for ids in encoded["input_ids"]]

    def _loaded(self) -> Any:
        library = packages.load("sentence_transformers", "torch", "transformers")
        name, self.device = packages.device()
        with loading(self.model), noted() as drawn:
            model = library.SentenceTransformer(
                str(self.model.folder),
                device=name,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )
        refuse_any(but_for_a_pooler(drawn), self.model)
        if (tokenizer := getattr(model, "tokenizer", None)) is not None:
            tokenizer.truncation_side = self.truncation_side
        return model

    def _encode(self, units: Sequence[Unit]) -> Vectors:
        vectors: Vectors = self._model.encode(
            [text for (text,) in units],
            batch_size=self.batch_size,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return vectors
