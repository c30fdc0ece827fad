"""How texts are cut into words for the measures whose packages or papers prescribe no cut.

A word is a run of letters, marks and digits of any script; everything else parts words. Case is
folded ("STRASSE" and "Straße" are one word) and composed and decomposed letters are one ("é").
Scripts that write no spaces, such as Chinese or Thai, are cut at their punctuation only.
"""

import unicodedata

CUT = "runs of letters, marks and digits, case folded"


class _Parting(dict[int, int]):
    """Each character to itself, or to a space where it parts words; filled as characters occur."""

    def __missing__(self, code: int) -> int:
        # Letters, marks and digits. str.isalnum would not know the marks, such as vowel signs.
        is_kept = unicodedata.category(chr(code))[0] in "LMN"
        self[code] = code if is_kept else ord(" ")
        return self[code]


_PARTING = _Parting()


def words(text: str) -> list[str]:
    """Cut a text into words, see the module's head; empty where it has none."""
    return unicodedata.normalize("NFC", text.casefold()).translate(_PARTING).split()
