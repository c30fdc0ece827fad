"""Answers that do not count never enter the result of a rating study."""

import json
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotation.models import Exclusion, Result
from annotation.models.kinds import Source
from tests.support.rated_studies import FREE, MONDAY, make_rated, rate
from tests.support.scored_ratings import score

pytestmark = pytest.mark.django_db


def comparable(result: Result) -> str:
    return json.dumps(
        [
            {key: value for key, value in phase.items() if key in {"summary", "by_class"}}
            for phase in result.statistics["phases"]
        ]
        + [result.statistics["context"], result.statistics["waiting"]],
        sort_keys=True,
    )


@pytest.mark.slow
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(data=st.data())
def test_what_does_not_count_never_enters_the_scores(data: st.DataObject) -> None:
    value = st.integers(0, 6)
    ratings = st.fixed_dictionaries(dict.fromkeys("abcd", value))
    rated = make_rated(calibration={"none": 0, "all": 6}, with_repeats=True)
    for _person in range(2):
        rated.answer(data.draw(ratings), data.draw(ratings))
    before = comparable(score(rated.study))

    block = st.fixed_dictionaries({"none": value, "all": value})
    first = rated.people[0].assignments.get()
    for kind in data.draw(st.lists(st.sampled_from(NOISE), min_size=1, max_size=4)):
        spoken = data.draw(ratings), data.draw(ratings)
        if kind == "surplus":
            rated.answer(*spoken, is_counted=False)
        elif kind == "unfinished":
            rated.answer(*spoken, is_complete=False)
        elif kind == "simulated":
            rated.answer(*spoken, source=Source.SIMULATED)
        elif kind == "excluded":
            rated.answer(*spoken, calibration=[data.draw(block)] * 2)
            Exclusion.objects.create(
                annotator=rated.people[-1], reason="A test.", by=rated.study.owner
            )
        elif kind == "superseded":
            question = rated.questions[0]["main", "a"]
            rate(first, question, data.draw(value), superseded_at=MONDAY)
        elif kind == "calibration" and not first.judgments.filter(
            question__block__purpose="calibration"
        ):
            for key in ("none", "all"):
                question = rated.questions[1]["calibration", key]
                rate(first, question, data.draw(value), at=MONDAY + timedelta(hours=80))

    after = score(rated.study)
    # The calibration block comes before the others, and moves them on by its two places.
    assert _without_practice(comparable(after)) == _without_practice(before)


NOISE = ("surplus", "unfinished", "simulated", "excluded", "superseded", "calibration")


def _without_practice(text: str) -> list[object]:
    statistics = json.loads(text)
    for part in statistics[:-2]:
        part["summary"].pop("calibration_curve")
    return statistics


@pytest.mark.slow
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(again=st.fixed_dictionaries(dict.fromkeys("abcd", st.integers(0, 6))))
def test_repeats_never_enter_the_scores(again: dict[str, int]) -> None:
    plain, repeated = make_rated(), make_rated(with_repeats=True)
    answers = {"a": 1, "b": 5, "c": 3, "d": 0}, {"a": 2, "b": 5, "c": 4, "d": 1}
    plain.answer(*answers)
    repeated.answer(*answers, repeats=[again, again])

    ours, theirs = (score(rated.study).statistics for rated in (repeated, plain))

    for phase, other in zip(ours["phases"], theirs["phases"], strict=True):
        for name in ("distribution", "inter_annotator", "alpha", "error_bound", "icc", "raters"):
            assert phase["summary"][name] == other["summary"][name]
        assert phase["by_class"] == other["by_class"]
    assert ours["context"] == theirs["context"]


def test_simulated_ratings_are_scored_apart() -> None:
    rated = make_rated(["a", "b"], conditions=(FREE,))
    rated.answer({"a": 1, "b": 2})
    rated.answer({"a": 6, "b": 6}, source=Source.SIMULATED)

    real, simulated = score(rated.study), score(rated.study, "simulated")

    means = [
        r.statistics["phases"][0]["summary"]["distribution"]["mean"] for r in (real, simulated)
    ]
    assert means == [1.5, 6.0]
    assert (real.n_judgments, simulated.n_judgments) == (2, 2)
