"""BERTScore: the tokens of two texts matched by the cosine of their vectors in one layer."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.baselines import Pair
from scoring.neural import packages
from scoring.neural.drawn_weights import but_for_a_pooler, lacking, refuse_any
from scoring.neural.models import Model, loading, model_of
from scoring.neural.refusals import ModelError
from scoring.neural.vector_store import Encode, Unit, VectorStore, keep
from scoring.neural.workplace import Scored, Settings, Workplace
from shell.messages import Message
from shell.messages import message as _

LAST = -1
# Where neither tokenizer nor model says how much they read: what BERT reads.
_LONGEST = 512
# A tokenizer that sets no limit says so by a number that its own code cannot take.
_NO_LIMIT = 1_000_000
_CHUNK = 10_000


def score(
    pairs: Sequence[Pair], settings: Settings, place: Workplace, *, every_layer: bool = False
) -> Scored:
    """F1 of BERTScore, without rescaling [BERTScore].

    Tokens count alike, or by their inverse document frequency in the different texts of all pairs.

    Parameters
    ----------
    pairs : sequence of Pair
    settings : dict
        As `scoring.neural.measures` defines them, complete.
    place : Workplace
    every_layer : bool
        Whether to compute all layers in one pass; the values are still those of the one asked
        for. It needs the memory of a batch once for each layer.

    Returns
    -------
    Scored
        Values in [-1, 1]; nan where a text has no token. The figure "without_tokens" counts them.

    Raises
    ------
    models.ModelError
        If the model is not there, may not be read, lacks weights, or has no such layer.
    packages.PackagesError
        If the packages are missing.

    References
    ----------
    [BERTScore], [SAS] in docs/references.md
    """
    model = model_of(settings, place)
    layer = int(settings["layer"])
    # Of inverse document frequencies, which no other texts may share.
    documents: list[str] = []
    if settings["idf"]:
        every = {text for pair in pairs for text in (pair.first, pair.second)}
        documents = sorted(text for text in every if text.strip())
    loaded = _Matcher(model, layer, every_layer, place.batch_size, documents)
    identity = {
        "model": model.name,
        "revision": model.revision,
        "measure": "bertscore",
        "layer": "every" if every_layer else layer,
    }
    if documents:
        identity["idf"] = hashlib.sha256(json.dumps(documents).encode()).hexdigest()
    # Empty texts have no tokens, and the package fails on them.
    numbers = [i for i, p in enumerate(pairs) if p.first.strip() and p.second.strip()]

    def texts(number: int) -> Unit:
        pair = pairs[numbers[number]]
        return pair.first, pair.second

    with VectorStore(place.store, identity) as store:
        vectors = keep(store, len(numbers), texts, loaded.load, place, noun="pairs")
        scores = [
            store.get(vectors.keys[start : start + _CHUNK])
            for start in range(0, len(numbers), _CHUNK)
        ]
    rows = np.concatenate(scores).astype(np.float64) if scores else np.empty((0, 1))
    # The package gives texts without tokens 0, which no other text reaches.
    rows[rows == 0] = np.nan
    layers = np.full((len(pairs), rows.shape[1]), np.nan)
    layers[numbers] = rows
    if every_layer and not -rows.shape[1] <= layer < rows.shape[1]:
        raise ModelError(_no_such_layer(model, layer, rows.shape[1] - 1))
    values = layers[:, layer if every_layer else 0]
    return Scored(
        values,
        loaded.device,
        model.revision,
        vectors.n_encoded,
        vectors.n_kept,
        {"without_tokens": int(np.isnan(values).sum())},
        layers if every_layer else None,
    )


def _no_such_layer(model: Model, layer: int, n_layers: int) -> Message:
    return _(
        "The model %(name)s has the layers 1 to %(most)s, and no layer %(layer)s.",
        name=model.name,
        most=n_layers,
        layer=layer,
    )


class _Matcher:
    """The model, loaded when the first pair needs it."""

    def __init__(
        self,
        model: Model,
        layer: int,
        every_layer: bool,
        batch_size: int,
        documents: Sequence[str],
    ) -> None:
        self.model = model
        self.layer = layer
        self.every_layer = every_layer
        self.batch_size = batch_size
        # From which tokens have their weights; none: all count the same.
        self.documents = documents
        self.device = "none"

    def load(self) -> Encode:
        library = packages.load("transformers", "torch")
        package = packages.load("bert_score.utils")
        name, self.device = packages.device()
        with loading(self.model):
            model = self._model(library).to(name).eval()
            tokenizer = self._tokenizer(library, model)
        weights: defaultdict[int, float] = defaultdict(lambda: 1.0)
        if self.documents:
            # In this process: others would read the tokenizer anew.
            weights = package.get_idf_dict(list(self.documents), tokenizer, nthreads=0)
        # As the package does without weights: all count the same, and markers nothing.
        weights[tokenizer.sep_token_id] = 0.0
        weights[tokenizer.cls_token_id] = 0.0

        def match(units: Sequence[Unit]) -> npt.NDArray[np.float32]:
            matched = package.bert_cos_score_idf(
                model,
                [unit[0] for unit in units],
                [unit[1] for unit in units],
                tokenizer,
                weights,
                batch_size=self.batch_size,
                device=name,
                all_layers=self.every_layer,
            )
            f1: npt.NDArray[np.float32] = matched.cpu().numpy()[..., 2]
            return f1.T if self.every_layer else f1.reshape(len(units), 1)

        return match

    def _model(self, library: Any) -> Any:
        options = {"local_files_only": True, "trust_remote_code": False}
        settings = library.AutoConfig.from_pretrained(str(self.model.folder), **options)
        if self.layer != LAST:
            # Before anything is computed: of many pairs, all layers take long.
            if not 1 <= self.layer <= settings.num_hidden_layers:
                raise ModelError(
                    _no_such_layer(self.model, self.layer, settings.num_hidden_layers)
                )
            if not self.every_layer:
                # Later layers are neither loaded nor computed.
                settings.num_hidden_layers = self.layer
        model, loading = library.AutoModel.from_pretrained(
            str(self.model.folder),
            config=settings,
            use_safetensors=True,
            output_loading_info=True,
            **options,
        )
        drawn = but_for_a_pooler(lacking(model, loading))
        # Of a model that also writes, the half that reads.
        is_half = hasattr(model, "decoder") and hasattr(model, "encoder")
        if is_half:
            drawn = [each for each in drawn if not each.name.startswith("decoder.")]
        refuse_any(drawn, self.model)
        return model.encoder if is_half else model

    def _tokenizer(self, library: Any, model: Any) -> Any:
        tokenizer = library.AutoTokenizer.from_pretrained(
            str(self.model.folder), local_files_only=True, trust_remote_code=False
        )
        if tokenizer.model_max_length > _NO_LIMIT:
            longest = getattr(model.config, "max_position_embeddings", None) or _LONGEST
            # Models of RoBERTa's family give two of their positions to padding.
            tokenizer.model_max_length = longest - 2
        return tokenizer
