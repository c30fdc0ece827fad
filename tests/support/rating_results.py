"""A rating study whose result has every figure that such a study can have."""

from annotation.core.services import jobs
from annotation.models import Job, Study
from tests.support.rated_studies import Rated, add_context, make_rated

ITEMS = [
    {"key": "a", "intended_class": "similar", "earlier_rating": 6},
    {"key": "b", "intended_class": "similar", "earlier_rating": 4},
    {"key": "c", "intended_class": "middle", "earlier_rating": 3},
    {"key": "d", "intended_class": "dissimilar", "earlier_rating": 0},
    {"key": "e", "intended_class": "dissimilar", "earlier_rating": 1},
]


def rated_study() -> Rated:
    rated = make_rated(ITEMS, calibration={"none": 0, "all": 6}, with_repeats=True)
    for n, key in enumerate("abcde"):
        turns = add_context(rated.study, f"of {key}", ["One."], domain=("fires", "floods")[n % 2])
        item = rated.items[key]
        item.target_text, item.target_turn = None, turns[0]
        item.save()
    for n in range(5):
        rated.answer(
            {"a": 6 - n % 2, "b": 4 + n % 3, "c": 2 + n % 2, "d": n % 2, "e": n % 3},
            {"a": 6 - n % 3, "b": 5 + n % 2, "c": 4 - n % 2, "d": n % 3, "e": 1 + n % 2},
            calibration=[{"none": n % 2, "all": 6}] * 2,
            repeats=[{"a": 5, "d": n % 2}, {}],
            gap_hours=72 + 5 * n,
            seconds=5 + n,
        )
    return rated


def scored(rated: Rated, population: str = "people") -> Study:
    job = jobs.run_here(
        study=rated.study, kind=Job.Kind.SCORE, parameters={"population": population}
    )
    assert job.state == Job.State.DONE, job.error
    return rated.study
