"""The files of a leaderboard: the order of their rows, and what they were computed from."""

import csv
import io
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from annotation.baselines.services import measure_uploads
from annotation.models import Study
from scoring.baselines import Specification
from tests.support.baseline_studies import MEAN, compute, make_pairs
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

MEASURES = tuple(map(Specification, ("exact_match", "squad_f1", "chrf", "bleu")))


@pytest.fixture
def study() -> Study:
    made = make_pairs(kind=["a", "a", "a", "b", "b", "b"])
    compute(made, *MEASURES, options=replace(MEAN, by=("kind",)))
    return made


@pytest.fixture
def client(study: Study) -> Client:
    return signed_in(study.owner)


def file(client: Client, study: Study, kind: str, **asked: Any) -> str:
    response = client.get(url(study, "baseline_table", kind), asked)
    assert response.status_code == 200
    return text(response)


def shown(client: Client, study: Study, **asked: Any) -> list[str]:
    page = client.get(url(study, "baselines"), asked)
    return [row.name for row in page.context["board"].rows]


@pytest.mark.parametrize("sort", ["-pearson", "name", "-name", "kendall"])
@pytest.mark.parametrize("part", [0, 1, 2])
def test_rows_of_the_tsv_stand_as_the_page_shows_them(
    client: Client, study: Study, sort: str, part: int
) -> None:
    name = ("all", "kind: a", "kind: b")[part]

    rows = csv.DictReader(io.StringIO(file(client, study, "tsv", sort=sort)), delimiter="\t")

    measures = [row["measure"] for row in rows if row["subset"] == name]
    assert measures == shown(client, study, sort=sort, part=part)


@pytest.mark.parametrize("columns", ["", "parts"])
def test_rows_of_the_latex_table_stand_as_the_page_shows_them(
    client: Client, study: Study, columns: str
) -> None:
    for sort in ("name", "-name"):
        table = file(client, study, "tex", sort=sort, part=1, columns=columns)
        body = table.split(r"\midrule")[1]

        measures = [line.partition(" & ")[0] for line in body.strip().splitlines()]
        assert measures == shown(client, study, sort=sort, part=1)


def test_a_latex_table_says_what_it_was_computed_from(client: Client, study: Study) -> None:
    # Neither percent signs nor braces may break the caption.
    compute(study, *MEASURES, options=replace(MEAN, where='first  != "100 % {x}"'))
    report = study.baseline_reports.latest("pk")

    table = file(client, study, "tex")

    comments = [line for line in table.splitlines() if line.startswith("% ")]
    [caption] = [line for line in table.splitlines() if line.startswith(r"\caption")]
    where = 'first != "100 % {x}"'
    assert comments[:2] == [
        "% People's scores: column mean of the items.",
        f"% Items: only those that fulfil this condition: {where};"
        " 6 of 6 have a score from people.",
    ]
    assert "% Intervals: 95 %, from 20 resamples of 6 items; seed 1." in comments
    assert f"UTC by Likeness {report.code_version}." in comments[-2]
    assert "column mean of the items" in caption
    assert r"first != \symbol{34}100 \% \{x\}\symbol{34}; 6 of 6" in caption


def test_without_resamples_no_seed_is_said(client: Client, study: Study) -> None:
    compute(study, *MEASURES, options=replace(MEAN, n_resamples=0))

    table = file(client, study, "tex")

    assert "% Intervals: 95 %, by Fisher's transformation; nothing was resampled." in table
    assert "seed" not in table


def test_a_small_text_beside_the_tsv_says_it_of_every_part(client: Client, study: Study) -> None:
    study.items.filter(key="p1").update(metadata={"kind": "a"})
    measure_uploads.upload(study=study, name="Mine", file=io.BytesIO(b"p2\t1\np3\t0\np4\t2\n"))
    compute(study, *MEASURES, options=replace(MEAN, by=("kind",)))

    said = file(client, study, "md")

    assert said.startswith("# Leaderboard of Pairs\n")
    assert "- Items: all; 5 of 6 have a score from people." in said
    assert "- kind: a: Items: all; of these kind: a; 2 of 3 have a score from people." in said
    assert "- Test of the difference between two Pearson correlations: jackknife." in said
    assert "- pearson: " in said
    # The table itself stays a plain one.
    assert file(client, study, "tsv").startswith("people\twhere\tsubset\tmeasure\tn\t")
