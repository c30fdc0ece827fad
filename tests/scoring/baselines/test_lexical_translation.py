import math
from collections import Counter
from pathlib import Path

import nltk
import pytest
from hypothesis import assume, example, given, settings
from nltk.corpus import wordnet
from rouge_score import tokenize
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

from scoring.baselines.translation import STEMMERS, bleu, chrf, meteor, meteor_name, rouge_l
from tests.scoring.baselines.texts import any_texts, texts

SACREBLEU = BLEU(tokenize="none", smooth_method="none", effective_order=False)
many = settings(max_examples=150, deadline=None, derandomize=True)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # "the ... sat on mat": 4 of 5 and of 6 words
        ("the dog sat on mat", "The cat sat on the mat.", 2 * 4 / 11),
        # an umlaut splits: h, user | h, user, n
        ("Häuser", "Häusern", 2 * 1 / 4),
        ("a b c", "c b a", 2 * 1 / 6),
        ("None", "nan", 0.0),
        ("", "", 1.0),
        ("", " ", 1.0),
        ("", "a", 0.0),
        ("日本", "日本", 1.0),
        ("日本", "中文", 0.0),
        ("日本", "日本 a", 0.0),
    ],
)
def test_rouge_l(first: str, second: str, expected: float) -> None:
    assert rouge_l(first, second) == pytest.approx(expected, abs=1e-15)


@given(any_texts, any_texts)
@many
def test_rouge_l_is_that_of_its_package(first: str, second: str) -> None:
    assume(tokenize.tokenize(first, None) or tokenize.tokenize(second, None))

    theirs = RougeScorer(["rougeL"]).score(target=second, prediction=first)["rougeL"]

    assert rouge_l(first, second) == pytest.approx(theirs.fmeasure, abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # 5 words against 6: shares 5/5, 3/4, 2/3, 1/2
        (
            "the cat sat on mat",
            "the cat sat on the mat",
            math.exp(1 - 6 / 5) * (1 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25,
        ),
        # the longer one pays no penalty but precision: 6/7, 4/6, 3/5, 2/4
        (
            "x the the cat sat on mat",
            "the the cat sat on the mat",
            (6 / 7 * 4 / 6 * 3 / 5 * 2 / 4) ** 0.25,
        ),
        ("Öl und Gas für", "Öl und Gas für", 1.0),
        # a comma is part of its word
        ("Öl, und Gas für", "Öl und Gas für", 0.0),
        ("eins zwei drei", "eins zwei drei", 0.0),
        ("", "", 0.0),
        ("", "eins", 0.0),
        ("eins", "", 0.0),
    ],
)
def test_bleu(first: str, second: str, expected: float) -> None:
    assert bleu(first, second) == pytest.approx(expected, abs=1e-15)


@given(texts, texts)
@example("a b c d a b c d", "a b c d e a b c d b")
@many
def test_bleu_is_sacrebleus_without_smoothing(first: str, second: str) -> None:
    theirs = SACREBLEU.corpus_score([first], [[second]]).score / 100

    assert bleu(first, second) == pytest.approx(theirs, abs=1e-12)


def test_chrf_by_hand() -> None:
    # "abc" against "abd": of the single characters 2 of 3, of the pairs 1 of 2, of the threes none
    assert chrf("abc", "abd") == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    # "ab" against "abcd": precision 1 and 1; recall 2/4 and 1/3; longer ones are not in both
    precision, recall = 1, (2 / 4 + 1 / 3) / 2
    assert chrf("a b", "abcd") == pytest.approx(5 * precision * recall / (4 * precision + recall))
    assert chrf("Äb", "äb") < 1
    assert chrf("", "") == chrf("", "a") == chrf("a", " ") == 0


@given(any_texts, any_texts)
@many
def test_chrf_counts_characters(first: str, second: str) -> None:
    ours, theirs = "".join(first.split()), "".join(second.split())
    shares = []
    for n in range(1, 7):
        of_ours = Counter(ours[i : i + n] for i in range(len(ours) - n + 1))
        of_theirs = Counter(theirs[i : i + n] for i in range(len(theirs) - n + 1))
        if of_ours and of_theirs:
            n_shared = (of_ours & of_theirs).total()
            shares.append((n_shared / of_ours.total(), n_shared / of_theirs.total()))
    precision = sum(p for p, _ in shares) / len(shares) if shares else 0
    recall = sum(r for _, r in shares) / len(shares) if shares else 0

    f2 = 5 * precision * recall / (4 * precision + recall) if precision else 0

    assert chrf(first, second) == pytest.approx(f2, abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # all three in one run
        ("The cats sat", "the cat sat!", 1 - 0.5 / 27),
        # two runs of one word each; precision 1, recall 2/4
        ("the cat", "the black cats slept", (1 - 0.5) * 0.5 / (0.9 * 1 + 0.1 * 0.5)),
        # and the other way round, where precision is 2/4
        ("the black cats slept", "the cat", (1 - 0.5) * 0.5 / (0.9 * 0.5 + 0.1 * 1)),
        ("über", "Über", 0.5),
        ("eins", "zwei", 0.0),
        ("", "", 0.0),
        ("", "eins", 0.0),
        ("eins", "!", 0.0),
    ],
)
def test_meteor_of_exact_and_stem_stages(first: str, second: str, expected: float) -> None:
    assert meteor(first, second) == pytest.approx(expected, abs=1e-15)


def test_meteors_stages_are_asked_for_by_name() -> None:
    pair = ("Kinder spielten", "Kind spielt")

    assert meteor(*pair) == 0
    assert meteor(*pair, stemmer="german") == 1 - 0.5 / 8
    assert meteor("cats sat", "cat sat", stemmer="none") < meteor("cats sat", "cat sat")

    assert meteor_name() == "METEOR (exact, Porter stem)"
    assert meteor_name(stemmer="german") == "METEOR (exact, German stem)"
    assert meteor_name(stemmer="none", synonyms="wordnet") == "METEOR (exact, WordNet)"


@pytest.mark.parametrize("stemmer", STEMMERS)
def test_every_stemmer_leaves_equal_texts_alike(stemmer: str) -> None:
    text = "Die Häuser, कितने 日本 standen 7 домами"

    assert meteor(text, text, stemmer=stemmer) == pytest.approx(1 - 0.5 / 7**3)


def test_what_meteor_does_not_have() -> None:
    with pytest.raises(
        ValueError, match="there is no stemmer 'czech'; choose one of porter, none"
    ):
        meteor("a", "b", stemmer="czech")
    with pytest.raises(ValueError, match="no synonyms 'germanet'; choose one of none, wordnet"):
        meteor("a", "b", synonyms="germanet")


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which nltk looks for corpora; empty."""
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    folder = tmp_path / "corpora"
    folder.mkdir()
    return folder


def test_wordnets_stage_without_its_data_says_what_to_install(corpora: Path) -> None:
    with pytest.raises(
        ValueError, match=r"WordNet data are missing; install them \(python -m nltk"
    ):
        meteor("car", "automobile", synonyms="wordnet")

    (corpora / "wordnet").mkdir()
    with pytest.raises(ValueError, match=r"WordNet are not complete: .*lexnames"):
        meteor("car", "automobile", synonyms="wordnet")


def test_wordnets_stage_matches_synonyms(corpora: Path) -> None:
    folder = corpora / "wordnet"
    folder.mkdir()
    for part in ("noun", "verb", "adj", "adv"):
        for name in (f"data.{part}", f"index.{part}", f"{part}.exc"):
            (folder / name).write_text("")
    (folder / "index.sense").write_text("")
    (folder / "lexnames").write_text("00\tnoun.artifact\t1\n")
    # One set of two synonyms, which begins at byte 0 of the file.
    (folder / "data.noun").write_text("00000000 00 n 02 car 0 automobile 0 000 | a vehicle  \n")
    (folder / "index.noun").write_text(
        "automobile n 1 0 1 0 00000000  \ncar n 1 0 1 0 00000000  \n"
    )

    try:
        with_wordnet = meteor("the cars stop", "the automobile stops", synonyms="wordnet")
    finally:
        wordnet._unload()

    # nltk looks up what the stemmer left: "automobil" is none of WordNet's words.
    assert with_wordnet == meteor("the cars stop", "the automobile stops")
    try:
        unstemmed = meteor(
            "the car stop", "the automobile stop", stemmer="none", synonyms="wordnet"
        )
    finally:
        wordnet._unload()
    assert unstemmed == 1 - 0.5 / 27
