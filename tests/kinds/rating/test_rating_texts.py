"""Describing a rating study: its question and its scale, in the place of best and worst."""

from typing import Any

import pytest

from annotation.basics.errors import FrozenError
from annotation.basics.scale import ScaleError
from annotation.designs.services import designs
from annotation.kinds.design_parameters import ImpossibleParametersError
from annotation.models import Item, Study
from annotation.studies.services import studies
from tests.support.designed_ratings import rating_study
from tests.support.factories import make_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def described(study: Study, **changes: str) -> dict[str, Any]:
    """The form of the describe page as a browser sends it back, with some fields changed."""
    form = signed_in(study.owner).get(url(study, "describe")).context["form"]
    sent = {
        field.name: str("" if field.value() is None else field.value()).replace("\n", "\r\n")
        for field in form
        if not field.field.disabled
    }
    return {**sent, **changes}


def test_the_page_has_a_question_and_a_scale_and_no_best_and_worst() -> None:
    study = rating_study(preset="answer-similarity", pairs=1)

    page = text(signed_in(study.owner).get(url(study, "describe")))

    assert "Do these two answers say the same thing?" in page
    assert "1: partly the same" in page
    assert "Question for the best item" not in page
    assert "Worked example" not in page
    assert "Comprehension question" in page


def test_a_best_worst_study_keeps_its_page() -> None:
    study = make_study()

    page = text(signed_in(study.owner).get(url(study, "describe")))

    assert "Question for the best item" in page
    assert "Worked example" in page
    assert "In steps of" not in page


@pytest.mark.parametrize("preset", ["sts-context", "stss-131", "answer-similarity"])
def test_saving_an_untouched_form_changes_nothing(preset: str) -> None:
    study = rating_study(preset=preset, pairs=1)
    before = Study.objects.filter(pk=study.pk).values().get()

    response = signed_in(study.owner).post(url(study, "describe"), described(study))

    assert response.status_code == 302
    assert Study.objects.filter(pk=study.pk).values().get() == before


def test_question_and_scale_are_stored_as_they_are_used() -> None:
    study = rating_study()
    form = described(
        study,
        rating_question="How close?",
        scale_low="0",
        scale_high="2",
        scale_step="0,5",
        scale_labels="0: far: apart\r\n\r\n2: near\r\n1: between",
        check_prompt="Ready?",
        check_options="no\r\nyes",
        check_right="2",
    )

    response = signed_in(study.owner).post(url(study, "describe"), form)

    assert response.status_code == 302
    study.refresh_from_db()
    assert study.rating_question == "How close?"
    assert study.scale == {
        "low": "0.0",
        "high": "2.0",
        "step": "0.5",
        "labels": {"0.0": "far: apart", "1.0": "between", "2.0": "near"},
    }
    assert study.comprehension["right"] == 2


@pytest.mark.parametrize(
    ("typed", "field", "problem"),
    [
        ({"scale_low": "low"}, "scale_low", "a number with at most 3 decimals"),
        ({"scale_step": "0.0001"}, "scale_step", "a number with at most 3 decimals"),
        ({"scale_step": "4"}, "scale_step", "Steps of 4 do not lead from 0 exactly to 6"),
        ({"scale_high": "0"}, "scale_step", "must be below"),
        ({"scale_labels": "0: a"}, "scale_labels", "both ends of the scale: 6."),
        ({"scale_labels": "0: a\n6 b"}, "scale_labels", "“6 b” is not a point with a label"),
        ({"scale_labels": "0: a\n0: b\n6: c"}, "scale_labels", "The point 0 has two labels"),
        ({"scale_labels": "0: a\n6: c\n7: d"}, "scale_labels", "7 has a label but is not a point"),
        ({"rating_question": ""}, "rating_question", "required"),
    ],
)
def test_what_is_no_scale_is_said_at_the_field(
    typed: dict[str, str], field: str, problem: str
) -> None:
    study = rating_study()

    response = signed_in(study.owner).post(url(study, "describe"), described(study, **typed))

    assert response.status_code == 400
    assert problem in " ".join(response.context["form"].errors[field])
    assert Study.objects.get().scale == study.scale


def test_the_preview_shows_every_point_of_a_short_scale() -> None:
    study = rating_study()
    form = described(study, scale_labels="0: nothing\n3: half\n6: all", preview="1")

    response = signed_in(study.owner).post(url(study, "describe"), form)

    assert response.context["preview"]["scale"]["points"] == [
        ("0", "nothing"),
        ("1", ""),
        ("2", ""),
        ("3", "half"),
        ("4", ""),
        ("5", ""),
        ("6", "all"),
    ]
    assert '<dd lang="en" dir="ltr">half</dd>' in text(response)
    study.refresh_from_db()
    assert "3" not in study.scale["labels"]


def test_the_preview_shows_the_ends_of_a_long_scale() -> None:
    study = rating_study(preset="stss-131", pairs=1)

    response = signed_in(study.owner).post(url(study, "describe"), described(study, preview="1"))

    assert [point for point, _ in response.context["preview"]["scale"]["points"]] == [
        "0.00",
        "4.00",
    ]
    assert "401 points in steps of 0.01." in text(response)


def test_known_answers_that_leave_the_scale_are_said() -> None:
    study = rating_study(calibration=(0, 6))
    form = described(study, scale_high="4", scale_labels="0: a\n4: b")

    response = signed_in(study.owner).post(url(study, "describe"), form, follow=True)

    assert "The known answer of 1 item is not on the scale: c2." in text(response)
    study.refresh_from_db()
    with pytest.raises(ImpossibleParametersError, match="c2, 6, is not on the scale"):
        designs.make(design=study.design)
    assert Item.objects.get(key="c2").expected == 6


def test_an_opened_study_keeps_its_scale() -> None:
    study = rating_study()
    designs.make(design=study.design)
    studies.open_study(study=study)

    page = text(signed_in(study.owner).get(url(study, "describe")))
    late = {"scale_low": "1", "scale_high": "6", "scale_step": "1", "scale_labels": "1: a\n6: b"}
    response = signed_in(study.owner).post(url(study, "describe"), described(study, **late))

    assert "question, scale and comprehension question are frozen" in page
    assert response.status_code == 409
    with pytest.raises(FrozenError, match="scale: frozen"):
        studies.edit(study=study, changes={"scale": {"low": "0", "high": "1", "step": "1"}})
    with pytest.raises(FrozenError, match="question for a rating: frozen"):
        studies.edit(study=study, changes={"rating_question": "Else?"})


def test_what_is_no_scale_is_not_stored_by_anybody() -> None:
    with pytest.raises(ScaleError):
        studies.edit(study=rating_study(), changes={"scale": {"low": "3", "high": "1"}})
