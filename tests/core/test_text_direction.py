"""A text is written in the direction of most of its letters, not of the first one."""

import pytest

from annotation.basics.text_direction import text_direction


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("", "ltr"),
        ("42 … 7 %", "ltr"),
        ("Guten Tag", "ltr"),
        ("سلام heißt auf Deutsch Frieden.", "ltr"),
        ("שלום is the word for peace.", "ltr"),
        ("قيل لنا أمس إن الإفطار يُقدَّم حتى الساعة العاشرة.", "rtl"),
        ("WLAN غير متاح في هذه الغرفة اليوم", "rtl"),
        ("Email נשלח אליך אתמול בערב", "rtl"),
        # Arabic digits and vowel signs are no letters.
        ("١٢٣٤٥٦٧٨٩ ab", "ltr"),
        # As many of both: the pages are written from left to right.
        ("ab אב", "ltr"),
    ],
)
def test_most_letters_decide(text: str, direction: str) -> None:
    assert text_direction(text) == direction
