"""Lexical statistics of several texts: the columns of a table of a data set's texts.

Two figures of diversity are in use, and papers seldom say which one they print: that of all texts
read as one, which grows with the number of texts, and the mean over texts. Both are given.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.json_values import JsonObject, json_number
from scoring.texts.texts import lemmatise, mtld, rttr, tokens, words

CORPUS_FIGURES: dict[str, str] = {
    "n_texts": "Texts, such as dialogues.",
    "n_turns": "Turns (utterances, sentences) of all texts.",
    "n_tokens": "Tokens, split at white space, of all turns.",
    "mean_turn_length": "Tokens of a turn, the mean over all turns.",
    "n_words": (
        "Words: lower-case, without digits and hyphens, split at ASCII punctuation and white"
        " space."
    ),
    "n_types": "Different words.",
    "n_lemmas": "Different lemmas (dictionary forms) of tokens that have a letter.",
    "rttr": (
        "Root type-token ratio, types / sqrt(words) [Guiraud1954], of all texts read as one."
    ),
    "mtld": (
        "Measure of textual lexical diversity [McCarthy2010]: the mean length of the stretches "
        "in which the type-token ratio comes down to .72, read forwards and backwards. Words are "
        "read on from one turn into the next, and from one text into the next."
    ),
    "mean_rttr": "RTTR of each text, the mean over the texts that have a word.",
    "mean_mtld": (
        "MTLD of each text, the mean over the texts that have a word; of a text that repeats no"
        " word its number of words, a lower bound."
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredText:
    """What a text adds to the statistics of several.

    Parameters
    ----------
    n_turns, n_tokens : int
    words : tuple of str, length n
        Cut by `scoring.texts.texts.words`, in the order of the text.
    lemmas : tuple of str or None
        Dictionary forms of its tokens that have a letter; None if they were not looked up.
    rttr, mtld : float
        Of this text alone; nan without a word.
    """

    n_turns: int
    n_tokens: int
    words: tuple[str, ...]
    lemmas: tuple[str, ...] | None
    rttr: float
    mtld: float


def measure_text(turns: Sequence[str], *, language: str | None = None) -> MeasuredText:
    """Measure one text of one or several turns.

    Parameters
    ----------
    turns : sequence of str
    language : str, optional
        Code of the language, such as "de", in which lemmas are looked up. None: no lemmas.

    Raises
    ------
    ValueError
        If the turns are one string, or simplemma does not know the language.
    """
    if isinstance(turns, str):
        raise ValueError("turns must be a list of texts: put a single one into a list")
    # Each word is stored once, however often the texts of a study repeat it.
    text_words = tuple(sys.intern(word) for turn in turns for word in words(turn))
    lemmas = None
    if language is not None:
        # Numbers are no words here either, so that types and lemmas can be compared.
        lemmas = tuple(
            sys.intern(lemma)
            for lemma in lemmatise(turns, language=language).lemmas
            if any(map(str.isalpha, lemma))
        )
    return MeasuredText(
        n_turns=len(turns),
        n_tokens=sum(len(tokens(turn)) for turn in turns),
        words=text_words,
        lemmas=lemmas,
        rttr=rttr(text_words),
        mtld=mtld(text_words),
    )


@dataclass(frozen=True, eq=False)
class CorpusStatistics:
    """Length and diversity of several texts.

    Parameters
    ----------
    n_texts, n_turns, n_tokens, n_words, n_types : int
        Sums over the texts; of types the different words of all of them.
    n_lemmas : int or None
        Different lemmas; None if the texts were measured without.
    rttr, mtld : float
        Of all texts read as one, in their order; nan without a word.
    mean_rttr, mean_mtld : float
        Mean over the texts that have a word; nan if none has.
    """

    n_texts: int
    n_turns: int
    n_tokens: int
    n_words: int
    n_types: int
    n_lemmas: int | None
    rttr: float
    mtld: float
    mean_rttr: float
    mean_mtld: float

    @property
    def mean_turn_length(self) -> float:
        """Tokens a turn; nan without turns."""
        return self.n_tokens / self.n_turns if self.n_turns else math.nan

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, in the order of `CORPUS_FIGURES`."""
        figures = {name: getattr(self, name) for name in CORPUS_FIGURES}
        return {
            name: json_number(value) if isinstance(value, float) else value
            for name, value in figures.items()
        }


def corpus_statistics(texts: Sequence[MeasuredText]) -> CorpusStatistics:
    """Put the statistics of several texts together.

    Parameters
    ----------
    texts : sequence of MeasuredText
        In the order in which they are read on from one into the next.

    References
    ----------
    [GiCCS], [Guiraud1954], [McCarthy2010] in docs/references.md
    """
    all_words = [word for text in texts for word in text.words]
    spoken = [text for text in texts if text.words]
    has_lemmas = bool(texts) and all(text.lemmas is not None for text in texts)
    return CorpusStatistics(
        n_texts=len(texts),
        n_turns=sum(text.n_turns for text in texts),
        n_tokens=sum(text.n_tokens for text in texts),
        n_words=len(all_words),
        n_types=len(set(all_words)),
        n_lemmas=len({lemma for text in texts for lemma in text.lemmas or ()})
        if has_lemmas
        else None,
        rttr=rttr(all_words),
        mtld=mtld(all_words),
        mean_rttr=_mean([text.rttr for text in spoken]),
        mean_mtld=_mean([text.mtld for text in spoken]),
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
