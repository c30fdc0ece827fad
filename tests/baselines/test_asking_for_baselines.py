"""What may be asked for, and what comes back of it."""

import math

import pytest

from annotation.baselines.queries.score_sources import ColumnSource
from annotation.baselines.services import baselines
from annotation.baselines.services.report_options import ReportOptions
from annotation.basics.errors import AnnotationError, StateError
from annotation.models import Job
from scoring.baselines import Specification
from tests.support.baseline_studies import MEAN, make_pairs
from tests.support.factories import make_study

pytestmark = pytest.mark.django_db

MODEL = Specification("bi_encoder", {"model": "tiny"})


def test_asking_twice_starts_one_job_and_for_more_meanwhile_is_refused() -> None:
    study = make_pairs()

    first = baselines.request(study=study, options=MEAN)
    again = baselines.request(study=study, options=MEAN)

    assert first == again
    with pytest.raises(StateError, match="already computing measures"):
        baselines.request(study=study, specifications=[MODEL], options=MEAN)


@pytest.mark.parametrize(
    ("specification", "said"),
    [
        (Specification("moverscore"), "moverscore"),
        (Specification("bi_encoder"), "model"),
        (Specification("squad_f1", {"model": "x"}), "no setting"),
        (Specification("bi_encoder", {"model": "x", "context": "behind"}), "context"),
    ],
)
def test_what_there_is_not_cannot_be_asked_for(specification, said: str) -> None:
    with pytest.raises(AnnotationError, match=said):
        baselines.request(study=make_pairs(), specifications=[specification], options=MEAN)
    assert not Job.objects.exists()


def test_a_measure_named_with_its_defaults_is_the_same_one() -> None:
    study = make_pairs()
    spelt_out = Specification("bi_encoder", {"model": "tiny", "context": "none"})

    wanted = baselines.parameters(study, [MODEL, spelt_out], MEAN)["specifications"]

    assert [one["measure"] for one in wanted].count("bi_encoder") == 1


def test_without_pairs_there_is_nothing_to_compute() -> None:
    empty, single = make_study(dialogues=0), make_pairs()
    single.items.update(target_text=None)

    with pytest.raises(StateError, match="has no items"):
        baselines.request(study=empty, options=MEAN)
    with pytest.raises(StateError, match="single texts"):
        baselines.request(study=single, options=MEAN)


def test_options_come_back_from_json() -> None:
    options = ReportOptions(
        people=ColumnSource(name="mean", deviation="sd", n=32),
        by=("domain", "word_overlap"),
        expression="has_digit",
        where="mean > 1",
        n_resamples=10,
        level=0.9,
        test="williams",
    )

    assert ReportOptions.of_json(options.as_json()) == options
    assert ReportOptions.of_json({}) == ReportOptions()


@pytest.mark.parametrize(
    "given", [{"n_resamples": -1}, {"level": 1.0}, {"level": math.nan}, {"test": "t"}]
)
def test_options_that_nobody_may_choose_are_refused(given: dict) -> None:
    with pytest.raises(AnnotationError, match="choose"):
        ReportOptions.of_json(given)
