"""When people answered, in a release: the day, unless the researcher wants the exact time."""

import csv
import io
import json
import re

import pytest

from annotation.models import Judgment, Study
from annotation.releases.forms import ReleaseForm
from annotation.releases.release_description import Description, DescriptionError
from tests.support import release_studies
from tests.support.factories import make_open_study
from tests.support.release_studies import facts, files_of, write

pytestmark = pytest.mark.django_db

MADE = {
    "best_worst": release_studies.best_worst,
    "ratings": release_studies.ratings,
    "labels": release_studies.labels,
    "selections": release_studies.selections,
}
TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}")


def tables(content: bytes) -> dict[str, list[dict[str, str]]]:
    return {
        name: list(csv.DictReader(io.StringIO(text.decode(), newline=""), delimiter="\t"))
        for name, text in files_of(content).items()
        if name.endswith(".tsv")
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", MADE)
def test_nobodys_moments_stand_in_a_release_by_default(kind: str) -> None:
    study: Study = MADE[kind]()

    coarse, exact = (write(study, facts(exact_times=wanted)) for wanted in (False, True))

    texts = {name: text.decode() for name, text in files_of(coarse).items()}
    assert not [n for n, text in texts.items() if n != "study.json" and TIME.search(text)]
    # What stands there of the study is about nobody in particular.
    people = set(study.annotators.values_list("pseudonym", flat=True))
    assert not any(pseudonym in texts["study.json"] for pseudonym in people)
    days, moments = tables(coarse), tables(exact)
    assert days.keys() == moments.keys()
    for name, rows in days.items():
        for row, full in zip(rows, moments[name], strict=True):
            for column, cell in row.items():
                if column.endswith("_at"):
                    assert cell == full[column][:10]
                else:
                    assert cell == full[column]
    answered = {row["answered_at"] for row in days["judgments.tsv"]}
    assert answered == {f"{one:%Y-%m-%d}" for one in times(study)}
    assert any(row["active_ms"] for row in moments["judgments.tsv"]) == any(
        row["active_ms"] for row in days["judgments.tsv"]
    )
    assert "milliseconds" not in column_of(texts["croissant.json"], "answered_at")
    assert "ISO 8601, UTC, milliseconds" not in texts["README.md"]


def times(study: Study) -> list:
    found = Judgment.objects.filter(assignment__annotator__study=study)
    return list(found.values_list("answered_at", flat=True))


def column_of(croissant: str, name: str) -> str:
    sets = json.loads(croissant)["recordSet"]
    return " ".join(
        str(field.get("description"))
        for one in sets
        for field in one["field"]
        if field["name"] == name
    )


@pytest.mark.slow
def test_an_export_that_is_no_release_keeps_them() -> None:
    study = release_studies.best_worst()
    file = io.BytesIO()

    release_studies.archive.write_archive(study, "people", file)

    assert all(TIME.match(row["answered_at"]) for row in tables(file.getvalue())["judgments.tsv"])


def test_the_researcher_chooses_and_the_next_release_is_as_the_last() -> None:
    study = make_open_study(dialogues=1)
    data = {"title": "T", "authors": "Ada Lovelace"}

    form = ReleaseForm(study, None, data)
    assert form.is_valid()
    assert form.description is not None
    assert not form.description.exact_times
    form = ReleaseForm(study, None, {**data, "exact_times": "on"})
    assert form.is_valid()
    assert form.description is not None
    assert Description.of(form.description.as_json).exact_times
    with pytest.raises(DescriptionError):
        Description.of({**form.description.as_json, "exact_times": "yes"})
