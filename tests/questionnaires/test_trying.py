"""The questions about people in the walk through a study: checked as always, and never stored."""

import pytest

from annotation.models import Annotator, QuestionnaireReply, Study
from tests.questionnaires.forms import AFTER, BEFORE
from tests.support.rating import TWICE, make_rating_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

AGE = {
    "key": "age",
    "kind": "number",
    "text": "How old are you?",
    "required": True,
    "screens_out": ["< 18"],
}


def test_the_questions_stand_where_people_meet_them() -> None:
    study = make_rating_study(phases=TWICE, items_per_booklet=3)
    one = {"key": "tired", "kind": "text", "text": "Are you tired?"}
    study.questionnaires = {
        "before": {"questions": [AGE]},
        "between": {"questions": [one]},
        "after": {"questions": [{**one, "key": "hard", "text": "Was it hard?"}]},
    }
    Study.objects.filter(pk=study.pk).update(questionnaires=study.questionnaires)
    client = signed_in(study.owner)
    before, between, after = (
        url(study, "try_questionnaire", 1, moment) for moment in ("before", "between", "after")
    )

    assert client.post(url(study, "try"), {"agree": "1"})["Location"] == before
    missing = client.post(before, {})
    assert (missing.status_code, [each.question.key for each in missing.context["problems"]]) == (
        400,
        ["age"],
    )
    assert client.post(before, {"age": "30"})["Location"] == url(study, "try_instructions")
    ended = client.post(before, {"age": "17"})
    assert "people with other answers" in text(ended)
    assert url(study, "try_instructions") in text(ended)
    n_screens = study.design.booklets.get(number=1).n_screens
    assert client.get(url(study, "try_pause", 1, 1)).context["next_url"] == between
    second_part = url(study, "try_screen", 1, n_screens + 1)
    assert client.post(between, {})["Location"] == second_part
    # Whoever walks through another booklet goes on in that one.
    elsewhere = client.get(url(study, "try_pause", 2, 1)).context["next_url"]
    assert client.post(elsewhere, {})["Location"] == url(study, "try_screen", 2, n_screens + 1)
    last = client.get(url(study, "try_screen", 1, 2 * n_screens))
    assert last.context["urls"]["next"] == after
    assert client.post(after, {"hard": "no"})["Location"] == url(study, "try_thanks")
    assert not QuestionnaireReply.objects.exists()
    assert not Annotator.objects.exists()


@pytest.mark.parametrize("moment", ["between", "never"])
def test_a_moment_without_questions_is_no_page(moment: str) -> None:
    study = make_rating_study()
    study.questionnaires = {"before": BEFORE, "after": AFTER}
    Study.objects.filter(pk=study.pk).update(questionnaires=study.questionnaires)

    assert (
        signed_in(study.owner).get(url(study, "try_questionnaire", 1, moment)).status_code == 404
    )


def test_without_questions_the_walk_goes_on() -> None:
    study = make_rating_study()
    client = signed_in(study.owner)

    posted = client.post(url(study, "try"), {"agree": "1"})

    assert posted["Location"] == url(study, "try_instructions")
    n_screens = study.design.booklets.get(number=1).n_screens
    last = client.get(url(study, "try_screen", 1, n_screens))
    assert last.context["urls"]["next"] == url(study, "try_thanks")
