"""The planner of studies of ratings and of labels."""

from collections.abc import Callable
from decimal import Decimal
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from annotation.answering.services import assignments
from annotation.designs.services import designs, pilots
from annotation.kinds.label.queries import forecasts as label_forecasts
from annotation.kinds.rating.queries import forecasts as pair_forecasts
from annotation.models import Pool, Study
from annotation.studies.services import studies
from scoring.forecasts.rating_noise import RatingNoise
from tests.support.labelling import make_label_study
from tests.support.rating import join, make_rating_study, rate_phase
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

PAY = {"seconds": "30", "wage": "12.00", "currency": "USD"}
RATINGS = {**PAY, "up_to": "6", "noise": "0.2", "spread": "0.29", "enough": "0.88"}
LABELS = {**PAY, "up_to": "6", "error": "0.2", "enough": "0.9"}


@pytest.fixture(autouse=True)
def _a_few_studies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_forecasts, "_MAX_SIMULATED_STUDIES", 40)


def ask(study: Study, usual: dict[str, str], **changes: str):
    return signed_in(study.owner).get(url(study, "plan"), {**usual, **changes})


def test_reliability_time_and_costs_of_ratings() -> None:
    study = make_rating_study(pairs=40, ratings_per_item=4, items_per_booklet=20, open_it=False)

    response = ask(study, RATINGS)

    found = response.context["forecast"]
    rows = {row.n: row for row in found.rows}
    assert list(rows) == [1, 2, 3, 4, 5, 6]
    assert rows[1].value is None
    values = [row.value for row in found.rows[1:]]
    assert values == sorted(values)
    assert rows[found.enough].value >= 0.88 > rows[found.enough - 1].value
    # Forty items for four people each, twenty for a person: eight people, half a minute each.
    assert (rows[4].n_answers, rows[4].n_people) == (160, 8)
    assert rows[4].hours == pytest.approx(160 * 30 / 3600)
    assert found.reward == Decimal("2.00")
    assert rows[4].costs[0].total == Decimal("16.00")
    assert rows[4].is_chosen
    # 2 / sqrt(pi) standard deviations of a fifth of six points are 1.4; its ends take from that.
    assert "two ratings of one item differ by 1.2 points of the scale" in text(response)
    svg = signed_in(study.owner).get(url(study, "plan_plot", "reliability", "svg"), RATINGS)
    assert b"<svg" in svg.content


@pytest.mark.slow
def test_a_pilot_tells_how_noisy_ratings_are() -> None:
    study = make_rating_study(pairs=30, ratings_per_item=3, open_it=False)
    pilot = pilots.begin(study=study, n_parts=20)
    designs.make(design=pilot.design)
    pilot = studies.open_study(study=pilot)
    by = {"known_from": str(pilot.pk), "noise": "0.9"}
    nothing = ask(study, RATINGS, **by)
    # Nobody has answered yet: the pilot is not offered, and what was typed counts.
    assert nothing.context["forecast"] is not None
    assert nothing.context["estimated"] == ""
    rng = np.random.default_rng(1)
    true = {item.pk: rng.integers(1, 6) for item in pilot.items.all()}
    while pilot.annotators.count() < pilot.design.booklets.count():
        assignment = join(pilot).assignment
        rate_phase(assignment, ratings=lambda q: str(true[q.item_id] + rng.integers(-1, 2)))

    told = pair_forecasts.noise_of(pilot)
    response = ask(study, RATINGS, **by)

    assert told.value is not None
    # The error is -1, 0 or 1 of six points, each as likely, and rounding is a part of it.
    assert told.value.noise == pytest.approx(np.sqrt(2 / 3 - 1 / 12) / 6, rel=0.25)
    assert f"{told.value.noise:.2f}" in response.context["estimated"]
    assert f"noise {told.value.noise:.2f}" in response.context["forecast"].plot.caption


@pytest.mark.parametrize(
    ("make", "module", "estimate", "ask_for"),
    [
        (make_rating_study, pair_forecasts, "estimate_rating_noise", "noise_of"),
        (make_label_study, label_forecasts, "estimate_label_error", "error_of"),
    ],
)
def test_a_pilot_says_which_items_share_a_pool(
    make: Callable[..., Study],
    module: ModuleType,
    estimate: str,
    ask_for: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make(pairs=12)
    for number, item in enumerate(study.items.order_by("number")):
        key = f"pool{number // 2}"
        item.pool, _made = Pool.objects.get_or_create(study=study, key=key, number=2 + number // 2)
        item.save()
    told: dict[str, Any] = {}
    monkeypatch.setattr(
        module, estimate, lambda batch, *, pool, rng: told.update(n=batch.n_units, pool=pool)
    )

    getattr(module, ask_for)(study)

    assert told["n"] == 12
    assert told["pool"].tolist() == [number // 2 for number in range(12)]


def test_right_labels_time_and_costs() -> None:
    study = make_label_study(pairs=30, ratings_per_item=3, items_per_booklet=10, open_it=False)

    found = ask(study, LABELS).context["forecast"]
    more = ask(study, LABELS, error="0.9")

    rows = {row.n: row for row in found.rows}
    assert rows[1].value == pytest.approx(0.8, abs=0.05)
    assert rows[1].others == [None]
    assert rows[5].value > rows[3].value > rows[1].value
    assert (rows[3].n_answers, rows[3].n_people) == (90, 9)
    assert "categories, guessing gives a share of errors of" in text(more)
    assert more.context["forecast"] is None


@pytest.mark.parametrize("is_of_pilot", [False, True])
def test_a_range_from_a_pilot_says_how_often_such_ranges_held(*, is_of_pilot: bool) -> None:
    rated = make_rating_study(pairs=12, ratings_per_item=4, open_it=False)
    labelled = make_label_study(pairs=12, ratings_per_item=3, open_it=False)
    common = {"up_to": 4, "enough": 0.8, "seconds": 20.0}
    noise = RatingNoise(0.2)

    of_ratings = pair_forecasts.forecast_of(
        rated,
        pair_forecasts.RatingForecastOptions(
            **common, noise=noise, draws=(noise, RatingNoise(0.3)) if is_of_pilot else ()
        ),
    )
    of_labels = label_forecasts.forecast_of(
        labelled,
        label_forecasts.LabelForecastOptions(
            **common, error=np.array([0.1, 0.2]) if is_of_pilot else 0.1
        ),
    )

    assert ("held at least 92 % of full studies" in of_ratings.caveat) == is_of_pilot
    assert ("held at least 92 % of full studies" in of_labels.caveat) == is_of_pilot


def test_numbers_that_fit_no_arrangement_are_left_out_and_too_many_refused(monkeypatch) -> None:
    study = make_rating_study(pairs=40, ratings_per_item=4, open_it=False)
    monkeypatch.setattr(pair_forecasts, "_MAX_ANSWERS_PER_STUDY", 40 * 21 - 1)

    refused = ask(study, RATINGS)

    assert "Choose fewer people per item." in text(refused)
    assert ask(study, RATINGS, spread="0.6").status_code == 400
    assert ask(study, RATINGS, up_to="5").context["forecast"] is not None
    assert not assignments.Assignment.objects.exists()
