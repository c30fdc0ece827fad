"""How texts are cut into words where no package or paper prescribes it.

Scripts that write no spaces, such as Chinese or Thai, are cut at their punctuation only.
"""

from shell.normal_forms import normal_form

WORDS = (
    "Words are runs of letters, digits and their accents, in whatever case; an apostrophe between "
    "letters is part of the word."
)

_PATTERN = r"[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*"


def words(text: str) -> list[str]:
    """Cut a text into words, in their order; see `WORDS`."""
    import regex  # type: ignore[import-untyped]  # noqa: PLC0415 - importing loads numpy only

    # Composed, so that an accent written apart makes no other word.
    plain = normal_form("NFC", text.casefold())
    return [word.replace("’", "'") for word in regex.findall(_PATTERN, plain)]


def words_of(text: str) -> set[str]:
    """The different words of a text; see `WORDS`."""
    return set(words(text))
