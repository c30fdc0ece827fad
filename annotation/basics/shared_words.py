"""Which words of one text stand in another: the same word form, however it is written.

Case and diacritics are folded: "Židle" is "zidle". Words that say nothing of the matter, such as
articles and prepositions, are left out in the languages that have a list of them here.
"""

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby

from annotation.basics.stop_words import STOP_WORDS
from shell.normal_forms import normal_form

# A longer "word" is a text without spaces, or nonsense: the cache does not keep it.
_MAX_CACHED_CHARS = 100


@dataclass(frozen=True)
class Part:
    """A piece of a text, such as a word or what stands between two."""

    text: str
    is_shared: bool


def folded(word: str) -> str:
    """A word form without case and diacritics."""
    spelled = normal_form("NFKD", word.casefold())
    return "".join(char for char in spelled if not unicodedata.combining(char))


_fold_cached = lru_cache(maxsize=20_000)(folded)


def _fold(word: str) -> str:
    return folded(word) if len(word) > _MAX_CACHED_CHARS else _fold_cached(word)


@cache
def _stop_words(language: str) -> frozenset[str]:
    base = language.split("-", maxsplit=1)[0].lower()
    return frozenset(map(_cased, STOP_WORDS.get(base, ())))


def _cased(word: str) -> str:
    # Diacritics tell a stop word from another: "být" (to be) and "byt" (a flat).
    return normal_form("NFC", word.casefold())


@lru_cache(maxsize=4096)
def _is_of_word(char: str) -> bool:
    # A mark stands on the letter before it, where that is written as two characters.
    return char.isalnum() or unicodedata.category(char).startswith("M")


def words_of(text: str, language: str) -> set[str]:
    """The folded words of a text that say something of the matter."""
    left_out = _stop_words(language)
    pieces = ("".join(piece) for is_word, piece in groupby(text, _is_of_word) if is_word)
    return {_fold(word) for word in pieces if _cased(word) not in left_out}


def marked(text: str, words: Collection[str], language: str) -> list[Part]:
    """The text in parts, of which those are shared that are one of the (folded) words.

    Put together the parts are the text as it was. Neighbours of one kind are one part.
    """
    left_out = _stop_words(language)
    pieces = [
        (is_word and _fold(piece) in words and _cased(piece) not in left_out, piece)
        for is_word, letters in groupby(text, _is_of_word)
        for piece in ["".join(letters)]
    ]
    return [
        Part("".join(piece for _shared, piece in run), is_shared)
        for is_shared, run in groupby(pieces, lambda piece_pair: piece_pair[0])
    ]
