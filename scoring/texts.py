"""Lexical statistics of texts: how long they are, and how rich in different words.

Figures of two papers can be compared only if they cut words alike, so there are two named cuts:

- ``tokens``: split at white space, as they stand: "Haus," and "Haus" differ. GiCCS counts the
  length of texts so.
- ``words``: lower-case, without digits and hyphens, and split at ASCII punctuation, too, as the
  package lexicalrichness does, from which GiCCS has its measures of diversity.

Symbols: n words, t types (different words).
"""

import importlib
import math
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from scoring.json_values import JsonObject, json_number

Cut: TypeAlias = Literal["words", "tokens"]

CUTS: dict[Cut, str] = {
    "words": "lower-case, without digits and hyphens, split at ASCII punctuation and white space",
    "tokens": "split at white space, as they stand",
}
FIGURES: dict[str, str] = {
    "n_tokens": "Tokens, split at white space, of all turns.",
    "mean_turn_length": "Tokens of a turn, the mean over turns.",
    "n_types": "Different words.",
    "rttr": "Root type-token ratio, types / sqrt(words) [Guiraud1954].",
    "mtld": (
        "Measure of textual lexical diversity [McCarthy2010]: the mean length of the stretches "
        "in which the type-token ratio comes down to .72, read forwards and backwards. Words are "
        "read on from one turn into the next."
    ),
}

# Type-token ratio that closes a stretch; [McCarthy2010] find .66 to .75 to serve.
THRESHOLD = 0.72

_LEFT_OUT = re.compile("[0-9\N{EN DASH}\N{EM DASH}-]")
_SPACED = str.maketrans(dict.fromkeys(string.punctuation, " "))
# Also what the ASCII punctuation lacks, so that the lemma of a quoted word is found.
_EDGES = string.punctuation + "„“”‚‘’«»‹›…–—¿¡"


def tokens(text: str) -> list[str]:
    """Split a text at white space."""
    return text.split()


def words(text: str) -> list[str]:
    """Cut a text into words as the package lexicalrichness does; see the module's head."""
    return _LEFT_OUT.sub("", text.lower()).translate(_SPACED).split()


def rttr(words: Sequence[str]) -> float:
    """Root type-token ratio of a text's words, t / sqrt(n); nan without a word.

    References
    ----------
    [Guiraud1954] in docs/references.md
    """
    return len(set(words)) / math.sqrt(len(words)) if words else math.nan


def mtld(words: Sequence[str], *, threshold: float = THRESHOLD) -> float:
    """Measure of textual lexical diversity: mean of both directions.

    A stretch grows word by word until its type-token ratio is at most the threshold; then it
    counts as one factor, and the next one begins. What is left at the end counts as the share of
    the way that its ratio has come from 1 down to the threshold. The measure is words / factors.

    Parameters
    ----------
    words : sequence of str, length n
    threshold : float
        Between 0 and 1.

    Returns
    -------
    float
        From 1 upwards; nan without a word. A text that repeats no word is given its length n, as
        the package lexicalrichness does: a lower bound, since it closes no stretch.

    Raises
    ------
    ValueError
        If the threshold is not between 0 and 1.

    References
    ----------
    [McCarthy2010] in docs/references.md
    """
    if not 0 < threshold < 1:
        raise ValueError(f"the threshold must lie between 0 and 1, but is {threshold:g}")
    if not words:
        return math.nan
    if len(set(words)) == len(words):
        return float(len(words))
    factors = [_factors(words, threshold), _factors(words[::-1], threshold)]
    return (len(words) / factors[0] + len(words) / factors[1]) / 2


def _factors(words: Sequence[str], threshold: float) -> float:
    factors, types, length = 0.0, set(), 0
    for word in words:
        types.add(word)
        length += 1
        if len(types) / length <= threshold:
            factors, types, length = factors + 1, set(), 0
    if length:
        factors += (1 - len(types) / length) / (1 - threshold)
    return factors


@dataclass(frozen=True, eq=False)
class LexicalStatistics:
    """Length and diversity of one text, such as a dialogue.

    Parameters
    ----------
    cut : {"words", "tokens"}
        How the words of all figures but the lengths were cut.
    n_turns : int
    n_tokens : int
        Split at white space, whatever the cut.
    mean_turn_length : float
        Tokens a turn; nan without turns.
    n_words, n_types : int
        n and t.
    rttr, mtld : float
        See `rttr` and `mtld`; nan without a word.
    reason : str or None
        Why there is no diversity.
    """

    cut: Cut
    n_turns: int
    n_tokens: int
    mean_turn_length: float
    n_words: int
    n_types: int
    rttr: float
    mtld: float
    reason: str | None = None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with their definitions."""
        return {
            "cut": self.cut,
            "n_turns": self.n_turns,
            "n_tokens": self.n_tokens,
            "mean_turn_length": json_number(self.mean_turn_length),
            "n_words": self.n_words,
            "n_types": self.n_types,
            "rttr": json_number(self.rttr),
            "mtld": json_number(self.mtld),
            "reason": self.reason,
            "definitions": {**FIGURES, "n_words": f"Words: {CUTS[self.cut]}."},
        }


def lexical_statistics(turns: Sequence[str], *, cut: Cut = "words") -> LexicalStatistics:
    """Measure a text of one or several turns (utterances, sentences).

    Parameters
    ----------
    turns : sequence of str
        A turn may be empty; its length counts as 0.
    cut : {"words", "tokens"}
        What is counted as a word; see the module's head.

    Returns
    -------
    LexicalStatistics
        Its diversity is nan, with the reason, where the turns hold no word.

    Raises
    ------
    ValueError
        If the cut is unknown, or the turns are one string.

    References
    ----------
    [GiCCS], [Guiraud1954], [McCarthy2010] in docs/references.md
    """
    if cut not in get_args(Cut):
        raise ValueError(f"cut must be one of {', '.join(get_args(Cut))}, not {cut!r}")
    if isinstance(turns, str):
        raise ValueError("turns must be a list of texts: put a single one into a list")
    n_tokens = sum(len(tokens(turn)) for turn in turns)
    split = words if cut == "words" else tokens
    all_words = [word for turn in turns for word in split(turn)]
    return LexicalStatistics(
        cut,
        len(turns),
        n_tokens,
        n_tokens / len(turns) if turns else math.nan,
        len(all_words),
        len(set(all_words)),
        rttr(all_words),
        mtld(all_words),
        None if all_words else "there are no words",
    )


@dataclass(frozen=True, eq=False)
class Lemmas:
    """The lemmas of a text and who found them.

    Parameters
    ----------
    lemmas : tuple of str
        Dictionary form of each word, in the order of the text.
    source : str
        Program and language or model with its version, such as "simplemma 2.0.0 (de)": programs
        differ, so a number of lemmas without it cannot be compared.
    """

    lemmas: tuple[str, ...]
    source: str

    @property
    def n_types(self) -> int:
        """Number of different lemmas."""
        return len(set(self.lemmas))

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {"lemmas": list(self.lemmas), "n_types": self.n_types, "source": self.source}


def lemmatise(turns: Sequence[str], *, language: str, model: str | None = None) -> Lemmas:
    """Find the lemmas of the words of a text.

    Parameters
    ----------
    turns : sequence of str
    language : str
        Code of the language, such as "de".
    model : str, optional
        Name of a spaCy model of that language to use instead of simplemma, where spaCy and the
        model are installed. It reads words in their context, and is what GiCCS used.

    Raises
    ------
    ValueError
        If simplemma does not know the language, or spaCy or its model is not installed, or the
        model is of another language.
    """
    if isinstance(turns, str):
        raise ValueError("turns must be a list of texts: put a single one into a list")
    return _by_spacy(turns, language, model) if model else _by_simplemma(turns, language)


def _by_simplemma(turns: Sequence[str], language: str) -> Lemmas:
    import simplemma  # noqa: PLC0415 - importing scoring loads numpy only

    stripped = (token.strip(_EDGES) for turn in turns for token in tokens(turn))
    try:
        # Asked once without need, so that a wrong language is found in an empty text, too.
        simplemma.lemmatize("a", lang=language, low_memory=True)
    except ValueError as error:
        raise ValueError(
            f"simplemma knows no language {language!r}: give a code such as 'de', or name a spaCy "
            "model"
        ) from error
    # The same lemmas with a fifth of the memory: 18 MB for German instead of 101.
    lemmas = tuple(
        simplemma.lemmatize(word, lang=language, low_memory=True) for word in stripped if word
    )
    return Lemmas(lemmas, f"simplemma {simplemma.__version__} ({language})")


def _by_spacy(turns: Sequence[str], language: str, model: str) -> Lemmas:
    try:
        spacy = importlib.import_module("spacy")
    except ModuleNotFoundError as error:
        raise ValueError(
            f"spaCy is not installed here, so its model {model!r} cannot be used: install both, "
            "or name no model to use simplemma"
        ) from error
    try:
        pipeline = spacy.load(model)
    except OSError as error:
        raise ValueError(
            f"the spaCy model {model!r} is not installed here: python -m spacy download {model}, "
            "or name no model to use simplemma"
        ) from error
    if pipeline.lang != language:
        raise ValueError(f"the spaCy model {model!r} is of {pipeline.lang!r}, not {language!r}")
    lemmas = tuple(
        token.lemma_
        for document in pipeline.pipe(turns)
        for token in document
        if not (token.is_punct or token.is_space)
    )
    return Lemmas(lemmas, f"spaCy {spacy.__version__} ({model} {pipeline.meta['version']})")
