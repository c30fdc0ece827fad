"""How often somebody left the page, or pasted: shown beside the others, and never a verdict."""

import csv
import io
from uuid import uuid4

import pytest

from annotation.answering.services import withdrawal
from annotation.models import Annotator, Judgment, Study
from annotation.people import exports
from annotation.people.queries import signs
from annotation.releases.exports import archive
from tests.support import release_studies
from tests.support.api import Caller
from tests.support.rating import join, make_rating_study, rate_phase
from tests.support.release_studies import facts, files_of, write
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

# Of eight answers each: how often the page lost the focus, by person.
AWAY = ([0, 0, 0, 0, 0, 0, 0, 0], [5, 0, 0, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0, 0, 0, 0])


@pytest.fixture
def study() -> Study:
    study = make_rating_study(pairs=8, ratings_per_item=4, items_per_booklet=8)
    for _person in range(4):
        rate_phase(join(study).assignment, ratings=lambda _question: "3")
    for annotator, away in zip(people(study), AWAY, strict=False):
        rows = Judgment.objects.filter(assignment__annotator=annotator).order_by("pk")
        for row, n_away in zip(rows, away, strict=True):
            row.n_away, row.n_pasted = n_away, int(n_away == 5)
            row.save(update_fields=["n_away", "n_pasted"])
    return study


def people(study: Study) -> list[Annotator]:
    """The last of them has a browser without scripts."""
    return list(study.annotators.order_by("pk"))


def test_answers_are_counted_beside_those_of_the_others(study: Study) -> None:
    careful, other, third, plain = people(study)

    away, pasted = signs.figures(other)
    assert (away.value, away.usual) == ("2 of 8 answers", "12.5\u00a0%")
    # Five times in one question is one answer.
    assert away.note == "at least as often: 1 of 2 others"
    assert (pasted.value, pasted.usual) == ("1 of 8 answers", "0.0\u00a0%")
    assert pasted.note == "at least as often: 0 of 2 others"
    assert [figure.note for figure in signs.figures(careful)] == [
        "at least as often: 2 of 2 others",
        "at least as often: 2 of 2 others",
    ]
    page = text(signed_in(study.owner).get(url(study, "person", third.pk)))
    assert "Page lost focus" in page
    assert "prove nothing by themselves" in page
    # Of somebody whose browser counted nothing there is nothing to explain.
    page = text(signed_in(study.owner).get(url(study, "person", plain.pk)))
    assert "prove nothing by themselves" not in page


def test_simulated_people_other_studies_and_answers_of_before_are_not_counted(
    study: Study,
) -> None:
    careful, other, third, _plain = people(study)
    before = signs.figures(other)
    another = make_rating_study(pairs=8, ratings_per_item=1, items_per_booklet=8)
    rate_phase(join(another).assignment, ratings=lambda _question: "3")
    Judgment.objects.filter(assignment__annotator__study=another).update(n_away=9, n_pasted=9)
    row = Judgment.objects.filter(assignment__annotator=third).latest("pk")
    Judgment.objects.filter(pk=row.pk).update(superseded_at=row.answered_at)
    row.pk, row.idempotency_key, row.n_away = None, uuid4(), 0
    row.save()

    assert signs.figures(other) == before

    Annotator.objects.filter(pk=careful.pk).update(source="simulated")
    assert signs.figures(other)[0].note == "at least as often: 1 of 1 others"


def test_without_scripts_nothing_is_said(study: Study) -> None:
    *_others, plain = people(study)

    assert signs.figures(plain) == []
    assert "Page lost focus" not in text(
        signed_in(study.owner).get(url(study, "person", plain.pk))
    )


@pytest.mark.slow
def test_the_download_has_a_row_for_each_person_and_a_release_none() -> None:
    study = release_studies.best_worst()
    Judgment.objects.update(n_away=1, n_pasted=0)
    file = io.BytesIO()
    archive.write_archive(study, "people", file)

    download = files_of(file.getvalue())
    header, *rows = csv.reader(download["signs.tsv"].decode().splitlines(), delimiter="\t")
    assert header == [column.name for column in exports.COLUMNS]
    answered = study.annotators.filter(assignments__judgments__isnull=False).distinct()
    assert [row[0] for row in rows] == sorted(answered.values_list("pseudonym", flat=True))
    assert {(n, lost == n, pasted) for _who, n, lost, pasted in rows} == {("20", True, "0")}
    assert b"signs.tsv" in download["README.md"]
    release = files_of(write(study, facts()))
    assert "signs.tsv" not in release
    assert b"signs.tsv" not in release["README.md"]


def test_the_api_has_the_counts_until_somebody_withdraws(study: Study) -> None:
    _careful, other, *_more = people(study)
    stream = Caller(study).get("judgments/?type=tsv")
    header, *rows = b"".join(stream.streaming_content).decode().splitlines()
    place = header.split("\t").index("n_away")
    of_other = [row.split("\t")[place] for row in rows if other.pseudonym in row]
    assert sorted(of_other) == ["0"] * 6 + ["1", "5"]

    withdrawal.withdraw(annotator=other)

    emptied = Judgment.objects.filter(assignment__annotator=other)
    assert set(emptied.values_list("n_away", "n_pasted")) == {(None, None)}
