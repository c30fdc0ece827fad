"""Checks in a study of labels: from the file over the page to the download."""

import csv
import io
import zipfile

import pytest

from annotation.answering.services import assignments
from annotation.designs.services import designs
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.label.taste import draw_label_taste
from annotation.models import Check, Judgment, Study
from annotation.releases.exports import archive
from annotation.simulation import through_services
from annotation.studies.services import studies
from tests.support.annotating import Participant
from tests.support.checking import import_table
from tests.support.factories import make_user
from tests.support.rating import ONCE

pytestmark = pytest.mark.django_db

TABLE = (
    "id\ttarget\tcandidate\texpected\tcheck\texplanation\n"
    "p1\tOne.\tUno.\t\t\t\n"
    "p2\tTwo.\tDue.\t\t\t\n"
    "p3\tThree.\tTre.\t\t\t\n"
    "c1\tA cat.\tA cat!\tsame\ttutorial\tOnly a mark differs.\n"
    "c2\tA dog.\tA wet dog.\tmore|word\tloud\t\n"
)


@pytest.fixture
def study() -> Study:
    study = studies.create(owner=make_user(), title="What differs?", preset="labels", seed=1)
    study.categories = {"names": ["same", "more", "word"], "several": True, "explanations": {}}
    study.worked_example = study.comprehension = {}
    study.save()
    import_table(study, TABLE)
    parameters = RatingParameters(ratings_per_item=1, items_per_booklet=9, phases=ONCE)
    designs.set_parameters(study=study, parameters=parameters, seed=1)
    designs.make(design=study.design)
    return studies.open_study(study=study)


def choose(person: Participant, screen: int, *names: str):
    (question,) = person.questions(screen)
    form = {**person.form(screen), f"q{question.pk}-categories": list(names), "go": "next"}
    return person.post(f"s/{screen}/", form)


def files(study: Study, population: str = "people") -> dict[str, list[dict[str, str]]]:
    made = io.BytesIO()
    archive.write_archive(study, population, made)
    with zipfile.ZipFile(made) as whole:
        return {
            name: list(csv.DictReader(io.StringIO(whole.read(name).decode()), delimiter="\t"))
            for name in whole.namelist()
            if name.endswith(".tsv")
        }


@pytest.mark.slow
def test_a_tutorial_and_a_loud_check_are_told_of_and_are_no_data(study: Study) -> None:
    person = Participant(study)
    questions = {q.item.key: q.screen for q in study.design.booklets.get().questions.all()}
    known = questions["c2"]

    choose(person, questions["c1"], "same", "more")
    tutorial = person.get(f"s/{questions['c1']}/").content.decode()
    choose(person, questions["c1"], "same", "more")
    choose(person, known, "more")
    asked_again = person.get(f"s/{known}/").content.decode()
    choose(person, known, "more", "word")
    for key in ("p1", "p2", "p3"):
        choose(person, questions[key], "word")
    assignments.submit(assignment=person.assignment)

    assert "That is not quite right." in tutorial
    assert "Only a mark differs." in tutorial
    assert "This question has a known answer, and yours is different" in asked_again
    tables = files(study)
    (loud,) = (row for row in tables["checks.tsv"] if row["style"] == "loud")
    assert (loud["expected"], loud["first_answer"]) == ("more|word", "more")
    assert loud["last_answer"] == "more|word"
    assert float(loud["credit"]) == 0.5
    assert {row["item"] for row in tables["judgments.tsv"]} == {"p1", "p2", "p3"}
    assert {row["id"] for row in tables["item_labels.tsv"]} == {"p1", "p2", "p3"}
    items = {row["id"]: row for row in tables["items.tsv"]}
    assert (items["c2"]["check"], items["c2"]["expected"]) == ("loud", "more|word")
    assert (items["p1"]["check"], items["p1"]["expected"]) == ("", "")


def test_what_was_exported_is_the_same_study_when_it_is_imported_again(study: Study) -> None:
    made = io.BytesIO()
    archive.write_archive(study, "people", made)
    with zipfile.ZipFile(made) as whole:
        table = whole.read("items.tsv").decode()
    rows = list(csv.DictReader(io.StringIO(table), delimiter="\t"))
    names = ("id", "target", "candidate", "expected", "check", "explanation")
    again = studies.create(owner=make_user("other"), title="Again", preset="labels", seed=1)
    again.categories = study.categories
    again.save()

    import_table(
        again, "\n".join(["\t".join(names), *("\t".join(r[n] for n in names) for r in rows), ""])
    )

    def known(study: Study) -> list[tuple]:
        return list(
            Check.objects.filter(study=study)
            .order_by("item__number")
            .values_list("item__key", "style", "explanation", "categories")
        )

    assert known(again) == known(study)
    assert len(known(study)) == 2


def test_simulated_people_know_what_a_check_expects(study: Study) -> None:
    taste = draw_label_taste(study, noise=0, seed=3)
    through_services.answer(study=study, taste=taste, n_annotators=1)

    answers = {
        judgment.question.item.key: {choice.category for choice in judgment.choices.all()}
        for judgment in Judgment.objects.filter(assignment__annotator__source="simulated")
    }

    assert answers["c1"] == {"same"}
    assert answers["c2"] == {"more", "word"}
    assert {row["credit"] for row in files(study, "simulated")["checks.tsv"]} == {"1.0"}
