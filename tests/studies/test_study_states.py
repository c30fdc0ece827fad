"""From draft to finished: what each step needs, and what an opened study refuses."""

import re

import pytest

from annotation.basics.errors import FrozenError, StateError
from annotation.designs.services import designs
from annotation.kinds.design_parameters import BestWorstParameters
from annotation.models import Design, Study
from annotation.studies.services import studies
from tests.support.factories import make_open_study, make_study, make_user

pytestmark = pytest.mark.django_db


def test_a_new_study_has_the_presets_numbers_and_the_texts_of_its_language() -> None:
    study = studies.create(
        owner=make_user(), title="Wie ähnlich?", language="de", preset="giccs", seed=5
    )

    assert re.fullmatch("wie-ahnlich-[0-9a-z]{4}", study.slug)
    assert study.design.seed == 5
    assert study.design.parameters["tuple_size"] == 3
    assert "ähnlich" in study.instructions
    assert studies.current_consent(study).version == 1


def test_a_short_name_does_not_tell_whether_another_study_has_the_title() -> None:
    first, second = (studies.create(owner=make_user(), title="Same") for _ in range(2))

    assert first.slug != second.slug
    assert all(re.fullmatch("same-[0-9a-z]{4}", one.slug) for one in (first, second))


def test_a_drawn_short_name_that_is_taken_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    make_study(slug="same-aaaa")
    codes = iter(["AAAA", "BBBB"])
    monkeypatch.setattr("annotation.basics.keys.new_code", lambda _length: next(codes))

    assert studies.new_slug("Same") == "same-bbbb"


def test_a_title_without_latin_letters_has_a_short_name_too() -> None:
    slug = studies.create(owner=make_user(), title="どれが似ている").slug

    assert re.fullmatch("study-[0-9a-z]{4}", slug)


def test_opening_needs_items() -> None:
    study = studies.create(owner=make_user(), title="Empty")

    with pytest.raises(StateError, match="There are no items yet"):
        studies.open_study(study=study)


def test_opening_needs_a_design() -> None:
    study = make_study()

    with pytest.raises(StateError, match="There is no design yet"):
        studies.open_study(study=study)

    study.refresh_from_db()
    assert study.is_draft


def test_opening_freezes_the_design() -> None:
    study = make_open_study()

    design = study.design
    assert design.is_frozen
    assert design.code_version
    with pytest.raises(FrozenError, match="design is frozen"):
        designs.set_parameters(
            study=study, parameters=BestWorstParameters.of(design), seed=design.seed + 1
        )
    with pytest.raises(FrozenError):
        designs.make(design=design)
    assert Design.objects.get(pk=design.pk).tuples.count() == 20


def test_what_everybody_shall_see_alike_cannot_be_edited_once_open() -> None:
    study = make_open_study()

    with pytest.raises(FrozenError, match="question for the best"):
        studies.edit(study=study, changes={"most_question": "Another?", "title": "New"})

    study.refresh_from_db()
    assert study.title != "New"


def test_what_does_not_change_the_question_can_be_edited_once_open() -> None:
    study = make_open_study()

    studies.edit(study=study, changes={"title": "New", "most_question": study.most_question})

    study.refresh_from_db()
    assert study.title == "New"


def test_a_changed_consent_text_is_a_new_version() -> None:
    study = make_open_study()
    old = studies.current_consent(study)

    studies.edit(study=study, changes={"consent": "Now with a phone number."})
    studies.edit(study=study, changes={"consent": "Now with a phone number."})

    new = studies.current_consent(study)
    assert (old.version, new.version) == (1, 2)
    assert study.consent_texts.get(version=1).text == old.text


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ([studies.pause], "paused"),
        ([studies.pause, studies.open_study], "open"),
        ([studies.close], "closed"),
        ([studies.close, studies.open_study], "open"),
        ([studies.pause, studies.close, studies.finish], "finished"),
        ([studies.pause, studies.pause], "paused"),
    ],
)
def test_steps_that_are_allowed(path, state: str) -> None:
    study = make_open_study()

    for step in path:
        step(study=study)

    assert Study.objects.get(pk=study.pk).state == state


def test_finishing_is_final() -> None:
    study = make_open_study()
    studies.finish(study=study)

    with pytest.raises(StateError, match="cannot be undone"):
        studies.open_study(study=study)


def test_a_draft_cannot_be_paused() -> None:
    with pytest.raises(StateError, match="from draft to paused"):
        studies.pause(study=make_study())


def test_researchers_see_their_own_studies_and_those_shared_with_them() -> None:
    mine, shared, foreign = make_study(), make_study(), make_study()
    shared.shared_with.add(mine.owner)

    assert set(Study.objects.seen_by(mine.owner)) == {mine, shared}
    assert foreign in Study.objects.seen_by(make_user(is_superuser=True))
    assert not Study.objects.seen_by(make_user(is_staff=False)).exists()
