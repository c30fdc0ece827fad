"""A label study with answers in two phases, and the files of its download."""

import csv
import io
import zipfile
from typing import Any

from annotation.models import Study
from annotation.releases.exports.archive import write_archive
from tests.support.labelled import (
    label_all,
    make_label_study,
    said_of,
)
from tests.support.rating import TWICE

KEYS = [f"p{n}" for n in range(1, 7)]


FREE = ["ssrsoo", "ssrroo", "ssooor"]


DEPENDENT = ["srrsoo", "srrsoo", "srrsor"]


def export(study: Study, **options: Any) -> dict[str, bytes]:
    file = io.BytesIO()
    write_archive(study, options.pop("population", "people"), file, **options)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode()), delimiter="\t"))


def study_labelled_twice() -> Study:
    """Three people labelled six items in two phases, with a repeat each."""
    # One place is left.
    study = make_label_study(
        domains=("news", "sport"),
        phases=TWICE,
        ratings_per_item=4,
        n_repeats=1,
        repeat_distance=1,
    )
    label_all(
        study,
        *(
            [said_of(KEYS, free), said_of(KEYS, dependent)]
            for free, dependent in zip(FREE, DEPENDENT, strict=True)
        ),
    )
    return study
