"""Names of measures on pages: descriptions are translated, published names stay."""

import pytest
from django.utils import translation

from annotation.basics.measure_names import shown_name, stage_name
from annotation.basics.sentences import in_words
from scoring.baselines.lexical import LEXICAL
from scoring.baselines.translation import meteor_name

KEPT = ["BLEU-4", "ROUGE-L", "SQuAD F1", "Jaccard", "our own model", "METEOR (of a file)"]


@pytest.mark.parametrize("name", KEPT)
def test_a_published_or_uploaded_name_stays(name: str) -> None:
    with translation.override("de"):
        assert shown_name(name) == name


def test_a_described_measure_is_called_as_in_the_form() -> None:
    described = [measure.name for measure in LEXICAL.values() if measure.key == "tfidf"]
    with translation.override("de"):
        names = [shown_name(str(name)) for name in described]

        assert names == [in_words(name) for name in described]
        assert names != [str(name) for name in described]


def test_the_stages_of_meteor_are_in_words() -> None:
    with translation.override("de"):
        names = {shown_name(meteor_name(stemmer, "none")) for stemmer in ("german", "porter")}

        assert len(names) == 2
        assert any(stage_name("german") in name for name in names)
        assert not any("German" in name for name in names)
    assert "WordNet" in shown_name(meteor_name("none", "wordnet"))


def test_english_pages_and_files_have_the_same_names() -> None:
    names = [str(measure.name) for measure in LEXICAL.values()]
    names += [meteor_name(stemmer, "wordnet") for stemmer in ("none", "german")]

    assert [shown_name(name) for name in names] == names
