"""The measures that need no model, by key."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from scoring.arrays import FloatArray
from scoring.baselines.pairs import Pair
from scoring.baselines.shared_words import edit_similarity, exact_match, jaccard, squad_f1
from scoring.baselines.specification import Setting
from scoring.baselines.tfidf import tfidf
from scoring.baselines.translation import (
    STEMMERS,
    SYNONYMS,
    bleu,
    chrf,
    meteor,
    meteor_name,
    rouge_l,
)
from shell.messages import Message
from shell.messages import message as _

# Pairs between two reports of progress: often enough to watch, seldom enough to cost nothing.
STRETCH = 512

Progress = Callable[[float], None]


class PairValues(Protocol):
    """Computes the values of pairs, in their order; `settings` are those of the measure."""

    def __call__(
        self, pairs: Sequence[Pair], *, progress: Progress | None = None, **settings: str
    ) -> FloatArray: ...


@dataclass(frozen=True)
class LexicalMeasure:
    """A measure of how alike two texts are that needs no model.

    Parameters
    ----------
    key : str
        By which it is asked for, such as "squad_f1".
    name : str
        As it is printed, with the default settings; a message unless it is a proper name.
    definition : Message
        One sentence or two: what it is, from which cut, and what empty texts get.
    values : PairValues
        Values in [0, 1] of a sequence of pairs, in their order.
    is_symmetric : bool
        Whether exchanging the texts changes nothing. Otherwise the second one is the reference.
    settings : dict of tuple of str
        The values that each setting takes, the default first.
    name_with : callable, optional
        The name with settings other than the default ones.
    """

    key: str
    name: str
    definition: Message
    values: PairValues
    is_symmetric: bool = True
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    name_with: Callable[..., str] | None = None

    def checked(self, settings: Mapping[str, Setting]) -> dict[str, str]:
        """The settings, with the default ones where none is given.

        Raises
        ------
        ValueError
            If there is no such setting, or it does not take the value.
        """
        for name, value in settings.items():
            if name not in self.settings:
                raise ValueError(self._no_setting(name))
            if value not in self.settings[name]:
                raise ValueError(
                    _(
                        "%(measure)s: %(setting)s is %(given)s, but may be %(those)s",
                        measure=self.key,
                        setting=name,
                        given=repr(value),
                        those=self.settings[name],
                    )
                )
        return {name: str(settings.get(name, values[0])) for name, values in self.settings.items()}

    def _no_setting(self, name: str) -> Message:
        if not self.settings:
            return _(
                "%(measure)s has no settings, so %(given)s is not possible",
                measure=self.key,
                given=repr(name),
            )
        return _(
            "%(measure)s has no setting %(given)s; it has %(those)s",
            measure=self.key,
            given=repr(name),
            those=list(self.settings),
        )

    def named(self, settings: Mapping[str, Setting]) -> str:
        """Name of the measure with these settings, in English."""
        checked = self.checked(settings)
        return str(self.name_with(**checked) if self.name_with else self.name)


def lexical_values(
    key: str,
    pairs: Sequence[Pair],
    *,
    settings: Mapping[str, Setting] | None = None,
    progress: Progress | None = None,
) -> FloatArray:
    """Compute one of the measures in `LEXICAL`.

    Parameters
    ----------
    key : str
    pairs : sequence of Pair, length n
        Texts in any language; contexts are left out of account.
    settings : dict, optional
        Of the measure (METEOR has a stemmer and synonyms).
    progress : callable, optional
        Told the share that is done, from 0 to 1, now and then and at the end.

    Returns
    -------
    float array, shape (n,)
        In [0, 1], in the order of the pairs; without pairs, empty.

    Raises
    ------
    ValueError
        If there is no such measure or setting, a text is none, or data of the setting are missing.
    """
    if key not in LEXICAL:
        raise ValueError(
            _(
                "there is no measure %(given)s; there are %(those)s",
                given=repr(key),
                those=list(LEXICAL),
            )
        )
    for place, pair in enumerate(pairs):
        for text in (pair.first, pair.second):
            if not isinstance(text, str):
                raise ValueError(f"pair {place}: {text!r} is no text")
    measure = LEXICAL[key]
    return measure.values(pairs, progress=progress, **measure.checked(settings or {}))


def _pair_by_pair(score: Callable[..., float]) -> PairValues:
    def values(
        pairs: Sequence[Pair], *, progress: Progress | None = None, **settings: str
    ) -> FloatArray:
        scores = np.empty(len(pairs))
        for place, pair in enumerate(pairs):
            scores[place] = score(pair.first, pair.second, **settings)
            if progress and place % STRETCH == STRETCH - 1:
                progress((place + 1) / len(pairs))
        if progress:
            progress(1.0)
        return scores

    return values


def _together(values_of: Callable[..., FloatArray]) -> PairValues:
    def values(
        pairs: Sequence[Pair], *, progress: Progress | None = None, **settings: str
    ) -> FloatArray:
        return values_of(pairs, progress=progress, **settings)

    return values


_MEASURES: Final = (
    LexicalMeasure(
        "squad_f1",
        "SQuAD F1",
        _(
            "F1 of the words of both texts (with repetitions), as in SQuAD's evaluation: lower "
            "case, without ASCII punctuation and without a, an, the. 1 if neither text has a "
            "word."
        ),
        _pair_by_pair(squad_f1),
    ),
    LexicalMeasure(
        "exact_match",
        _("Exact match"),
        _(
            "1 if both texts have the same words in the same order, tokenized as for SQuAD F1; "
            "otherwise 0."
        ),
        _pair_by_pair(exact_match),
    ),
    LexicalMeasure(
        "rouge_l",
        "ROUGE-L",
        _(
            "F score of the longest common subsequence of words, tokenized as in the package "
            "rouge-score without its stemmer: runs of a–z and 0–9 in lower case, so umlauts "
            "split words. If neither text has such words, 1 for equal texts and 0 otherwise."
        ),
        _pair_by_pair(rouge_l),
    ),
    LexicalMeasure(
        "bleu",
        "BLEU-4",
        _(
            "BLEU of the target (first text), with the candidate (second text) as reference: 1- "
            "to 4-grams, split at white space, brevity penalty, no smoothing. Without a common "
            "4-gram the value is 0, even for equal texts of up to three words."
        ),
        _pair_by_pair(bleu),
        is_symmetric=False,
    ),
    LexicalMeasure(
        "chrf",
        "chrF2",
        _(
            "chrF of the target (first text), with the candidate (second text) as reference, as in"
            " the package sacrebleu. It uses character 1- to 6-grams without white space. With"
            " beta = 2, recall weighs more than precision. 0 if a text is empty."
        ),
        _pair_by_pair(chrf),
        is_symmetric=False,
    ),
    LexicalMeasure(
        "meteor",
        meteor_name(),
        _(
            "METEOR of the target (first text), with the candidate (second text) as reference "
            "(nltk, alpha .9, beta 3, gamma .5). "
            "Words (runs of letters, digits and their accents, case folded) are matched "
            "exactly, then by their stems. WordNet's synonyms are used only if the name says "
            "so. 0 without a match or if a text is empty."
        ),
        _pair_by_pair(meteor),
        is_symmetric=False,
        settings={"stemmer": STEMMERS, "synonyms": SYNONYMS},
        name_with=meteor_name,
    ),
    LexicalMeasure(
        "edit_similarity",
        _("Edit similarity"),
        _(
            "1 minus the Levenshtein distance in characters divided by the length of the longer "
            "text. 1 if both texts are empty."
        ),
        _pair_by_pair(edit_similarity),
    ),
    LexicalMeasure(
        "jaccard",
        "Jaccard",
        _(
            "Share of the distinct words (runs of letters, digits and their accents, case "
            "folded) that both texts have. 1 if neither text has a word."
        ),
        _pair_by_pair(jaccard),
    ),
    LexicalMeasure(
        "tfidf",
        _("TF-IDF cosine"),
        _(
            "Cosine of the texts' vectors of word counts (runs of letters, digits and their"
            " accents, case folded), weighted with ln((1 + t) / (1 + d)) + 1 of a word in d of the"
            " t different texts of all pairs. 1 if neither has a word."
        ),
        _together(tfidf),
    ),
)
LEXICAL: Final[dict[str, LexicalMeasure]] = {measure.key: measure for measure in _MEASURES}
