"""What a frozen design's screens show is read once; what may change is read every time."""

from typing import Any

import pytest

from annotation.answering.queries import screen_contents
from annotation.answering.services import phases
from annotation.designs.services import designs
from annotation.kinds.registry import kind_of
from annotation.models import Assignment, Booklet, PhaseRun, Study, Turn
from annotation.studies.services import studies
from tests.support import factories, rating
from tests.support.annotating import Participant

pytestmark = pytest.mark.django_db


@pytest.fixture
def mine() -> Participant:
    return Participant(factories.make_open_study(dialogues=2))


def shown(mine: Participant) -> str:
    page: str = mine.get("s/1/").content.decode()
    return page


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the screens that were read from the database, in their order."""
    real, numbers = screen_contents.of_booklet, []

    def of_booklet(booklet: int, phase: int, number: int) -> Any:
        numbers.append(number)
        return real(booklet, phase, number)

    monkeypatch.setattr(screen_contents, "of_booklet", of_booklet)
    return numbers


def test_the_questions_of_a_screen_are_read_once(mine: Participant, read: list[int]) -> None:
    other = Participant(mine.study)
    # Both have the only booklet.
    assert other.assignment.booklet == mine.assignment.booklet

    pages = [person.get(f"s/{number}/") for number in (1, 2) for person in (mine, other)]

    assert {page.status_code for page in pages} == {200}
    assert read == [1, 2]


def test_a_long_screen_is_not_kept(
    mine: Participant, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen_contents, "_MAX_OF_SCREEN", 10)

    assert shown(mine) != shown(mine)  # each has a note of its own
    assert read == [1, 1]


def test_what_is_kept_is_measured_in_characters(mine: Participant) -> None:
    n_characters = len(Turn.objects.order_by("pk")[0].text)
    shown(mine)

    assert screen_contents._kept.currsize > n_characters


def test_a_text_of_the_study_changes_at_once(mine: Participant) -> None:
    asked = mine.study.most_question
    before = shown(mine)
    Study.objects.update(title="Another title", most_question="Which one is like it?")

    after = shown(mine)

    assert asked in before
    assert "Another title" in after
    # Of the question and of the help about keys.
    assert asked not in after


def test_each_kind_of_question_has_its_own_files(mine: Participant) -> None:
    rated = Participant(rating.make_rating_study())

    for person, other in ((mine, rated), (rated, mine)):
        scripts = kind_of(person.study).answering.scripts(person.study)
        page = shown(person)
        assert all(script in page for script in scripts)
        of_other = kind_of(other.study).answering.scripts(other.study)
        assert not any(script in page for script in set(of_other) - set(scripts))


def test_instructions_and_their_language_change_at_once(mine: Participant) -> None:
    before = shown(mine)
    Study.objects.update(instructions="Read *twice*.")
    after = shown(mine)
    Study.objects.update(language="de")
    in_german = shown(mine)

    assert "<em>twice</em>" not in before
    assert "<em>twice</em>" in after
    assert "With the keyboard" in after
    assert '<html lang="de">' in in_german
    assert "With the keyboard" not in in_german


def test_the_worked_example_changes_at_once(mine: Participant) -> None:
    before = shown(mine)
    example = {"turns": [{"text": "Ha!"}], "candidates": ["Oh?", "Ah!"], "best": 2, "worst": 1}
    Study.objects.update(worked_example=example)

    assert "Ha!" not in before
    assert "Ha!" in shown(mine)


def test_a_study_that_ends_shows_no_screen(mine: Participant) -> None:
    assert mine.get("s/1/").status_code == 200
    studies.pause(study=mine.study)
    assert mine.get("s/1/").status_code == 200  # who has begun may finish

    studies.finish(study=mine.study)

    assert mine.get("s/1/").status_code == 303


def test_of_a_design_that_is_not_frozen_nothing_is_kept() -> None:
    study = factories.make_study(dialogues=1)
    designs.make(design=study.design)
    booklet = Booklet.objects.select_related("design").get()
    phase = study.design.phases.get()
    run = PhaseRun(assignment=Assignment(booklet=booklet), phase=phase)
    [before, *_] = screen_contents.of_screen(run, 1)
    Turn.objects.update(text="Said in another way.")

    [after, *_] = screen_contents.of_screen(run, 1)

    assert before.turns[0].text != "Said in another way." == after.turns[0].text


def test_of_another_edition_with_the_same_keys_nothing_is_shown(mine: Participant) -> None:
    run = phases.latest(mine.assignment)
    [before, *_] = screen_contents.of_screen(run, 1)
    # As in a database that was set back to an earlier backup: the same keys, other rows.
    Turn.objects.update(text="Said in another way.")
    design = run.assignment.booklet.design
    assert design.made_at
    design.made_at = design.made_at.replace(year=2001)

    [after, *_] = screen_contents.of_screen(run, 1)

    assert before.turns[0].text != "Said in another way." == after.turns[0].text


def test_a_person_is_shown_no_link_of_somebody_else(mine: Participant) -> None:
    other = Participant(mine.study)
    assert mine.key in shown(mine)

    assert mine.key not in shown(other)
    assert other.key in shown(other)
