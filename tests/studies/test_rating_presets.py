"""Ready-made rating studies: their numbers make a design, their texts and scales are there."""

from typing import Any

import pytest

from annotation.basics.errors import StateError
from annotation.basics.scale import Scale, ScaleError
from annotation.kinds import default_texts
from annotation.kinds.rating import presets as rating_presets
from annotation.models.kinds import QuestionKind
from annotation.studies import presets
from annotation.studies.services import studies
from tests.support.designed_ratings import made, rating_study
from tests.support.factories import make_study, make_user

pytestmark = pytest.mark.django_db

RATINGS = [preset.key for preset in rating_presets.PRESETS]


@pytest.mark.parametrize(
    ("preset", "items", "n_booklets", "n_questions", "n_ratings"),
    [
        (
            "sts-context",
            {"pairs": 150, "groups": 50, "calibration": (0, 3, 6, 0, 3, 6)},
            27,
            61,
            9,
        ),
        ("czech-round-2", {"pairs": 90, "groups": 30}, 3, 30, 1),
        ("training", {"pairs": 120}, 3, 40, 1),
        ("stss-131", {"pairs": 64, "calibration": (0, 4)}, 32, 66, 32),
        ("answer-similarity", {"pairs": 200}, 6, 100, 3),
    ],
)
def test_a_preset_has_the_numbers_of_its_data_set(
    preset: str, items: dict[str, Any], n_booklets: int, n_questions: int, n_ratings: int
) -> None:
    design = made(preset=preset, **items)

    certificate = design.certificate
    assert certificate["booklets"]["n_booklets"] == n_booklets
    assert certificate["booklets"]["questions_per_phase_max"] == n_questions
    assert certificate["ratings_per_pair"] == n_ratings
    assert studies.open_study(study=design.study).takes_new_people


def test_every_rating_preset_is_tried_above() -> None:
    assert RATINGS == ["sts-context", "czech-round-2", "training", "stss-131", "answer-similarity"]


@pytest.mark.parametrize("preset", RATINGS)
@pytest.mark.parametrize("language", default_texts.LANGUAGES)
def test_texts_and_words_of_the_scale_are_in_the_language(preset: str, language: str) -> None:
    study = studies.create(owner=make_user(), title="T", preset=preset, language=language)
    english = studies.create(owner=make_user(), title="E", preset=preset)

    scale = Scale.of(study.scale)
    assert study.kind == QuestionKind.RATING
    assert scale.label(scale.low)
    assert scale.label(scale.high)
    assert not study.worked_example
    if language != "en":
        for name in ("rating_question", "instructions", "scale", "thanks"):
            assert getattr(study, name) != getattr(english, name)


def test_answers_have_a_word_at_every_point() -> None:
    study = studies.create(owner=make_user(), title="A", preset="answer-similarity")

    assert study.scale == {
        "low": "0",
        "high": "2",
        "step": "1",
        "labels": {"0": "different", "1": "partly the same", "2": "the same"},
    }
    assert "answers" in study.rating_question


def test_stss_has_two_decimals() -> None:
    scale = Scale.of(rating_study(preset="stss-131", pairs=1).scale)

    assert scale.text(scale.high) == "4.00"
    assert scale.n_points == 401


def test_a_later_round_repeats_what_the_earlier_asked() -> None:
    earlier = rating_study()

    study = studies.create(
        owner=make_user(), title="Later", preset="sts-context", earlier_round=earlier
    )

    assert study.earlier_round == earlier
    assert study.design.parameters["repeat_from"] == "earlier_round"
    assert presets.PRESETS["sts-context"].parameters["repeat_from"] == "booklet"


def test_only_ratings_continue_ratings() -> None:
    with pytest.raises(StateError, match="Only a rating study"):
        studies.create(owner=make_user(), title="L", preset="training", earlier_round=make_study())
    with pytest.raises(StateError, match="Only a rating study"):
        studies.create(owner=make_user(), title="L", preset="giccs", earlier_round=rating_study())


def test_without_a_scale_a_study_is_not_opened() -> None:
    design = made(scale={})

    with pytest.raises(ScaleError, match="needs two ends"):
        studies.open_study(study=design.study)
