"""A small rating study, and its result as the job of scoring stores it."""

from annotation.core.services import jobs
from annotation.models import Job, Result, Study
from tests.support.rated_studies import Rated, make_rated


def score(study: Study, population: str = "people") -> Result:
    job = jobs.run_here(
        study=study, kind=Job.Kind.SCORE, parameters={"population": population, "n_splits": 1}
    )
    assert job.state == Job.State.DONE, job.error
    return job.result


def small() -> Rated:
    """Two who rated four items without context and in it, after two calibration items."""
    rated = make_rated(calibration={"none": 0, "all": 6})
    rated.answer(
        {"a": 1, "b": 5, "c": 3, "d": 0},
        {"a": 3, "b": 5, "c": 4, "d": 0},
        calibration=[{"none": 1, "all": 6}, {"none": 0, "all": 6}],
    )
    rated.answer(
        {"a": 2, "b": 4, "c": 3, "d": 0},
        {"a": 5, "b": 6, "c": 4, "d": 0},
        calibration=[{"none": 2, "all": 3}, {"none": 0, "all": 6}],
        gap_hours=96,
    )
    return rated
