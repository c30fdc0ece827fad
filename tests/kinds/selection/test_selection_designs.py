"""Designs of selection studies: incidents in drawn order, their sentences one after another."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.basics.errors import StateError
from annotation.designs.services import designs
from annotation.items.services import imports
from annotation.kinds.design_parameters import ImpossibleParametersError, SelectionParameters
from annotation.models import Place, Question, Study
from annotation.studies.services import studies
from tests.support import factories, selecting
from tests.support.researcher_pages import text, url

pytestmark = pytest.mark.django_db


def asked(study: Study) -> list[list[tuple[str, int]]]:
    """Of each booklet the incidents and the places of the sentences, in their order."""
    booklets = study.design.booklets.order_by("number")
    return [
        list(
            Question.objects.filter(booklet=booklet)
            .order_by("screen")
            .values_list("turn__context__group__key", "turn__position")
        )
        for booklet in booklets
    ]


def test_every_sentence_of_every_summary_is_asked_about_once() -> None:
    study = selecting.make_selection_study(
        incidents=7, sentences=3, incidents_per_booklet=3, people_per_incident=2
    )

    booklets = asked(study)

    # Three booklets are needed; they are as even as they can be.
    assert [len({key for key, _place in booklet}) for booklet in booklets] == [3, 2, 2]
    for booklet in booklets:
        assert [place for _key, place in booklet] == [1, 2, 3] * (len(booklet) // 3)
        keys = [key for key, _place in booklet]
        assert keys == [key for key in dict.fromkeys(keys) for _sentence in range(3)]
    assert sorted(key for booklet in booklets for key, _place in booklet) == sorted(
        f"i{n}" for n in range(1, 8) for _sentence in range(3)
    )
    assert {question.position for question in Question.objects.all()} == {1}
    assert Place.objects.count() == 3 * 2


def test_the_seed_alone_decides_the_order() -> None:
    def order(seed: int) -> list[list[tuple[str, int]]]:
        return asked(selecting.make_selection_study(incidents=8, seed=seed))

    assert order(1) == order(1)
    assert order(1) != order(2)


def test_the_certificate_says_what_was_made_in_the_readers_language(client: Client) -> None:
    study = selecting.make_selection_study(
        incidents=5, incidents_per_booklet=4, people_per_incident=3, open_it=False
    )
    certificate = designs.make(design=study.design).certificate

    assert certificate["n_questions"] == 10
    assert certificate["sentences"][1].startswith(
        "Booklets: 2, with 2 to 3 incidents and 4 to 6 questions each."
    )
    client.force_login(study.owner)
    page = text(client.get(url(study, "design")))
    assert "5 incidents with 10 sentences in their summaries" in page
    assert "Questions per person: 4 to 6." in page
    assert "Summary sentence 1 of incident" in page


@pytest.mark.parametrize(
    ("incident", "message"),
    [
        ({"summary": ["S."], "reports": {"r": ["A.", "B."]}}, "have 2 sentences in total"),
        ({"summary": [], "reports": {"r": ["A.", "B.", "C."]}}, "has no summary"),
    ],
)
def test_an_incident_that_nobody_can_answer_is_named(incident, message) -> None:
    study = selecting.make_selection_study(open_it=False)
    selecting.add_incident(study, "short", **incident)

    with pytest.raises(ImpossibleParametersError, match=f"incident short .*{message}|{message}"):
        designs.make(design=study.design)


def test_without_incidents_there_is_nothing_to_make_or_open() -> None:
    study = selecting.make_selection_study(incidents=0, open_it=False)

    with pytest.raises(StateError, match="no incidents yet"):
        designs.make(design=study.design)
    with pytest.raises(StateError, match="Import them first"):
        studies.open_study(study=study)


@pytest.mark.parametrize("name", ["incidents_per_booklet", "people_per_incident"])
def test_numbers_that_no_study_has_are_refused(name: str) -> None:
    study = selecting.make_selection_study(open_it=False)

    with pytest.raises(ImpossibleParametersError, match="choose from 1 to 1000") as refused:
        designs.set_parameters(study=study, parameters=SelectionParameters(**{name: 0}), seed=1)

    assert refused.value.field == name


def test_imported_incidents_make_a_design_by_the_command(tmp_path) -> None:
    study = studies.create(owner=factories.make_user(), title="News", preset="czech-round-1")
    path = tmp_path / "incidents.jsonl"
    path.write_text(
        json.dumps(
            {
                "id": "fire",
                "summary": ["The mill burned.", "Nobody was hurt."],
                "reports": [
                    {"id": "r1", "sentences": ["Fire at the mill.", "All got out."]},
                    {"id": "r2", "sentences": ["The old mill is gone."]},
                ],
            }
        ),
        encoding="utf-8",
    )
    imports.import_items(study=study, path=path, filename=path.name)

    out = StringIO()
    call_command("make_design", study.slug, "--people-per-incident", "2", stdout=out)

    assert "2 people per incident" in out.getvalue()
    study = Study.objects.get(pk=study.pk)
    assert [len(booklet) for booklet in asked(study)] == [2]

    # A draft's design is thrown away with the incidents that it was made of.
    imports.import_items(study=study, path=path, filename=path.name)
    study = Study.objects.get(pk=study.pk)
    assert not study.design.is_made
    assert study.context_groups.count() == 1
    designs.make(design=study.design)
    studies.open_study(study=study)


@pytest.mark.parametrize("language", ["en", "de", "cs"])
def test_the_preset_brings_texts_and_a_scale(language: str) -> None:
    study = studies.create(
        owner=factories.make_user(), title="News", preset="czech-round-1", language=language
    )

    assert study.kind == "selection"
    assert (study.scale["low"], study.scale["high"]) == ("0", "6")
    assert study.rating_question
    assert study.design.parameters == {"incidents_per_booklet": 6, "people_per_incident": 1}
    other = studies.create(
        owner=study.owner, title="Pairs", preset="czech-round-2", language=language
    )
    assert study.instructions != other.instructions
    assert studies.current_consent(study).text != studies.current_consent(other).text


def test_the_researchers_pages_lead_from_incidents_to_an_open_study(client: Client) -> None:
    study = selecting.make_selection_study(incidents=2, open_it=False)
    client.force_login(study.owner)

    for page in ("change", "describe", "design", "items", "people"):
        assert client.get(url(study, page)).status_code == 200, page
    numbers = {
        "incidents_per_booklet": 1,
        "people_per_incident": 2,
        "seed": 3,
        "idle_minutes": 60,
        "max_booklets": 1,
    }
    consequences = client.get(url(study, "consequences"), numbers).json()
    assert consequences["problem"] == ""
    assert "2 incidents with 4 questions give 2 booklets and 4 places." in consequences["sentence"]
    assert "This gives 24 pairs for the next round." in consequences["sentence"]
    response = client.post(url(study, "design"), {**numbers, "save": "1"})
    assert response.status_code == 302
    designs.make(design=study.design)
    assert client.get(url(study, "try")).status_code in {200, 302}
    page = text(client.get(url(study, "open")))
    assert "2 incidents" in page
    assert "4 questions in 2 booklets, 4 places." in text(client.get(url(study, "change")))
    client.post(url(study, "open"))

    study.refresh_from_db()
    assert study.state == "open"
