"""A ranking study and one of single words become releases; what methods cite is listed."""

import ast
import json
from pathlib import Path

import pytest
from django.conf import settings

from annotation.answering.services import assignments
from annotation.core.services import jobs
from annotation.models import ConsentText, Item, Job
from annotation.releases.exports.documents.references import REFERENCES
from tests.support.factories import join, make_open_study
from tests.support.ranking import make_ranking_study, rank
from tests.support.release_studies import facts, files_of, write
from tests.support.researcher_pages import finish_booklet

pytestmark = pytest.mark.django_db


def test_a_ranking_study_is_released_with_its_references() -> None:
    study = make_ranking_study(dialogues=1)
    for _ in range(3):
        assignment = join(study).assignment
        for question in assignment.booklet.questions.all():
            rank(assignment, question)
        assignments.submit(assignment=assignment)
    jobs.run_here(study=study, kind=Job.Kind.SCORE)

    files = files_of(write(study, facts()))

    for key in ("KendallSmith1939", "Luce1959", "Plackett1975"):
        assert f"@{key}]".encode() in files["METHODS.md"]
        assert f"{{{key},".encode() in files["references.bib"]


@pytest.mark.slow
def test_every_reference_that_a_methods_paragraph_cites_is_there() -> None:
    cited = set()
    for path in Path(settings.BASE_DIR, "annotation").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "cited":
                cited |= {
                    argument.value for argument in node.args if isinstance(argument, ast.Constant)
                }

    assert len(cited) > 10
    assert cited - REFERENCES.keys() == set()


def test_nothing_says_similar_of_single_words_that_are_compared_by_another_question() -> None:
    study = make_open_study(
        dialogues=1,
        parameters={"annotations_per_tuple": 1},
        most_question="Which is the most cheerful?",
        least_question="Which is the gloomiest?",
    )
    Item.objects.update(target_turn=None)
    ConsentText.objects.update(text="Words and their moods, by the project, project@example.org.")
    finish_booklet(study)

    files = files_of(write(study, facts(title="Moods", summary="", keywords=())))

    said = [name for name in ("README.md", "DATASHEET.md") if b"similar" in files[name].lower()]
    assert said == []
    croissant = json.loads(files["croissant.json"])
    assert "similar" not in json.dumps(croissant).lower()
