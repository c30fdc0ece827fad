"""Measures that were made for machine translation and summaries: ROUGE-L, BLEU, chrF, METEOR.

A text is measured against a reference: the first text of a pair against the second one. All lie in
[0, 1]. Each package is imported where it is used, because nltk alone takes seconds.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, Protocol

from scoring.baselines.word_cuts import words
from shell.messages import message as _

BLEU_ORDER = 4

# Porter's is for English, and what papers take for any language. The others are Snowball's.
STEMMERS: Final = (
    "porter",
    "none",
    "arabic",
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "hungarian",
    "italian",
    "norwegian",
    "portuguese",
    "romanian",
    "russian",
    "spanish",
    "swedish",
)
SYNONYMS: Final = ("none", "wordnet")


def rouge_l(first: str, second: str) -> float:
    """F of the longest common subsequence of two texts' words, as the package rouge-score has it.

    Parameters
    ----------
    first, second : str
        Text and reference; since precision and recall count alike, the order is of no effect. The
        words are those of the package without its stemmer: runs of a-z and 0-9 in lower case, so
        that an umlaut splits a word, and a text in another script has none.

    Returns
    -------
    float
        2 l / (n1 + n2) of a common subsequence of l words and n1, n2 words; 0 if one has none.
        Of two texts without words, for which the package says 0, 1 if they are equal, else 0.

    References
    ----------
    [Lin2004] in docs/references.md
    """
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - importing scoring loads numpy only
    from rouge_score.tokenize import tokenize  # noqa: PLC0415 - importing scoring loads numpy only

    ours, theirs = tokenize(first, None), tokenize(second, None)
    if not (ours and theirs):
        return float(first.split() == second.split())
    # By number, since rapidfuzz compares what is not a number by its hash.
    number: dict[str, int] = {}
    numbers = [[number.setdefault(word, len(number)) for word in text] for text in (ours, theirs)]
    return 2 * LCSseq.similarity(*numbers) / (len(ours) + len(theirs))


def bleu(first: str, second: str) -> float:
    """BLEU of one text against one reference, without smoothing.

    Parameters
    ----------
    first, second : str
        Text and reference, split at white space as they stand.

    Returns
    -------
    float
        Geometric mean of the shares of the text's 1- to 4-grams that the reference has, each at
        most as often as there, times exp(1 - n2 / n1) if the text is shorter (n1 words) than the
        reference (n2). 0 without a common 4-gram, so also for equal texts of three words or less.

    References
    ----------
    [Papineni2002] in docs/references.md
    """
    ours, theirs = first.split(), second.split()
    logs = 0.0
    # From the longest ones downwards: most pairs share none, and are done.
    for length in range(BLEU_ORDER, 0, -1):
        n_shared = sum((_runs(ours, length) & _runs(theirs, length)).values())
        if not n_shared:
            return 0.0
        logs += math.log(n_shared / (len(ours) - length + 1))
    return math.exp(logs / BLEU_ORDER + min(0.0, 1 - len(theirs) / len(ours)))


def _runs(words: Sequence[str], length: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(length)), strict=False))


def chrf(first: str, second: str) -> float:
    """chrF2 of one text against one reference, as the package sacrebleu has it.

    Parameters
    ----------
    first, second : str
        Text and reference; 1- to 6-grams of their characters, without white space, case included.

    Returns
    -------
    float
        F of mean precision and mean recall over the lengths that both texts have, recall counted
        twice; 0 if a text has no character but white space.

    References
    ----------
    [Popovic2015] in docs/references.md
    """
    return float(_chrf().sentence_score(first, [second]).score) / 100


class _SentenceMetric(Protocol):
    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> "_Score": ...


class _Score(Protocol):
    score: float


@lru_cache(maxsize=1)
def _chrf() -> _SentenceMetric:
    from sacrebleu.metrics.chrf import CHRF  # noqa: PLC0415 - importing scoring loads numpy only

    metric: _SentenceMetric = CHRF()
    return metric


def meteor(first: str, second: str, *, stemmer: str = "porter", synonyms: str = "none") -> float:
    """METEOR of one text against one reference, with the stages that are asked for.

    Parameters
    ----------
    first, second : str
        Text and reference, cut by `scoring.baselines.word_cuts`.
    stemmer : str
        One of `STEMMERS`. Words are matched exactly, then what is left by its stems; with "none",
        exactly only. Porter's stemmer is made for English.
    synonyms : str
        "wordnet" matches what is still left by WordNet's synonyms, which nltk looks up by the
        stems; it is an English one and its data must be installed. METEOR as published has this
        stage, so that values without it are called so.

    Returns
    -------
    float
        (1 - 0.5 (c / m)³) · P R / (0.9 P + 0.1 R) of m matched words in c runs, precision P and
        recall R; 0 without a match. Since even one run costs something, equal texts of m words
        have 1 - 0.5 / m³. Of several ways to match, nltk's: from the end of the texts.

    Raises
    ------
    ValueError
        If there is no such stemmer, or WordNet's data are missing.

    References
    ----------
    [LavieAgarwal2007] in docs/references.md
    """
    from nltk.translate.meteor_score import single_meteor_score  # noqa: PLC0415 - numpy only on import

    return float(
        single_meteor_score(
            words(second),
            words(first),
            preprocess=str,
            stemmer=_stemmer(stemmer),
            wordnet=_synonyms(synonyms),
        )
    )


def meteor_name(stemmer: str = "porter", synonyms: str = "none") -> str:
    """Name METEOR by its stages, such as "METEOR (exact, Porter stem)"."""
    stages = ["exact"]
    if stemmer != "none":
        stages.append(f"{stemmer.title()} stem")
    if synonyms == "wordnet":
        stages.append("WordNet")
    return f"METEOR ({', '.join(stages)})"


class _Stemmer:
    """A stemmer that keeps the stems it has found: one word costs more than the rest of a pair."""

    def __init__(self, stem: Callable[[str], str]) -> None:
        self.stem = lru_cache(maxsize=100_000)(stem)


class _NoSynonyms:
    """Stands for WordNet where its stage is left out."""

    def synsets(self, word: str) -> list[object]:
        return []


_NO_SYNONYMS = _NoSynonyms()


@lru_cache
def _stemmer(name: str) -> _Stemmer:
    if name not in STEMMERS:
        raise ValueError(
            _(
                "there is no stemmer %(given)s; choose one of %(those)s",
                given=repr(name),
                those=STEMMERS,
            )
        )
    if name == "none":
        return _Stemmer(str)
    if name == "porter":
        from nltk.stem.porter import PorterStemmer  # noqa: PLC0415 - numpy only on import

        return _Stemmer(PorterStemmer().stem)
    from nltk.stem.snowball import SnowballStemmer  # noqa: PLC0415 - numpy only on import

    return _Stemmer(SnowballStemmer(name).stem)


def _synonyms(name: str) -> object:
    if name not in SYNONYMS:
        raise ValueError(
            _(
                "there are no synonyms %(given)s; choose one of %(those)s",
                given=repr(name),
                those=SYNONYMS,
            )
        )
    if name == "none":
        return _NO_SYNONYMS
    from nltk.corpus import wordnet  # noqa: PLC0415 - importing scoring loads numpy only

    try:
        wordnet.ensure_loaded()
    except LookupError:
        # Its own message is a page long.
        raise ValueError(
            _(
                "the WordNet data are missing; install them (python -m nltk.downloader "
                "wordnet), or use METEOR without synonyms"
            )
        ) from None
    except OSError as error:
        raise ValueError(
            _("the data of WordNet are not complete: %(reason)s", reason=str(error))
        ) from error
    return wordnet
