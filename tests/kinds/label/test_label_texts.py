"""Describing a label study: its question and its categories, in the place of best and worst."""

import pytest
from django.urls import reverse

from annotation.basics.categories import Categories, CategoriesError
from annotation.basics.errors import FrozenError
from annotation.designs.services import designs
from annotation.kinds.label.default_categories import categories_in
from annotation.models import Study
from annotation.reviews import services as reviews
from annotation.studies import presets
from annotation.studies.services import studies
from tests.kinds.rating.test_rating_texts import described
from tests.support.designed_ratings import rating_study
from tests.support.factories import make_user
from tests.support.researcher_pages import in_one_line, said, signed_in, text, url
from tests.support.reviewing import review_of, scored_ratings

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return rating_study(preset="labels", pairs=2)


def test_a_new_study_of_labels_can_be_made_and_has_categories() -> None:
    client = signed_in(make_user())
    page = text(client.get(reverse("admin:annotation_study_add")))
    assert "Labels: sort pairs into your categories" in page

    client.post(
        reverse("admin:annotation_study_add"),
        {"title": "Which sort?", "preset": "labels", "language": "de"},
    )

    study = Study.objects.get(title="Which sort?")
    assert study.kind == "label"
    assert study.categories == categories_in(presets.PRESETS["labels"], "de")
    assert study.categories["names"] != categories_in(presets.PRESETS["labels"], "en")["names"]


def test_the_page_has_a_question_and_categories_and_nothing_of_other_kinds(study) -> None:
    page = text(signed_in(study.owner).get(url(study, "describe"))).split("<main")[-1]

    assert "Which category fits this pair?" in page
    assert "same meaning: Either text could replace the other." in page
    assert "People can choose several for one item" in page
    for other in ("Question for the best item", "Worked example", "In steps of", "Scale"):
        assert other not in page


def test_saving_an_untouched_form_changes_nothing(study) -> None:
    before = Study.objects.filter(pk=study.pk).values().get()
    form = {name: value for name, value in described(study).items() if name != "several"}

    response = signed_in(study.owner).post(url(study, "describe"), form)

    assert response.status_code == 302
    assert Study.objects.filter(pk=study.pk).values().get() == before


def test_question_and_categories_are_stored_as_they_are_used(study) -> None:
    form = described(
        study,
        rating_question="Which error is it?",
        categories=" agreement : case: or number\r\n\r\nNumbers, dates\r\nother:\r\n",
        several="on",
    )

    response = signed_in(study.owner).post(url(study, "describe"), form, follow=True)

    study.refresh_from_db()
    assert study.rating_question == "Which error is it?"
    assert study.categories == {
        "names": ["agreement", "Numbers, dates", "other"],
        "several": True,
        "explanations": {"agreement": "case: or number"},
    }
    assert said(response) == ["Saved: categories, question."]


def test_the_order_of_the_names_alone_is_a_change(study) -> None:
    first, *others = study.categories["names"]

    form = described(study, categories="\n".join([*others, first]))
    del form["several"]
    signed_in(study.owner).post(url(study, "describe"), form)

    study.refresh_from_db()
    assert study.categories["names"] == [*others, first]
    assert study.categories["several"] is False


@pytest.mark.parametrize(
    ("typed", "problems"),
    [
        ("one", ["List 2 to 30 categories, not 1."]),
        ("\n".join(map(str, range(31))), ["List 2 to 30 categories, not 31."]),
        ("", ["This field is required."]),
        (
            "a\n\n: without a name\nA\nx|y",
            [
                "Line 3: Each category needs a name",
                "Line 4: The category A is listed twice.",
                "Line 5: The category name x|y contains a character that is not allowed",
            ],
        ),
        ("a\n" + "b" * 101, [f"Line 2: The category {'b' * 20}… is longer than 100 characters."]),
        ("a: " + "b" * 301 + "\nc", ["Line 1: The explanation of a is longer than 300"]),
    ],
)
def test_what_are_no_categories_is_said_by_the_line(study, typed, problems) -> None:
    before = study.categories

    response = signed_in(study.owner).post(
        url(study, "describe"), described(study, categories=typed)
    )

    assert response.status_code == 400
    errors = response.context["form"].errors["categories"]
    assert len(errors) == len(problems)
    for error, problem in zip(errors, problems, strict=True):
        assert str(error).startswith(problem)
    study.refresh_from_db()
    assert study.categories == before


def test_the_preview_shows_the_categories_and_stores_nothing(study) -> None:
    form = described(study, categories="near: not far\nfar", several="on", preview="1")

    page = in_one_line(text(signed_in(study.owner).post(url(study, "describe"), form)))

    assert '<dt lang="en" dir="ltr">near</dt><dd lang="en" dir="ltr">not far</dd>' in page
    assert "People can choose several for one item." in page
    study.refresh_from_db()
    assert "near" not in study.categories["names"]


def test_an_opened_study_keeps_its_categories(study) -> None:
    designs.make(design=study.design)
    studies.open_study(study=study)

    page = text(signed_in(study.owner).get(url(study, "describe")))
    response = signed_in(study.owner).post(
        url(study, "describe"), described(study, categories="a\nb")
    )

    assert "question, categories and comprehension question are frozen" in page
    assert response.status_code == 409
    with pytest.raises(FrozenError, match="categories: frozen"):
        studies.edit(study=study, changes={"categories": {"names": ["a", "b"]}})


def test_an_opened_study_keeps_whether_several_may_be_chosen(study) -> None:
    designs.make(design=study.design)
    studies.open_study(study=study)

    response = signed_in(study.owner).post(url(study, "describe"), described(study, several="on"))

    assert response.status_code == 409
    study.refresh_from_db()
    assert study.categories["several"] is False


def test_categories_of_which_nobody_could_choose_are_stored_by_nobody(study) -> None:
    with pytest.raises(CategoriesError, match="not 1"):
        studies.edit(study=study, changes={"categories": {"names": ["only"]}})


def test_without_categories_a_study_does_not_open(study) -> None:
    designs.make(design=study.design)
    Study.objects.update(categories={})

    with pytest.raises(CategoriesError, match="not 0"):
        studies.open_study(study=study)


def test_names_that_look_alike_or_hide_something_are_refused(study) -> None:
    for names, message in (
        (["caf\u00e9", "cafe\u0301"], "is listed twice"),
        (["yes", "y\u200bes"], "an invisible character"),
        (["yes", "no\u202e"], "an invisible character"),
    ):
        with pytest.raises(CategoriesError, match=message):
            Categories.of({"names": names})


_NEEDS_TWO = "An expert check needs exactly two categories and one choice per item"


@pytest.fixture
def check() -> Study:
    return review_of(scored_ratings({"p1": ("6",), "p2": ("1",)}))


@pytest.mark.parametrize(
    ("names", "is_several"), [(["over", "under", "cannot say"], False), (["over", "under"], True)]
)
def test_an_expert_check_keeps_two_sides(check: Study, names, *, is_several: bool) -> None:
    before = check.categories
    several = {"several": "on"} if is_several else {}
    form = {name: value for name, value in described(check).items() if name != "several"}
    form |= {"categories": "\n".join(names), **several}

    response = signed_in(check.owner).post(url(check, "describe"), form)

    assert response.status_code == 400
    (error,) = response.context["form"].errors["categories"]
    assert str(error).startswith(_NEEDS_TWO)
    wrong = {"names": names, "several": is_several}
    with pytest.raises(CategoriesError, match=_NEEDS_TWO):
        studies.edit(study=check, changes={"categories": wrong})
    check.refresh_from_db()
    assert check.categories == before

    reviews.choose_for_experts(study=check)
    designs.make(design=check.design)
    Study.objects.filter(pk=check.pk).update(categories=wrong)
    with pytest.raises(CategoriesError, match=_NEEDS_TWO):
        studies.open_study(study=check)


def test_an_expert_check_says_what_each_line_means(check: Study) -> None:
    page = text(signed_in(check.owner).get(url(check, "describe")))
    assert "the first means above the middle, the second below it" in page

    form = {name: value for name, value in described(check).items() if name != "several"}
    form |= {"categories": "over\nunder"}
    assert signed_in(check.owner).post(url(check, "describe"), form).status_code == 302
    check.refresh_from_db()
    assert check.categories["names"] == ["over", "under"]
