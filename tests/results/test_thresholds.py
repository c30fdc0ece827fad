"""Whether a figure is marked as enough, by the thresholds of the literature."""

import re
from typing import Any

import numpy as np
import pytest

from annotation.basics.references import references
from annotation.core.services import jobs
from annotation.kinds.best_worst.queries.figures import figures, further_figures, headlines
from annotation.kinds.queries.thresholds import (
    ALPHA,
    BORDERLINE,
    ENOUGH,
    ICC,
    SPLIT_HALF,
    TOO_LOW,
    UNKNOWN,
    Scale,
    verdict_of,
)
from annotation.kinds.rating.queries.figures import _verdict as rating_verdict
from annotation.results.services import scoring
from scoring import BestWorst, score_intervals, summarise
from shell.messages import message
from tests.support.factories import make_open_study
from tests.support.researcher_pages import finish_booklet, signed_in, url


@pytest.mark.parametrize(
    ("scale", "value", "level"),
    [
        (SPLIT_HALF, 1.0, ENOUGH),
        (SPLIT_HALF, 0.8, ENOUGH),
        (SPLIT_HALF, 0.79, BORDERLINE),
        (SPLIT_HALF, 0.7, BORDERLINE),
        (SPLIT_HALF, 0.6999, TOO_LOW),
        (SPLIT_HALF, -1.0, TOO_LOW),
        (ALPHA, 0.8, ENOUGH),
        (ALPHA, 0.667, BORDERLINE),
        (ALPHA, 0.66, TOO_LOW),
        # Alpha has no lower bound.
        (ALPHA, -3.0, TOO_LOW),
        (ICC, 0.75, ENOUGH),
        (ICC, 0.5, BORDERLINE),
        (ICC, 0.49, TOO_LOW),
    ],
)
def test_a_coefficient_is_marked_by_its_threshold(scale: Scale, value: float, level: str) -> None:
    verdict = verdict_of(value, scale)

    assert verdict is not None
    assert verdict.level == level


def test_the_lower_end_of_the_interval_of_an_icc_decides() -> None:
    icc = {"kind": "1,k", "icc": 0.8, "low": 0.7, "high": 0.9}

    surely = rating_verdict({**icc, "interval": {"low": 0.45, "high": 0.9}})

    assert surely is not None
    assert surely.level == TOO_LOW


def test_an_icc_without_an_interval_gets_no_verdict_but_the_reason() -> None:
    missing = {"low": None, "high": None, "reason": message("there are too few items")}
    icc = {"kind": "1,k", "icc": 0.95, "low": 0.9, "high": 0.99, "interval": missing}

    verdict = rating_verdict(icc)

    assert verdict is not None
    assert verdict.level == UNKNOWN
    assert "there are too few items" in str(verdict.text)
    assert rating_verdict({**icc, "icc": None}) is None


def test_a_verdict_says_if_its_interval_allows_for_another_one() -> None:
    def text(value: float, low: float, high: float, scale: Scale = SPLIT_HALF) -> str:
        verdict = verdict_of(value, scale, {"low": low, "high": high})
        assert verdict is not None
        return str(verdict.text)

    assert "below 0.90" in text(0.91, 0.89, 0.93)
    assert "below 0.667" in text(0.7, 0.6, 0.79, ALPHA)
    assert "above 0.667" in text(0.65, 0.55, 0.75, ALPHA)
    assert "below 0.70 and above 0.80" in text(0.75, 0.69, 0.8)
    for value, low, high in ((0.6, 0.5, 0.69), (0.95, 0.9, 1.0), (0.75, 0.7, 0.79)):
        # No interval is below the last threshold, or above the first.
        verdict = verdict_of(value, SPLIT_HALF)
        assert verdict is not None
        assert text(value, low, high) == str(verdict.text)


def test_a_verdict_without_an_interval_says_that_it_is_uncertain() -> None:
    for value, scale in ((0.91, SPLIT_HALF), (0.5, SPLIT_HALF), (0.85, ALPHA)):
        sure, unsure = (
            verdict_of(value, scale, {"low": end, "high": end}) for end in (value, None)
        )
        assert sure is not None
        assert unsure is not None
        assert unsure.level == sure.level
        assert str(unsure.text).startswith(str(sure.text))
        assert str(unsure.text) != str(sure.text)


def test_what_is_not_there_is_not_marked() -> None:
    assert verdict_of(None, SPLIT_HALF) is None


def test_each_threshold_names_a_source_that_is_listed() -> None:
    for scale in (SPLIT_HALF, ALPHA, ICC):
        for _least, verdict in scale:
            assert set(re.findall(r"\[(\w+)\]", str(verdict.text))) <= references().keys()
            assert "[" in str(verdict.text)


def test_the_cards_count_answers_and_pairs_that_differ() -> None:
    tuples = np.array([[0, 1, 2], [3, 4, 5]])
    # Three people agree about the first tuple, and one of them answers the second.
    answers = BestWorst(
        tuples,
        np.array([0, 0, 0, 1]),
        np.array([0, 0, 0, 3]),
        np.array([2, 2, 2, 5]),
        n_items=6,
        annotator=np.array([0, 1, 2, 0]),
    )
    pool = np.array([0, 0, 0, 1, 1, 1])
    rng = np.random.default_rng(1)
    intervals = score_intervals(answers, pool=pool).as_dict()
    overall = summarise(answers, n_splits=5, rng=rng).as_dict()
    statistics: dict[str, Any] = {"overall": overall, "score_intervals": intervals}

    cards = headlines(statistics, figures(overall))

    assert len(cards) == 4
    assert (cards[2].value, cards[2].spread) == ("4", "from 3 people")
    assert "2.0" in str(cards[2].meaning)
    assert cards[3].value == f"{100 * intervals['certain_share']:.1f}\u00a0%"
    assert cards[0].verdict == verdict_of(
        overall["split_half"]["random"]["spearman"]["mean"], SPLIT_HALF
    )
    assert further_figures({"overall": overall}) == []


@pytest.mark.django_db
def test_the_page_shows_the_mark_with_its_source() -> None:
    study = make_open_study()
    for _person in range(2):
        finish_booklet(study)
    jobs.run(scoring.request(study=study, population="people", by=study.owner).pk)

    response = signed_in(study.owner).get(url(study, "results"))

    page = response.content.decode()
    verdict = response.context["headlines"][0].verdict
    assert f'data-verdict="{verdict.level}"' in page
    assert 'href="#reference-Nunnally1978"' in page
    assert 'id="reference-Nunnally1978"' in page
