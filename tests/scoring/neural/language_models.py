"""Tiny causal language models with random weights, made on the spot."""

from pathlib import Path
from typing import Any

CORPUS = [
    "Read the beginning of a conversation and the utterance that follows it.",
    "Welcher der folgenden Sätze hat am ehesten dieselbe Bedeutung wie die Äußerung?",
    "Gespräch Äußerung Antwort Kommst du heute Abend mit ins Kino?",
    "A) B) C) D) E) - Ja, gern. Nein, leider nicht.",
]


def tiny_tokenizer(kind: str = "bytes") -> Any:
    """A tokenizer that joins blanks with the word that follows ("bytes"), or one by characters."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    if kind == "bytes":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
    else:
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
        made.decoder = decoders.Metaspace()
        alphabet = sorted(set("".join(CORPUS)))
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<s>"], initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(CORPUS, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<s>")


def save_tiny_language_model(folder: Path, *, window: int = 256, seed: int = 0) -> Path:
    """Write a GPT-2 of one layer with its tokenizer to a folder."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    tokenizer = tiny_tokenizer()
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=window,
        n_embd=32,
        n_layer=1,
        n_head=2,
        # Far from uniform, so that errors show.
        initializer_range=0.5,
        bos_token_id=0,
        eos_token_id=0,
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.model_max_length = window
    tokenizer.save_pretrained(folder)
    return folder
