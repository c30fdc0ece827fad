"""The design page of a rating study: numbers, what follows, the certificate."""

from dataclasses import replace
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import translation

from annotation.designs.services import designs
from annotation.kinds.design_parameters import (
    PhaseParameters,
    RatingParameters,
)
from annotation.kinds.rating.pages.design import consequences
from annotation.kinds.rating.queries import certificates, plans
from annotation.models import Item, Study
from annotation.studies.services import studies
from tests.support.designed_ratings import made, rating_study
from tests.support.factories import make_study
from tests.support.rated_studies import add_context
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


DEPENDENT = PhaseParameters("context_dependent", delay_hours=72, closes_after_days=14)


def filled(study: Study, **changes: Any) -> dict[str, Any]:
    """The form of the design page as a browser sends it back, with some fields changed."""
    form = signed_in(study.owner).get(url(study, "design")).context["form"]
    sent = {
        field.name: "" if field.value() is None else field.value()
        for field in form
        if not field.field.disabled and field.value() is not False
    }
    return {**sent, **changes}


def test_saving_the_untouched_form_changes_nothing() -> None:
    study = rating_study(
        preset="sts-context",
        pairs=60,
        groups=20,
        calibration=(0, 6),
        numbers={"n_repeats": 3, "repeat_distance": 5},
    )
    before = RatingParameters.of(study.design)

    response = signed_in(study.owner).post(url(study, "design"), filled(study, save="1"))

    assert response.status_code == 302
    assert RatingParameters.of(study.design) == before


def test_numbers_and_a_second_phase_are_stored() -> None:
    study = rating_study(calibration=(0, 3))
    form = filled(
        study,
        ratings_per_item="4",
        calibration="c2\r\n\r\n c1 ",
        second_phase="on",
        delay_hours="48",
        closes_after_days="",
        save="1",
    )

    signed_in(study.owner).post(url(study, "design"), form)

    parameters = RatingParameters.of(study.design)
    assert parameters.ratings_per_item == 4
    assert parameters.calibration == ["c2", "c1"]
    assert parameters.phases == [
        PhaseParameters(),
        PhaseParameters("context_dependent", delay_hours=48, closes_after_days=None),
    ]


def test_the_second_phase_can_be_taken_away_again() -> None:
    study = rating_study(numbers={"phases": [PhaseParameters(), DEPENDENT]})
    form = filled(study, save="1")
    del form["second_phase"]

    signed_in(study.owner).post(url(study, "design"), form)

    assert RatingParameters.of(study.design).phases == [PhaseParameters()]


@pytest.mark.parametrize(
    ("numbers", "field", "problem"),
    [
        ({"calibration": "p1"}, "calibration", "p1 has no known answer"),
        ({"n_teams": "13"}, "n_teams", "at most 12 teams"),
        ({"n_repeats": "13"}, "n_repeats", "at most 12 repeats"),
        ({"n_repeats": "1", "repeat_distance": "13"}, "repeat_distance", "Choose at most 12"),
        ({"ratings_per_item": "0"}, "ratings_per_item", "greater than or equal to 1"),
    ],
)
def test_what_is_impossible_is_said_at_the_field(
    numbers: dict[str, str], field: str, problem: str
) -> None:
    study = rating_study()

    response = signed_in(study.owner).post(url(study, "design"), filled(study, **numbers))

    assert response.status_code == 400
    assert problem in " ".join(response.context["form"].errors[field])
    assert RatingParameters.of(study.design) == RatingParameters()


@pytest.mark.parametrize(
    ("pairs", "repeats", "distance"), [(60, 5, 20), (20, 5, 20), (12, 5, 6), (3, 3, 1)]
)
def test_the_page_proposes_repeats_that_fit_the_items(
    pairs: int, repeats: int, distance: int
) -> None:
    study = rating_study(preset="sts-context", pairs=pairs)
    before = RatingParameters.of(study.design)

    page = signed_in(study.owner).get(url(study, "design"))
    form = page.context["form"]
    proposed = (form["n_repeats"].value(), form["repeat_distance"].value())
    notes = [form["n_repeats"].help_text, form["repeat_distance"].help_text]

    assert proposed == (repeats, distance)
    assert page.context["problem"] == ""
    # The page says which of its numbers are not the saved ones.
    assert ("20 " in notes[1]) == (distance != 20)
    assert ("5 " in notes[0]) == (repeats != 5)
    assert RatingParameters.of(study.design) == before
    saved = signed_in(study.owner).post(url(study, "design"), filled(study, save="1"))
    assert saved.status_code == 302
    assert RatingParameters.of(study.design).repeat_distance == distance


def test_what_is_impossible_names_its_field_while_typing() -> None:
    study = rating_study()
    numbers = filled(study, n_repeats="1", repeat_distance="13")

    problem = signed_in(study.owner).get(url(study, "consequences"), numbers).json()["problem"]

    assert problem.startswith("Minimum distance of repeats: ")


def test_what_follows_from_the_numbers_is_said_while_typing() -> None:
    study = rating_study(pairs=150, groups=50, calibration=(0, 6))
    numbers = filled(study, n_repeats="5", second_phase="on")

    answer = signed_in(study.owner).get(url(study, "consequences"), numbers).json()

    assert answer == {
        "sentence": (
            "150 items to rate. This takes 27 people. Everybody answers 57 questions in "
            "each of 2 phases. In total, 2,700 ratings are collected, not counting "
            "calibration, repeats and checks. Each person rates at most one item of a "
            "group."
        ),
        "problem": "",
    }


def test_uneven_loads_are_said_as_they_are() -> None:
    study = rating_study(pairs=10)
    numbers = filled(study, ratings_per_item="2", items_per_booklet="7")

    answer = signed_in(study.owner).get(url(study, "consequences"), numbers).json()

    assert answer["sentence"].startswith(
        "10 items to rate. This takes 3 people. Everybody answers 6 to 7 questions in 1 phase."
    )


def test_the_page_shows_the_certificate_and_the_first_questions() -> None:
    design = made(pairs=12, groups=4, calibration=(6,), numbers={"ratings_per_item": 3})

    page = text(signed_in(design.study.owner).get(url(design.study, "design")))

    assert "12 items are rated by 3 people each. 9 people take part." in page
    assert "The items form 4 groups of 3. Nobody rates two items of a group." in page
    assert "Everybody rates 4 items." in page
    assert "First text of c1." in page
    assert "c1 (calibration)" in page
    assert "Tuples as a multiple of items" not in page
    assert "Items with a known answer:" in page


def test_the_desk_counts_items_and_booklets() -> None:
    design = made(pairs=12, numbers={"ratings_per_item": 3})

    page = text(signed_in(design.study.owner).get(url(design.study, "change")))

    assert "12 items in 3 booklets, 3 places." in page


@pytest.mark.parametrize(
    ("study", "sentences"),
    [
        (
            {"pairs": 64, "numbers": {"ratings_per_item": 32, "items_per_booklet": 64}},
            ["32 people take part.", "Everybody rates all 64 items."],
        ),
        (
            {"pairs": 10, "numbers": {"ratings_per_item": 2, "n_teams": 2}},
            [
                "4 people take part, in 2 teams with separate items.",
                "Everybody in a team rates all of its items.",
            ],
        ),
        (
            {
                "pairs": 12,
                "groups": 4,
                "numbers": {"ratings_per_item": 2, "arrangement": "grouped"},
            },
            [
                (
                    "People work in groups of 3. "
                    "Each group divides every group of items among its members."
                )
            ],
        ),
        (
            {"pairs": 7, "groups": 3, "numbers": {"ratings_per_item": 2}},
            [
                "The items form 3 groups of up to 3. Nobody rates two items of a group.",
                "exactly the same people. Two people share",
            ],
        ),
        (
            {"pairs": 10, "numbers": {"ratings_per_item": 1, "items_per_booklet": 3}},
            ["10 items are rated by 1 person each.", "Everybody rates 2 to 3 items."],
        ),
    ],
)
def test_the_certificate_is_said_from_its_numbers(
    study: dict[str, Any], sentences: list[str]
) -> None:
    design = made(**study)

    certificate = " ".join(certificates.sentences(design.certificate or {}))

    for sentence in sentences:
        assert sentence in certificate
    with translation.override("de"):
        assert certificates.sentences(design.certificate or {})


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        (0.0024, "0.0024"),
        (0.56, "0.56"),
        (4.5, "4.5"),
        (3e-9, "< 0.0001"),
        (0, "0"),
        (1234, "1,200"),
    ],
)
def test_what_a_random_draw_has_keeps_two_digits(expected: float, words: str) -> None:
    design = made(pairs=12, groups=4, numbers={"ratings_per_item": 2})
    certificate = {**(design.certificate or {}), "n_equal_pairs_expected": expected}

    assert f"a random draw has {words} such pairs" in " ".join(certificates.sentences(certificate))


def test_a_phase_in_context_without_contexts_is_warned_of() -> None:
    design = made(numbers={"phases": [PhaseParameters(), DEPENDENT]})

    assert plans.warnings(design) == [
        ("A phase shows the items in context, but no item has a context. They are shown alone.")
    ]


def test_calibration_without_contexts_is_no_reason_to_warn() -> None:
    design = made(calibration=(0, 6), numbers={"phases": [PhaseParameters(), DEPENDENT]})
    (turn,) = add_context(design.study, "report", ["A sentence."])
    rated = design.study.items.filter(key__startswith="p")
    rated.update(target_text=None, target_turn=turn)
    assert plans.warnings(design) == []

    rated.filter(key="p1").update(target_text="Alone.", target_turn=None)
    assert plans.warnings(design) == [
        "A phase shows the items in context, but 1 item has no context."
    ]


def test_known_answers_off_the_scale_are_warned_of() -> None:
    design = made()
    Item.objects.filter(key__in=["p2", "p3"]).update(expected="2.5")

    assert plans.warnings(design)[0] == (
        "The known answers of 2 items are not on the scale: p2, p3."
    )


def test_before_opening_the_page_says_what_is_frozen() -> None:
    design = made(pairs=12, numbers={"ratings_per_item": 3})

    page = text(signed_in(design.study.owner).get(url(design.study, "open")))

    assert "12 items, 3 booklets with 3 places. Items, phases and orders" in page
    assert "the scale and the comprehension question are frozen too" in page


def test_a_frozen_design_shows_its_numbers_and_keeps_them() -> None:
    design = made(numbers={"phases": [PhaseParameters(), DEPENDENT]})
    study = studies.open_study(study=design.study)
    form = filled(study, idle_minutes="50", save="1")

    response = signed_in(study.owner).post(url(study, "design"), form)

    assert response.status_code == 302
    study.refresh_from_db()
    assert study.idle_minutes == 50
    assert study.design.made_at == design.made_at
    late = filled(study, ratings_per_item="3", save="1")
    assert signed_in(study.owner).post(url(study, "design"), late).status_code == 409


def test_a_best_worst_design_keeps_its_form() -> None:
    study = make_study()
    designs.make(design=study.design)

    page = text(signed_in(study.owner).get(url(study, "design")))

    assert "Tuples as a multiple of items" in page
    assert "Sum of squared pair counts" in page


# -- Items with a known answer --------------------------------------------------------------------


def unnamed(**given: Any) -> Study:
    """Two items have a known answer, and nobody has named them for calibration."""
    study = rating_study(**{"calibration": (0, 6), **given})
    parameters = replace(RatingParameters.of(study.design), calibration=[])
    designs.set_parameters(study=study, parameters=parameters, seed=1)
    return study


def test_items_with_a_known_answer_are_proposed_for_calibration() -> None:
    study = unnamed()
    client = signed_in(study.owner)

    page = client.get(url(study, "design"))

    assert page.context["form"]["calibration"].value() == "c1\nc2"
    # The plan is that of what is filled in: without the two.
    expected = consequences(
        study, replace(RatingParameters.of(study.design), calibration=["c1", "c2"])
    )
    assert str(page.context["sentence"]) == str(expected)
    client.post(url(study, "design"), filled(study, save="1"))
    study.refresh_from_db()
    assert RatingParameters.of(study.design).calibration == ["c1", "c2"]


def test_answers_that_rather_are_those_of_a_data_set_are_not_proposed() -> None:
    study = unnamed(pairs=3)
    study.items.update(expected="1")

    page = signed_in(study.owner).get(url(study, "design"))

    assert page.context["form"]["calibration"].value() == ""


def test_known_answers_that_do_not_calibrate_are_said_to_be_scored() -> None:
    study = unnamed()
    designs.make(design=study.design)
    [warning] = plans.warnings(study.design)

    design, opening = (
        text(signed_in(study.owner).get(url(study, name))) for name in ("design", "open")
    )

    assert "c1, c2" in warning
    assert warning in design
    assert warning in opening
    # What was made without is not proposed once more.
    page = signed_in(study.owner).get(url(study, "design"))
    assert page.context["form"]["calibration"].value() == ""


def test_the_command_says_what_does_not_calibrate(capsys: pytest.CaptureFixture[str]) -> None:
    study = unnamed()

    call_command("make_design", study.slug)
    without = capsys.readouterr().err
    call_command("make_design", study.slug, "--calibration", "c1", "c2")
    named = capsys.readouterr().err

    assert "c1, c2" in without
    assert "--calibration" in without
    assert "c1, c2" not in named
