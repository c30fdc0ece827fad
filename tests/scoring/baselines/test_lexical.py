import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.baselines import Pair
from scoring.baselines.lexical import LEXICAL, STRETCH, lexical_values
from scoring.measures.leaderboard import leaderboard
from tests.scoring.baselines.texts import any_texts, lists_of_pairs

REPOSITORY = Path(__file__).resolve().parents[3]
pairs_of_any_texts = st.lists(st.builds(Pair, any_texts, any_texts), max_size=4)


@pytest.fixture(scope="module")
def answers(shared_data: Path) -> list[dict[str, str]]:
    """The 425 answer pairs of GermanQuAD; every column is text."""
    file = shared_data / "answer_similarity" / "germanquad.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def table_3(shared_data: Path) -> dict[str, Any]:
    file = shared_data / "answer_similarity" / "germanquad_expected.json"
    return json.loads(file.read_text())["correlations_with_label"]


PUBLISHED = {"squad_f1": "f1", "rouge_l": "rouge_l", "bleu": "bleu"}


@pytest.mark.parametrize("key", PUBLISHED)
def test_published_values_of_all_rows(answers: list[dict[str, str]], key: str) -> None:
    pairs = [Pair(row["answer1"], row["answer2"]) for row in answers]
    published = [float(row[PUBLISHED[key]]) for row in answers]

    values = lexical_values(key, pairs)

    assert len(values) == 425
    np.testing.assert_allclose(values, published, rtol=0, atol=1e-12)


def test_published_correlations(answers: list[dict[str, str]], table_3: dict[str, Any]) -> None:
    pairs = [Pair(row["answer1"], row["answer2"]) for row in answers]
    # Three rows have no label: they are missing, and stay out.
    human = np.array([float(row["label"] or "nan") for row in answers])
    measures = {name: lexical_values(key, pairs) for key, name in PUBLISHED.items()}
    shares = measures["f1"] > 0
    subsets = {"f1_eq_0": ~shares, "f1_ne_0": shares, "all": np.ones_like(shares)}

    rows = leaderboard(human, measures, subsets=subsets)

    assert len(rows) == 9
    for row in rows:
        assert row.n == table_3[row.subset]["n"]
        for coefficient, result in row.correlations.items():
            expected = table_3[row.subset][row.measure][coefficient]
            if expected is None:
                assert np.isnan(result.value)
                assert result.reason == "all values of one of the two variables are equal"
            else:
                assert round(result.value, 3) == expected


@pytest.mark.parametrize("key", LEXICAL)
@given(lists_of_pairs() | pairs_of_any_texts)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_values_lie_between_0_and_1(key: str, pairs: list[Pair]) -> None:
    values = lexical_values(key, pairs)

    assert values.shape == (len(pairs),)
    assert values.dtype == np.float64
    assert ((values >= 0) & (values <= 1)).all()


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key, one in LEXICAL.items() if one.is_symmetric])
@given(lists_of_pairs() | pairs_of_any_texts)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_the_order_of_texts_is_of_no_effect_where_that_is_said(
    key: str, pairs: list[Pair]
) -> None:
    swapped = [Pair(pair.second, pair.first) for pair in pairs]

    np.testing.assert_allclose(
        lexical_values(key, pairs), lexical_values(key, swapped), rtol=0, atol=1e-12
    )


def test_the_others_tell_the_reference_from_the_text() -> None:
    pair = ("das rote Haus am See brennt", "das rote Haus am See brennt noch immer")

    for measure in LEXICAL.values():
        there, back = lexical_values(measure.key, [Pair(*pair), Pair(*pair[::-1])])
        assert (there == back) == measure.is_symmetric, measure.key


@pytest.mark.parametrize("key", LEXICAL)
@given(any_texts)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_equal_texts_are_as_alike_as_can_be(key: str, text: str) -> None:
    (value,) = lexical_values(key, [Pair(text, text)])

    if key == "bleu":
        assert value == (1 if len(text.split()) > 3 else 0)
    elif key == "chrf":
        assert value == pytest.approx(1 if text.split() else 0)
    elif key == "meteor":
        # A single run costs something, too.
        assert value == 0 or 0.5 <= value < 1
    else:
        assert value == pytest.approx(1)


@pytest.mark.parametrize("key", LEXICAL)
def test_words_that_other_programs_take_for_missing_are_texts(key: str) -> None:
    pairs = [Pair("None", "None"), Pair("None", "nan"), Pair("false", "0")]

    same, other, number = lexical_values(key, pairs)

    assert same == {"bleu": 0, "meteor": 0.5}.get(key, pytest.approx(1))
    assert other < 0.5
    assert number == 0


@pytest.mark.parametrize("key", LEXICAL)
def test_progress_comes_to_its_end(key: str) -> None:
    shares: list[float] = []
    pairs = [Pair("ein Haus", "das Haus")] * (2 * STRETCH + 1)

    values = lexical_values(key, pairs, progress=shares.append)

    assert len(shares) > 2
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert values.tolist() == lexical_values(key, pairs).tolist()
    lexical_values(key, [], progress=shares.append)
    assert shares[-1] == 1


def test_measures_tell_what_they_are() -> None:
    assert list(LEXICAL) == [
        *("squad_f1", "exact_match", "rouge_l", "bleu", "chrf"),
        *("meteor", "edit_similarity", "jaccard", "tfidf"),
    ]
    for key, measure in LEXICAL.items():
        assert measure.key == key
        assert measure.named({}) == measure.name
        assert measure.definition.endswith(".")
        assert ("as reference" in measure.definition) != measure.is_symmetric


def test_settings_are_those_of_the_measure() -> None:
    pairs = [Pair("Kinder spielten", "Kind spielt")]

    assert lexical_values("meteor", pairs, settings={"stemmer": "german"}) == [1 - 0.5 / 8]
    assert LEXICAL["meteor"].named({"stemmer": "german"}) == "METEOR (exact, German stem)"
    assert LEXICAL["meteor"].checked({"stemmer": "porter"}) == LEXICAL["meteor"].checked({})
    assert LEXICAL["bleu"].checked({}) == {}


@pytest.mark.parametrize(
    ("key", "setting", "expected"),
    [
        ("f1", {}, "there is no measure 'f1'; there are squad_f1, exact_match, rouge_l, bleu,"),
        ("bleu", {"order": 2}, "bleu has no settings, so 'order'"),
        ("meteor", {"language": "de"}, "has no setting 'language'; it has stemmer, synonyms"),
        ("meteor", {"stemmer": "czech"}, "meteor: stemmer is 'czech', but may be porter, none,"),
    ],
)
def test_what_there_is_not_is_refused(
    key: str, setting: dict[str, str | int], expected: str
) -> None:
    with pytest.raises(ValueError, match=expected):
        lexical_values(key, [], settings=setting)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ValueError, match="pair 1: nan is no text"):
        lexical_values("jaccard", [Pair("a", "b"), Pair("a", float("nan"))])


def test_importing_the_measures_loads_none_of_their_packages() -> None:
    heavy = ["scipy", "nltk", "sacrebleu", "rouge_score", "rapidfuzz", "torch", "pandas"]
    program = (
        "import sys, scoring.baselines.lexical\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"
