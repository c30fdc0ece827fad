"""Example files: each can be imported as it is, and a design can be made of it."""

import io

import pytest

from annotation.basics.scale import Scale
from annotation.designs.services import designs
from annotation.items.example_files import example_of
from annotation.items.imports.numbers import number_in
from annotation.items.services import imports
from annotation.models import Study
from annotation.models.kinds import QuestionKind
from annotation.studies import presets
from annotation.studies.services import studies
from tests.support.factories import make_user
from tests.support.item_files import read
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

PRESETS = [key for key, preset in presets.PRESETS.items() if not preset.review]


def study_of(preset: str, language: str) -> Study:
    return studies.create(owner=make_user(), title="Example", language=language, preset=preset)


@pytest.mark.parametrize("language", ["en", "de", "de-AT", "cs"])
@pytest.mark.parametrize("preset", PRESETS)
def test_an_example_file_is_imported_as_it_is_and_makes_a_design(
    preset: str, language: str
) -> None:
    study = study_of(preset, language)
    file = example_of(study)

    imported = imports.import_items(
        study=study, path=io.BytesIO(file.content), filename=file.filename
    )
    # As the design's page asks: calibration pairs are named, and are then nobody's ordinary items.
    known = study.items.filter(known_answer=None, expected__isnull=False).order_by("number")
    design = study.design
    if study.kind == QuestionKind.RATING:
        design.parameters |= {"calibration": [item.key for item in known]}
        design.save()
    design = designs.make(design=design)

    assert imported.n_items >= 12 or imported.n_incidents == 2
    assert design.booklets.exists()
    texts = "\n".join(item.candidate for item in study.items.all())
    assert ("ü" in texts) == (language.startswith("de") and bool(texts))


@pytest.mark.parametrize(("preset", "n"), [("sts-context", 6), ("stss-131", 2)])
def test_calibration_pairs_have_values_of_the_scale(preset: str, n: int) -> None:
    study = study_of(preset, "en")
    file = example_of(study)

    items = read(file.content, file.filename).items
    expected = [item.expected for item in items if item.expected is not None]

    scale = Scale.of(study.scale)
    assert len(expected) == n
    assert {scale.low, scale.high} <= set(expected)
    assert all(scale.has(value) for value in expected)
    assert number_in(str(scale.low))[0] in expected


def test_checks_are_of_the_categories_that_the_preset_has_and_of_no_others() -> None:
    study = study_of("labels", "de")
    with_checks = example_of(study)
    study.categories = {"names": ["ja", "nein"], "several": False, "explanations": {}}
    without = example_of(study)

    def styles(content: bytes) -> list[str]:
        items = read(content, "example.csv", kind="label").items
        return [item.check.style for item in items if item.check]

    assert styles(with_checks.content) == ["tutorial", "silent"]
    assert styles(without.content) == []


@pytest.mark.parametrize("kind", QuestionKind.values)
def test_a_study_whose_kind_was_changed_has_a_file_of_its_kind(kind: str) -> None:
    study = study_of("giccs", "en")
    study.kind = kind

    file = example_of(study)

    assert read(file.content, file.filename, kind=kind).shape in {
        "best_worst": {"dialogues"},
        "ranking": {"dialogues"},
        "selection": {"incidents"},
    }.get(kind, {"pairs"})


def test_the_page_of_items_offers_the_file() -> None:
    study = study_of("answer-similarity", "de")
    client = signed_in(study.owner)

    page = client.get(url(study, "items")).content.decode()
    response = client.get(url(study, "example"))

    assert url(study, "example") in page
    assert response["Content-Disposition"] == 'attachment; filename="example-pairs.de.csv"'
    assert response.content.decode("utf-8-sig").startswith("id;question;target;candidate\n")
