"""The planner's sliders: what their values mean, and what an estimate puts there."""

import json
import re
from typing import Any

import numpy as np
import pytest
from django.test import Client

from annotation.kinds.best_worst.queries import forecasts
from annotation.kinds.best_worst.queries.answers import answers_arrays
from annotation.kinds.best_worst.taste import draw_best_worst_taste
from annotation.kinds.queries import noise_words
from annotation.kinds.queries.noise_words import Slider
from annotation.kinds.rating.queries import forecasts as pair_forecasts
from annotation.models import Study
from scoring import expected_agreement
from tests.designs.test_planner import USUAL, answer_by
from tests.support.factories import join, make_open_study, make_study
from tests.support.labelling import make_label_study
from tests.support.rating import make_rating_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _a_few_studies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecasts, "_MAX_SIMULATED_STUDIES", 40)
    monkeypatch.setattr(pair_forecasts, "_MAX_SIMULATED_STUDIES", 40)


def attributes_of(page: str, slider: str) -> dict[str, str]:
    """Those of the slider beside a field."""
    (tag,) = re.findall(rf'<input type="range" id="id_{slider}-slider"[^>]*>', page)
    return dict(re.findall(r'([\w-]+)="([^"]*)"', tag)) | (
        {"hidden": ""} if "hidden" in tag else {}
    )


def row_of(response: Any, name: str) -> tuple[Any, Slider, str]:
    return next(row for row in response.context["form"].rows if row[0].name == name)


def test_a_slider_says_how_often_two_people_agree_at_each_noise() -> None:
    study = make_study()

    response = signed_in(study.owner).get(url(study, "plan"))

    _field, slider, meaning = row_of(response, "noise")
    tuples = np.array([[0, 1, 2], [3, 4, 5], [1, 2, 3]])
    # Where the curve is steep, what is said of an estimate is not that of a round number near it.
    for noise in (0.0, 0.02, 0.12, 0.3, 1.5):
        (agreed,) = expected_agreement(tuples, [noise], rng=np.random.default_rng(5))
        (percent,) = re.findall(r"about (\d+)\u00a0%", slider.meaning(noise))
        assert int(percent) == pytest.approx(100 * agreed, abs=1)
    assert slider.meaning(0.0).startswith(
        "Two people pick the same item out of 3 as best, or as worst, in about 100\u00a0%"
    )
    assert "by chance, they would do so in 33\u00a0%." in slider.meaning(0.0)
    assert meaning == slider.meaning(0.3)
    assert [value for value, *_said in slider.said_examples] == [0.1, 0.3, 0.6, 1.0]
    # Of what lies beyond, and between, two values.
    assert slider.meaning(1.6) == ""
    assert slider.meaning(0.304) == slider.meaning(0.3)


def test_the_number_is_what_counts_and_the_slider_waits_for_a_script() -> None:
    study = make_study()

    page = text(signed_in(study.owner).get(url(study, "plan"), {**USUAL, "noise": "0.37"}))

    slider = attributes_of(page, "noise")
    # It has no name, so that it is never sent, and is not seen where nothing binds it.
    assert "name" not in slider
    assert "hidden" in slider
    assert (slider["min"], slider["max"], slider["step"]) == ("0.0", "1.5", "0.01")
    assert slider["aria-label"] == "Noise: slider"
    assert re.search(r'<input type="number" name="noise" value="0.37"', page)
    said = re.search(r"<output[^>]*>([^<]*)</output>", page)
    assert said is not None
    assert said[1] == noise_words.of_tuples(3, ()).meaning(0.37)
    (words,) = re.findall(r'data-words="([^"]*)"', page)
    assert len(json.loads(words.replace("&quot;", '"'))) == 151


def test_how_many_are_shown_together_changes_what_a_noise_means() -> None:
    study = make_study()
    client = signed_in(study.owner)

    of_five = row_of(client.get(url(study, "plan"), {**USUAL, "tuple_size": "5"}), "noise")[2]
    of_none = row_of(client.get(url(study, "plan"), {**USUAL, "tuple_size": "x"}), "noise")[2]

    assert "out of 5 as" in of_five
    assert "20\u00a0%" in of_five
    assert "out of 3 as" in of_none


@pytest.mark.slow
def test_ratings_have_two_sliders_in_points_of_the_scale() -> None:
    study = make_rating_study(pairs=6, open_it=False)

    response = signed_in(study.owner).get(url(study, "plan"))

    _field, noise, meaning = row_of(response, "noise")
    # 2 / sqrt(pi) standard deviations of a fifth of six points are 1.4: its ends take from that.
    assert meaning == "Two ratings of one item are about 1.2 points of the scale apart."
    assert "about 2.2 points" in noise.meaning(0.5)
    narrow = row_of(
        signed_in(study.owner).get(
            url(study, "plan"), {**USUAL, "noise": "0.2", "spread": "0.05"}
        ),
        "noise",
    )
    assert "about 1.3 points" in narrow[2]
    _field, spread, _meaning = row_of(response, "spread")
    assert "standard deviation of 1.7 points" in spread.meaning(0.29)
    assert (noise.high, spread.low, spread.high) == (0.5, 0.01, 0.49)
    Study.objects.filter(pk=study.pk).update(scale={})
    # Without a scale there are no points, but numbers all the same.
    assert row_of(signed_in(study.owner).get(url(study, "plan")), "noise")[2] == ""


def test_the_slider_of_labels_ends_where_chance_does() -> None:
    study = make_label_study(pairs=6, open_it=False)
    c = len(study.categories["names"])

    response = signed_in(study.owner).get(url(study, "plan"))

    _field, slider, meaning = row_of(response, "error")
    agreed = round(100 * (0.8**2 + 0.2**2 / (c - 1)))
    assert f"the same category in {agreed}\u00a0% of cases" in meaning
    assert (c - 1) / c - 0.01 < slider.high <= (c - 1) / c


@pytest.mark.slow
def test_an_estimate_stands_where_a_number_was_typed() -> None:
    earlier = make_open_study(dialogues=6, parameters={"screens_per_booklet": 60})
    study = make_study(owner=earlier.owner)
    simulated = draw_best_worst_taste(earlier, noise=0.5, seed=1)
    for person in range(4):
        answer_by(simulated, join(earlier).assignment, person=person)
    client: Client = signed_in(study.owner)

    response = client.get(
        url(study, "plan"), {**USUAL, "noise": "1.1", "known_from": str(earlier.pk)}
    )

    told = forecasts.noise_of(earlier, answers_arrays(earlier, "people"))
    field, slider, meaning = row_of(response, "noise")
    assert field.value() == f"{told.value:.2f}"
    assert meaning == slider.meaning(round(told.value, 2)) != slider.meaning(1.1)
    page = text(response)
    assert f"Estimated from {earlier.title}: {told.value:.2f}" in page
    assert page.count("data-estimated") == 1
    # What was chosen beside it is still chosen.
    assert row_of(response, "known_from")[0].value() == str(earlier.pk)
    assert row_of(response, "wage")[0].value() == USUAL["wage"]
