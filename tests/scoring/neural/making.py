"""Tiny models with random weights, made on the spot, and what tests of measures share."""

import json
import random
from pathlib import Path
from typing import Any

from scoring.baselines import Pair, Specification
from scoring.neural.requests import score
from scoring.neural.workplace import Scored, Workplace

# fmt: off
WORDS = [
    "a", "an", "the", "is", "are", "was", "not", "it", "he", "she", "we", "you", "and", "or",
    "but", "in", "on", "at", "of", "to", "from", "with", "man", "woman", "child", "dog",
    "cat", "train", "bus", "house", "sun", "rain", "noon", "night", "food", "meal", "book",
    "eats", "drinks", "reads", "sees", "runs", "comes", "goes", "sleeps", "late", "early",
    "today", "tomorrow", "here", "there", "again", "big", "small", "old", "new", "good",
    "bad", "red", "blue",
]
# fmt: on


def _tokenizer(special: dict[str, str], folder: Path, **options: Any) -> Any:
    """Of a model that writes, it puts no markers around a text."""
    from tokenizers import BertWordPieceTokenizer, Tokenizer
    from tokenizers.decoders import WordPiece as Decoder
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from transformers import PreTrainedTokenizerFast

    # Any word in small letters can be written; those above are one token.
    letters = "abcdefghijklmnopqrstuvwxyzäöüß0123456789.,?!'"
    pieces = [*special.values(), *letters, *(f"##{letter}" for letter in letters), *WORDS]
    vocabulary = {piece: n for n, piece in enumerate(dict.fromkeys(pieces))}
    if "cls_token" in special:
        made = BertWordPieceTokenizer(vocabulary, strip_accents=False)
    else:
        made = Tokenizer(WordPiece(vocabulary, unk_token=special["unk_token"]))
        made.normalizer = BertNormalizer(strip_accents=False)
        made.pre_tokenizer = BertPreTokenizer()
        made.decoder = Decoder()
    folder.mkdir(parents=True)
    made.save(str(folder / "tokenizer.json"))
    return PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"), **special, **options
    )


_BERT = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}


def make_bert(folder: Path, *, n_labels: int = 0) -> None:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel

    tokenizer = _tokenizer(_BERT, folder, model_max_length=64)
    settings = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=37,
        max_position_embeddings=64,
        # Random weights of the usual size would give all texts nearly the same vector.
        initializer_range=0.3,
        pad_token_id=tokenizer.pad_token_id,
        **({"num_labels": n_labels} if n_labels else {}),
    )
    torch.manual_seed(0)
    kind = BertForSequenceClassification if n_labels else BertModel
    kind(settings).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def make_causal(folder: Path) -> None:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    special = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "[UNK]", "pad_token": "[PAD]"}
    tokenizer = _tokenizer(special, folder, model_max_length=256)
    settings = GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=256,
        n_embd=32,
        n_layer=2,
        n_head=2,
        initializer_range=0.3,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(0)
    GPT2LMHeadModel(settings).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def drop_weights(folder: Path, *beginnings: str) -> None:
    """Take weights out of a model's files, as if they had never been trained."""
    from safetensors.torch import load_file, save_file

    file = folder / "model.safetensors"
    whole = load_file(file)
    kept = {name: value for name, value in whole.items() if not name.startswith(beginnings)}
    assert len(kept) < len(whole)
    save_file(kept, file, metadata={"format": "pt"})


class ModelFiles:
    """The files of a model that looks right; tests put something wrong beside them."""

    def __init__(self, models: Path) -> None:
        self.models = models
        self.folder = models / "some-model"
        self.write("config.json", {"model_type": "bert"})
        self.write("model.safetensors", b"weights")

    def write(self, name: str, content: Any) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        is_raw = isinstance(content, bytes)
        path.write_bytes(content if is_raw else json.dumps(content).encode())
        return path


def scored(
    measure: str,
    settings: dict[str, Any],
    pairs: list[Pair],
    models: Path | None,
    store: Path,
    **options: Any,
) -> Scored:
    """The values of a measure, as the command computes them."""
    every_layer = options.pop("every_layer", False)
    place = Workplace(models, store, **options)
    return score(pairs, Specification(measure, settings), place, every_layer=every_layer)


def some_pairs(n: int, *, seed: int = 1) -> list[Pair]:
    """Pairs of made-up sentences of different lengths; every third first text is the same."""
    rng = random.Random(seed)

    def sentence() -> str:
        return " ".join(rng.choices(WORDS, k=rng.randint(3, 14)))

    same = sentence()
    return [Pair(same if i % 3 == 0 else sentence(), sentence()) for i in range(n)]
