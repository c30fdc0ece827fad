"""Texts in which words meet again, for tests of measures between texts."""

from hypothesis import strategies as st

from scoring.baselines import Pair

# The first "é" is two characters, the second one.
PIECES = [
    *("a", "the", "Haus", "Häuser", "Hauses", "über", "None", "nan", "false", "7", "1,5", "b,"),
    *("b", "—", "!", "naïve", "e\u0301", "é", "日本", "है", "x-y", "ß", "SS"),
]

texts = st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join)
any_texts = st.one_of(texts, st.text(max_size=12))


@st.composite
def lists_of_pairs(draw: st.DrawFn) -> list[Pair]:
    """Pairs whose texts recur in other pairs."""
    some = draw(st.lists(texts, min_size=1, max_size=6))
    of = st.sampled_from(some)
    return draw(st.lists(st.builds(Pair, of, of), max_size=8))
