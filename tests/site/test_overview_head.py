"""The top of the overview: how far a study is, answers over time, and what needs a decision."""

import pytest

from annotation.models import PhaseRun, Study, StudyShare
from annotation.monitoring.services import live
from annotation.site.pages.overview_head import Head
from annotation.studies.services import researchers
from tests.support.clock import Clock
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.researcher_pages import finish_booklet, signed_in, url

pytestmark = pytest.mark.django_db


def head(study: Study) -> Head:
    shown: Head = signed_in(study.owner).get(url(study, "change")).context["head"]
    return shown


def test_a_draft_has_none(clock: Clock) -> None:
    assert head(make_study()) == Head([], None, [], has_alerts=False)


@pytest.mark.slow
def test_it_says_how_far_the_study_is_and_has_a_curve_once_answers_are_counted(
    clock: Clock,
) -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 3})
    n_places = study.design.booklets.count() * 3
    before = head(study)
    assert before.curve is None
    assert f"0 of {n_places}" in before.sentences[0]

    person = finish_booklet(study)
    live.watch()
    after = head(study)

    assert f"1 of {n_places}" in after.sentences[0]
    n_answers = person.assignments.get().judgments.count()
    assert str(n_answers) in after.sentences[1]
    assert after.curve is not None
    assert "<svg" in after.curve


def test_what_needs_a_decision_is_listed_for_those_who_decide() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 3})
    finish_booklet(study)
    PhaseRun.objects.update(is_counted=False, is_held=True)
    reader = make_user("reader")
    researchers.share(study=study, username=reader.username, role=StudyShare.Role.READER)

    needs = [str(need) for need in head(study).needs]
    of_reader = signed_in(reader).get(url(study, "change")).context["head"]

    assert any("held for review" in need for need in needs)
    assert of_reader.needs == []
    assert of_reader.sentences


def test_a_closed_study_says_nothing_of_its_end() -> None:
    study = make_open_study(dialogues=1, max_booklets=1, parameters={"annotations_per_tuple": 1})
    finish_booklet(study)
    assert "All places are completed." in head(study).sentences

    Study.objects.filter(pk=study.pk).update(state=Study.State.FINISHED)

    assert "All places are completed." not in head(study).sentences
