"""Prolific's file about people: by pseudonym, with rare values merged, and stored nowhere."""

import csv
import io
from collections import Counter

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from annotation.answering.services import withdrawal
from annotation.core.services import audit_log
from annotation.crowds.forms import demographics as forms
from annotation.crowds.queries import demographics as queries
from annotation.models import Listing, Person, Study
from annotation.models.kinds import CrowdPlatform
from tests.support.factories import join, make_open_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

HEADER = [
    "Submission id",
    "Participant id",
    "Status",
    "Started at",
    "Completion code",
    "Age",
    "Country of birth",
    "Student status",
]


@pytest.fixture
def study() -> Study:
    """Twelve people came by Prolific, and one by a link."""
    study = make_open_study(parameters={"annotations_per_tuple": 13})
    Listing.objects.create(study=study, number=1, platform=CrowdPlatform.PROLIFIC, n_places=12)
    for number in range(12):
        annotator = join(study).annotator
        annotator.person = Person.objects.create(platform="prolific", platform_id=f"p{number}")
        annotator.save()
    join(study)
    return study


def file_of(rows: list[list[str]], header: list[str] | None = None) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows([header or HEADER, *rows])
    return out.getvalue().encode("utf-8-sig")


def rows_of_all() -> list[list[str]]:
    rows = [
        [f"s{n}", f"p{n}", "APPROVED", "2026-11-01", "CODE", str(20 + n), "Norway", "No"]
        for n in range(12)
    ]
    rows[3][6] = "Monaco"
    rows[4][7] = "DATA_EXPIRED"
    return [*rows, ["s99", "somebody else", "APPROVED", "", "", "50", "Norway", "Yes"]]


def send(study: Study, file: bytes, **data: str) -> HttpResponse:
    client = signed_in(study.owner)
    sent = {"file": SimpleUploadedFile("demographics.csv", file), **data}
    return client.post(url(study, "demographics"), sent, follow=True)


def table(response: HttpResponse) -> tuple[list[str], dict[str, list[str]]]:
    header, *rows = csv.reader(io.StringIO(response.content.decode()), delimiter="\t")
    return header, {row[0]: row[1:] for row in rows}


def test_the_same_facts_stand_by_pseudonym_and_no_id_among_them(study: Study) -> None:
    response = send(study, file_of(rows_of_all()))

    header, rows = table(response)
    assert header == ["annotator", "age", "country_of_birth", "student_status"]
    by_id = dict(
        study.annotators.filter(person__isnull=False).values_list(
            "person__platform_id", "pseudonym"
        )
    )
    assert len(rows) == 12
    assert rows[by_id["p3"]] == ["23", "Monaco", "No"]
    assert rows[by_id["p4"]] == ["24", "Norway", ""]
    assert b"p3" not in response.content.replace(by_id["p3"].encode(), b"")
    assert audit_log.has_downloaded(
        study=study, what=f"{study.slug}-demographics.tsv", by=study.owner
    )


def test_for_publishing_no_value_is_that_of_fewer_than_five(study: Study) -> None:
    _header, rows = table(send(study, file_of(rows_of_all()), merges_rare="on"))

    for place in range(3):
        assert min(Counter(cells[place] for cells in rows.values()).values()) >= 5
    assert "Monaco" not in {cells[1] for cells in rows.values()}
    assert {cells[0] for cells in rows.values()} == {"..24", "25.."}


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (b"\xff\xfe\x00", "not a CSV file in UTF-8"),
        (b"", "Choose the file first"),
        (b"a,b\n1,2\n", "is missing. Export the demographic data"),
        (b"Participant id,Age,Age\np1,2,3\n", "two columns with the same name"),
        (b"Participant id,Age\nnobody,2\n", "Nobody in this file took part"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(study: Study, file: bytes, said: str) -> None:
    assert said in text(send(study, file))


def test_only_people_of_this_study_who_came_by_prolific_and_stayed_are_in_it(
    study: Study,
) -> None:
    by_link = study.annotators.get(person=None)
    by_link.person = Person.objects.create(platform="roster", platform_id="s-0815")
    by_link.save()
    withdrawal.withdraw(annotator=study.annotators.get(person__platform_id="p1"))
    elsewhere = join(make_open_study()).annotator
    elsewhere.person = Person.objects.get(platform_id="p2")
    elsewhere.save()
    rows = rows_of_all()
    rows[0][1] = "s-0815"

    _header, found = table(send(study, file_of(rows)))

    there = study.annotators.filter(person__platform="prolific")
    expected = set(there.exclude(person__platform_id="p0").values_list("pseudonym", flat=True))
    assert set(found) == expected
    assert len(expected) == 10


def test_a_file_without_end_is_refused(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "MAX_ROWS", 12)
    assert "more than 12 rows" in text(send(study, file_of(rows_of_all())))
    monkeypatch.setattr(forms, "MAX_BYTES", 200)
    assert "larger than 0 MB" in text(send(study, file_of(rows_of_all())))


def test_the_page_offers_it_only_where_people_came_by_prolific(study: Study) -> None:
    assert "What Prolific says about people" in text(
        signed_in(study.owner).get(url(study, "platforms"))
    )
    other = make_open_study()
    assert "What Prolific says" not in text(signed_in(other.owner).get(url(other, "platforms")))
