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
    "n_texts": "Number of texts, such as dialogues.",
    "n_turns": "Number of turns (utterances or sentences) in all texts.",
    "n_tokens": "Number of tokens in all turns; tokens are separated by white space.",
    "mean_turn_length": "Mean number of tokens in a turn.",
    "n_words": (
        "Number of words: texts are converted to lower case, digits and hyphens are removed, and"
        " words are separated by ASCII punctuation and white space."
    ),
    "n_types": "Number of different words.",
    "n_lemmas": "Number of different lemmas (dictionary forms) of tokens that contain a letter.",
    "rttr": (
        "Root type-token ratio (RTTR) of all texts read as one: number of different words divided"
        " by the square root of the number of words [Guiraud1954]."
    ),
    "mtld": (
        "Measure of textual lexical diversity (MTLD) of all texts read as one [McCarthy2010]: the "
        "mean number of words until the type-token ratio falls to .72, read forwards and"
        " backwards."
    ),
    "mean_rttr": "Mean RTTR of the texts that contain a word.",
    "mean_mtld": (
        "Mean MTLD of the texts that contain a word. For a text that repeats no word, the number"
        " of its words is used, which is a lower bound."
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
