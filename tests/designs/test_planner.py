"""The planner's page: what a study may be expected to find, and what it costs."""

import re
from decimal import Decimal
from typing import Any

import pytest

from annotation.answering.services import assignments, judgments
from annotation.designs.pages import planning
from annotation.designs.services import designs
from annotation.kinds.best_worst.forms import planning as planning_form
from annotation.kinds.best_worst.queries import alternatives, forecasts
from annotation.kinds.best_worst.queries.answers import answers_arrays
from annotation.kinds.best_worst.taste import BestWorstTaste, draw_best_worst_taste
from annotation.kinds.forms.planning import estimated
from annotation.models import Assignment, Study
from tests.support.answering import answer_one
from tests.support.factories import join, make_open_study, make_study
from tests.support.researcher_pages import finish_booklet, signed_in, text, url
from tests.support.selecting import make_selection_study

pytestmark = pytest.mark.django_db

# Two dialogues of five candidates, 3-tuples, factor 2: twenty tuples, one booklet of twenty.
USUAL = {
    "tuple_size": "3",
    "factor": "2",
    "up_to": "6",
    "noise": "0.3",
    "enough": "0.6",
    "seconds": "30",
    "wage": "12.00",
    "currency": "USD",
}


@pytest.fixture(autouse=True)
def _a_few_studies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecasts, "_MAX_SIMULATED_STUDIES", 40)


def answer_by(taste: BestWorstTaste, assignment: Assignment, *, person: int) -> None:
    """A person, to the study, who picks as somebody simulated would."""
    for number, question in enumerate(assignment.booklet.questions.all()):
        shown = judgments.members(question)
        picked = taste.pick(shown, person=person, question=number)
        best, worst = map(shown.index, picked)
        answer_one(assignment, question, best=best, worst=worst)
    assignments.submit(assignment=assignment)


def ask(study: Study, **changes: str) -> Any:
    return signed_in(study.owner).get(url(study, "plan"), {**USUAL, **changes})


@pytest.mark.slow
def test_reliability_time_and_costs_by_number_of_answers() -> None:
    found = ask(make_study()).context["forecast"]

    rows = {row.n: row for row in found.rows}
    assert list(rows) == [1, 2, 3, 4, 5, 6]
    assert (np_rising := [row.value for row in found.rows]) == sorted(np_rising)
    assert all(row.low < row.value < row.high for row in found.rows)
    assert found.enough in rows
    assert rows[found.enough].value >= 0.6 > rows[found.enough - 1].value
    shares_below = [row.share_below for row in found.rows if row.share_below is not None]
    assert shares_below == sorted(shares_below, reverse=True)
    assert shares_below[0] > 0.5 > shares_below[-1]
    # Twenty questions of half a minute, of which two people need ten each.
    assert found.minutes == 10
    assert found.reward == Decimal("2.00")
    assert (rows[6].n_answers, rows[6].hours, rows[6].n_people) == (120, 1.0, 6)
    costs = {cost.name: cost.total for cost in rows[6].costs}
    # Prolific: 42.8 % of each reward and a fifth of that again; Mechanical Turk: 20 %;
    # CloudResearch Connect: 40 %.
    expected = ["12.00", "18.18", "14.40", "16.80"]
    assert list(costs.values()) == list(map(Decimal, expected))
    assert [row.is_chosen for row in found.rows] == [False, False, False, False, True, False]


@pytest.mark.slow
def test_a_reward_is_rounded_up_from_what_was_typed_and_no_further() -> None:
    # Twenty questions of twenty seconds are no whole number of minutes, but a ninth of an hour.
    assert ask(make_study(), seconds="20", wage="9.00").context["forecast"].reward == Decimal(
        "1.00"
    )
    assert ask(make_study(), seconds="20", wage="9.01").context["forecast"].reward == Decimal(
        "1.01"
    )


@pytest.mark.slow
def test_what_cannot_be_told_has_a_dash() -> None:
    # One tuple of five, answered once: one half of the answers is empty.
    response = ask(make_study(dialogues=1), tuple_size="5", factor="0.2")

    first = response.context["forecast"].rows[0]
    assert (first.value, first.low, first.high) == (None, None, None)
    assert '<td class="number">–</td>' in response.content.decode()
    assert "nan" not in response.context["forecast"].plot.svg


@pytest.mark.slow
def test_the_tuples_are_those_of_the_design_that_was_made() -> None:
    study = make_study()
    before = ask(study).context["forecast"]
    designs.make(design=study.design)

    assert ask(study).context["forecast"].rows == before.rows
    # Other numbers are drawn, and the design stays as it is.
    ask(study, tuple_size="4", factor="1")
    assert study.design.parameters["tuple_size"] == 3


@pytest.mark.slow
def test_the_page_says_what_is_enough_and_the_curve_is_a_file() -> None:
    study = make_study()

    page = text(ask(study))
    none = text(ask(study, noise="10", enough="0.99"))
    client = signed_in(study.owner)
    tsv = client.get(url(study, "plan_plot", "split-half", "tsv"), USUAL)
    svg = client.get(url(study, "plan_plot", "split-half", "svg"), USUAL)
    other = client.get(url(study, "plan_plot", "other", "svg"), USUAL)

    assert re.search("with \\d answers per tuple, the average study reaches 0.60\\.", page)
    assert "data-share-below" in page
    assert "Even the maximum number of people is not enough" in none
    assert tsv.content.decode().splitlines()[0] == "answers per tuple\texpected\tfrom\tto"
    assert len(tsv.content.decode().splitlines()) == 7
    assert b"<svg" in svg.content
    assert other.status_code == 404


def test_no_range_is_shown_if_nothing_is_known_of_other_people() -> None:
    study = make_study()

    assert estimated(study, 0.3, 0.3, 0.3).count("0.30") == 1
    assert all(end in estimated(study, 0.3, 0.2, 0.5) for end in ("0.20", "0.50"))


@pytest.mark.slow
def test_the_noise_is_taken_from_earlier_answers_if_they_tell_it() -> None:
    earlier = make_open_study(dialogues=6, parameters={"screens_per_booklet": 60})
    study = make_study(owner=earlier.owner)
    simulated = draw_best_worst_taste(earlier, noise=0.5, seed=1)
    by = {"tuple_size": "3", "known_from": str(earlier.pk), "noise": "9"}

    answer_by(simulated, join(earlier).assignment, person=0)
    alone = ask(study, **by)
    for person in range(1, 5):
        answer_by(simulated, join(earlier).assignment, person=person)
    together = ask(study, **by)

    assert "no tuple has two answers" in str(alone.context["problem"])
    assert alone.context["forecast"] is None
    told = forecasts.noise_of(earlier, answers_arrays(earlier, "people"))
    assert told.n_tuples == 60
    assert told.low < 0.5 < told.high
    # What was typed beside it is not what is simulated.
    assert f"noise {told.value:.2f}" in together.context["forecast"].plot.caption


@pytest.mark.slow
def test_nobody_takes_the_noise_from_a_study_that_they_may_not_see() -> None:
    strangers = make_open_study()
    finish_booklet(strangers)
    study = make_study()

    response = ask(study, known_from=str(strangers.pk))

    # There is nothing to choose from, and what is sent all the same is not looked at.
    assert "known_from" not in response.context["form"].fields
    assert response.context["estimated"] == ""
    assert strangers.title not in text(response)


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({"noise": "-1"}, 400, "greater than or equal to 0"),
        (
            {"wage": "1,200"},
            400,
            "Enter only the amount, with at most two decimals and no thousands separator",
        ),
        ({"tuple_size": "7"}, 400, "dialogue d1"),
        ({"factor": "0.01"}, 400, "dialogue d1"),
    ],
)
def test_what_gives_no_forecast_says_why(changes: dict, status: int, words: str) -> None:
    response = ask(make_study(), **changes)

    assert response.status_code == status
    assert words in text(response)
    assert response.context["forecast"] is None


def test_what_takes_too_long_for_a_page_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # Twenty tuples with one to six answers each are 420.
    monkeypatch.setattr(forecasts, "_MAX_ANSWERS_PER_STUDY", 419)

    response = ask(make_study())

    assert "Choose fewer people per tuple." in text(response)
    assert response.context["forecast"] is None


def test_without_items_or_tuples_there_is_nothing_to_simulate() -> None:
    empty = make_study(dialogues=0)
    selected = make_selection_study()

    assert "Import them first." in text(ask(empty))
    assert "Nothing to forecast" in text(ask(selected))
    plot = signed_in(selected.owner).get(url(selected, "plan_plot", "split-half", "svg"))
    assert plot.status_code == 404


def test_each_region_of_a_forecast_has_a_name_of_its_own() -> None:
    page = text(ask(make_study()))

    assert 'role="region" aria-labelledby="costs-title"' in page
    assert page.count('id="costs-title"') == 1
    # The help of the noise says that it stands below: so it is to be seen.
    assert "<details open>" in page


@pytest.mark.slow
def test_a_process_computes_one_forecast_at_a_time() -> None:
    study = make_study()
    client = signed_in(study.owner)
    addresses = [url(study, "plan"), url(study, "plan_plot", "split-half", "tsv")]
    with planning._ONE_FORECAST.taken():
        refused = [client.get(address, USUAL) for address in addresses]
        # The form needs none.
        assert client.get(url(study, "plan")).status_code == 200

    assert [(page.status_code, page["Retry-After"]) for page in refused] == [(429, "5")] * 2
    assert refused[0].context["form"]["noise"].value() == USUAL["noise"]
    assert [client.get(address, USUAL).status_code for address in addresses] == [200] * 2
    # Also after one that was refused because of its numbers.
    assert client.get(addresses[0], {**USUAL, "tuple_size": "99"}).status_code == 400
    assert client.get(addresses[0], USUAL).status_code == 200


@pytest.mark.slow
def test_a_pilot_says_how_uncertain_its_noise_is() -> None:
    earlier = make_open_study(dialogues=6, parameters={"screens_per_booklet": 60})
    study = make_study(owner=earlier.owner, dialogues=12)
    simulated = draw_best_worst_taste(earlier, noise=0.5, seed=1)
    for person in range(5):
        answer_by(simulated, join(earlier).assignment, person=person)
    told = forecasts.noise_of(earlier, answers_arrays(earlier, "people"))

    of_pilot = ask(study, known_from=str(earlier.pk))
    typed = ask(study, noise=f"{told.value:.2f}")

    widths = [
        page.context["forecast"].rows[-1].high - page.context["forecast"].rows[-1].low
        for page in (of_pilot, typed)
    ]
    assert widths[0] > 1.5 * widths[1]
    assert "ranges from pilots" in text(of_pilot)
    assert "ignores any error in the noise that you entered" in text(typed)
    assert f"{told.low:.2f} and {told.high:.2f}" in of_pilot.context["estimated"]


@pytest.mark.slow
def test_the_shape_of_the_true_scores_is_chosen_and_said() -> None:
    earlier = make_open_study(dialogues=6, parameters={"screens_per_booklet": 60})
    study = make_study(owner=earlier.owner)
    simulated = draw_best_worst_taste(earlier, noise=0.2, seed=1)
    for person in range(4):
        answer_by(simulated, join(earlier).assignment, person=person)
    by = {"known_from": str(earlier.pk)}

    captions, noises = {}, {}
    for shape in ("uniform", "bimodal", "normal"):
        page = ask(study, shape=shape, **by)
        captions[shape] = page.context["forecast"].plot.caption
        noises[shape] = page.context["form"]["noise"].value()

    for shape, caption in captions.items():
        assert f"Shape of the true scores: {shape}." in caption
        # The noise that stands there is that of the same agreement at this shape.
        read = answers_arrays(earlier, "people")
        assert noises[shape] == f"{forecasts.noise_of(earlier, read, shape).value:.2f}"
    # Without a pilot the scores are uniform, whoever leaves the choice out.
    assert "Shape of the true scores: uniform." in ask(study).context["forecast"].plot.caption
    assert ask(study, shape="square").status_code == 400


@pytest.mark.slow
def test_other_tuples_are_compared_by_the_time_that_they_take() -> None:
    study = make_study()

    found = ask(study, compare="on", up_to="12").context["alternatives"]

    # Of five items there are ten tuples of three, five of four and one of five.
    assert [(design.tuple_size, design.factor, design.n_tuples) for design in found] == [
        (3, 1, 10),
        (3, 1.5, 16),
        (3, 2, 20),
        (4, 1, 10),
    ]
    assert [design.is_chosen for design in found] == [False, False, True, False]
    # Twice the tuples need about half the answers to each.
    assert found[0].n_each > found[2].n_each
    for design in found:
        assert design.n_answers == design.n_each * design.n_tuples
        assert design.hours == pytest.approx(design.n_answers * 30 * design.tuple_size / 3 / 3600)
    least = min(design.hours for design in found)
    assert [design.is_shortest for design in found] == [design.hours == least for design in found]


@pytest.mark.slow
def test_no_tuples_take_the_least_time_where_all_take_as_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(alternatives, "_SIZES", ())

    found = ask(make_study(), compare="on").context["alternatives"]

    assert [design.is_chosen for design in found] == [True]
    assert not found[0].is_shortest


@pytest.mark.slow
def test_other_tuples_that_are_never_enough_have_no_figure() -> None:
    found = ask(make_study(), compare="on", up_to="2", noise="5", enough="0.99")

    alternatives = found.context["alternatives"]
    assert {(design.n_each, design.hours, design.is_shortest) for design in alternatives} == {
        (None, None, False)
    }


def test_other_tuples_are_compared_only_where_somebody_asks() -> None:
    assert not ask(make_study()).context["alternatives"]


@pytest.mark.slow
def test_tuples_that_take_long_to_draw_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study()
    most = min(design.n_tuples for design in ask(study, compare="on").context["alternatives"])
    monkeypatch.setattr(alternatives, "MAX_DRAWN_TUPLES", most)

    left = ask(study, compare="on").context["alternatives"]

    assert {design.n_tuples for design in left} == {most}


def test_the_curve_as_a_file_compares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Study] = []
    monkeypatch.setattr(
        planning_form, "alternatives_to", lambda study, _options: asked.append(study) or []
    )
    study = make_study()
    client = signed_in(study.owner)

    curve = client.get(url(study, "plan_plot", "split-half", "svg"), {**USUAL, "compare": "on"})
    assert curve.status_code == 200
    assert not asked
    ask(study, compare="on")
    assert asked == [study]
