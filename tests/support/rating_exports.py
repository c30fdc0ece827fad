"""A rating study with answers of every sort, its scores, and the files of its download."""

import csv
import io
import zipfile
from decimal import Decimal
from typing import Any

from annotation.core.services import jobs
from annotation.kinds.exports.options import ExportOptions
from annotation.models import (
    ContextGroup,
    Job,
    Study,
)
from annotation.releases.exports import archive
from tests.support.rated_studies import (
    Rated,
    add_context,
    make_rated,
)


def export(
    study: Study, population: str = "people", *, spreadsheet: bool = False, **options: Any
) -> dict[str, bytes]:
    file = io.BytesIO()
    archive.write_archive(
        study, population, file, spreadsheet=spreadsheet, options=ExportOptions(**options)
    )
    with zipfile.ZipFile(file) as members:
        assert members.testzip() is None
        return {name: members.read(name) for name in members.namelist()}


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline=""), delimiter="\t"))


ITEMS = [
    {"key": "a", "intended_class": "similar", "earlier_rating": Decimal("5.5")},
    {"key": "b", "intended_class": "middle", "earlier_rating": 3},
    {"key": "c", "intended_class": "dissimilar"},
    {"key": "d", "candidate_text": "=1+1"},
]


SAID = [
    ({"a": 6, "b": 3, "c": 0, "d": 1}, {"a": 5, "b": 6, "c": 0, "d": 1}),
    ({"a": 5, "b": 2, "c": 1, "d": 2}, {"a": 6, "b": 5, "c": 0, "d": 4}),
    ({"a": 6, "b": 2, "c": 1, "d": 1}, {"a": 6, "b": 6, "c": 2, "d": 2}),
]


def add_texts(rated: Rated) -> None:
    """The sides of a are sentences of two documents of one incident."""
    group = ContextGroup.objects.create(study=rated.study, key="flood")
    summary = add_context(
        rated.study, "summary", ["Rain fell.", "The river rose.", "A bridge broke."], group=group
    )
    report = add_context(
        rated.study,
        "report",
        [f"Sentence {n}." for n in range(1, 7)],
        group=group,
        domain="weather",
        source="the gazette",
    )
    item = rated.items["a"]
    item.target_text = item.candidate_text = None
    item.target_turn, item.candidate_turn = summary[1], report[3]
    item.save()


def rated_with_texts() -> Rated:
    """Three people rated four items twice, one of them sentences of two documents."""
    rated = make_rated(ITEMS, calibration={"none": 0, "all": 6}, with_repeats=True)
    add_texts(rated)
    for n, (free, dependent) in enumerate(SAID):
        rated.answer(
            free,
            dependent,
            calibration=[{"none": n, "all": 6}, {"none": 0, "all": 5}],
            repeats=[{"a": 4}, {}],
            gap_hours=72 + n,
        )
    return rated


def score(study: Study, population: str = "people") -> dict[str, Any]:
    job = jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"population": population})
    assert job.state == Job.State.DONE, job.error
    statistics: dict[str, Any] = job.result.statistics
    return statistics
