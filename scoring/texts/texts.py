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

from scoring.json_values import JsonObject

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
