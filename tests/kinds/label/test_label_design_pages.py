"""The design of a label study: the numbers of a rating design, in words that fit labels."""

import re

import pytest
from django.core.management import CommandError, call_command

from annotation.designs.services import designs
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.rating.queries import certificates
from annotation.models import Context, Item, Study, Turn
from annotation.studies.services import studies
from tests.kinds.rating.test_rating_design_pages import filled
from tests.support.designed_ratings import rating_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def words(page: str) -> str:
    """What a page says, without its tags; the study of the tests is named after ratings."""
    return re.sub(r"<[^>]+>|[Rr]atings[ -]\d+", " ", page)


@pytest.fixture
def study() -> Study:
    return rating_study(preset="labels", pairs=12)


def test_the_form_speaks_of_labels_and_has_no_calibration(study) -> None:
    page = text(signed_in(study.owner).get(url(study, "design"))).split("<main")[-1]

    assert "People per item" in page
    assert "<h3>Repeats</h3>" in page
    for other in ("alibration", "rates", "Ratings", "earlier round"):
        assert other not in words(page)


def test_saving_the_untouched_form_changes_nothing(study) -> None:
    before = RatingParameters.of(study.design)

    response = signed_in(study.owner).post(url(study, "design"), filled(study, save="1"))

    assert response.status_code == 302
    assert RatingParameters.of(study.design) == before


def test_what_follows_from_the_numbers_is_said_while_typing(study) -> None:
    numbers = filled(study, n_repeats="2", repeat_distance="3", second_phase="on")

    answer = signed_in(study.owner).get(url(study, "consequences"), numbers).json()

    assert answer == {
        "sentence": (
            "12 items to label. This takes 3 people. Everybody answers 14 questions in "
            "each of 2 phases. In total, 72 labels are collected, not counting repeats "
            "and checks."
        ),
        "problem": "",
    }


def test_groups_of_items_are_said() -> None:
    study = rating_study(preset="labels", pairs=12, groups=4)

    answer = signed_in(study.owner).get(url(study, "consequences"), filled(study)).json()

    assert answer["sentence"].endswith("Nobody labels two items of a group.")
    design = designs.make(design=study.design)
    page = text(signed_in(study.owner).get(url(study, "design")))
    assert "12 items are labelled by 3 people each. 9 people take part." in page
    assert "Everybody labels 4 items." in page
    assert "The items form 4 groups of 3. Nobody labels two items of a group." in page
    assert "People per item" in page
    assert "<li>" in page
    assert not any(
        "rates" in line for line in certificates.sentences(design.certificate, of_labels=True)
    )


def test_everybody_labels_all_items_where_there_are_few(study) -> None:
    designs.make(design=study.design)

    page = text(signed_in(study.owner).get(url(study, "design")))

    assert "Everybody labels all 12 items." in page
    assert "Questions on a screen: at most 1. Repeats in each phase: 0." in page


def test_calibration_is_refused_because_a_label_is_no_number(study) -> None:
    Item.objects.filter(key="p1").update(expected=1)

    with pytest.raises(CommandError, match="A label study has no calibration items"):
        call_command("make_design", study.slug, "--calibration", "p1")

    assert not study.design.is_made


def test_the_command_makes_the_design(study, capsys) -> None:
    call_command("make_design", study.slug, "--ratings-per-item", "4")

    assert capsys.readouterr().out
    assert study.design.certificate["ratings_per_pair"] == 4
    assert {q.kind for b in study.design.booklets.all() for q in b.questions.all()} == {"label"}


def test_desk_and_opening_say_what_there_is(study) -> None:
    designs.make(design=study.design)
    client = signed_in(study.owner)

    assert "12 items in 3 booklets, 3 places." in text(client.get(url(study, "change")))
    page = text(client.get(url(study, "open")))
    assert "12 items, 3 booklets with 3 places. Items, phases and orders" in page
    assert "the question, the categories and the comprehension question are frozen too" in page


def test_a_researcher_walks_through_the_questions(study) -> None:
    designs.make(design=study.design)
    client = signed_in(study.owner)

    page = text(client.get(url(study, "try_screen", 1, 1)))

    assert "Which category fits this pair?" in page
    assert page.count('data-role="categories"') == 3
    assert "choose this category, or undo the choice" in page


@pytest.mark.parametrize("name", ["change", "items", "design", "collect", "people", "try", "open"])
def test_no_page_of_the_study_speaks_of_ratings_or_scales(study, name) -> None:
    designs.make(design=study.design)
    if name in {"collect", "people"}:
        studies.open_study(study=study)

    page = text(signed_in(study.owner).get(url(study, name))).split("<main")[-1]

    assert not re.search(r"\b([Rr]at(ings?|e[ds]?)|[Ss]cale)\b", words(page))


@pytest.mark.parametrize("preset", ["labels", "training"])
def test_contexts_that_no_phase_shows_are_named(preset: str) -> None:
    study = rating_study(preset=preset, pairs=12)
    client = signed_in(study.owner)
    for item in study.items.filter(key__in=["p1", "p2"]):
        context = Context.objects.create(study=study, key=f"d-{item.key}", n_turns=2)
        item.target_turn = Turn.objects.create(context=context, position=2, text="Shown.")
        item.target_text = None
        item.save()
    # Of one sentence alone there is no context to show.
    context_alone = Context.objects.create(study=study, key="d-p3", n_turns=1)
    turn = Turn.objects.create(context=context_alone, position=1, text="Alone.")
    study.items.filter(key="p3").update(target_turn=turn, target_text=None)
    remark = "2 items have contexts, but no phase shows them."

    def sentence(**changes: str) -> str:
        return client.get(url(study, "consequences"), filled(study, **changes)).json()["sentence"]

    assert remark in sentence()
    assert remark not in sentence(first_condition="context_dependent")
    designs.make(design=study.design)
    assert remark in client.get(url(study, "design")).context["certificate"]["sentences"]
