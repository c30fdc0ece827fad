"""Pairs that are drawn from two columns of texts."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from annotation.core.services import jobs
from annotation.items.imports import items
from annotation.kinds.registry import KINDS
from annotation.models import Job
from annotation.studies.services import researchers
from tests.support.factories import make_study
from tests.support.researcher_pages import signed_in, text, url
from tests.support.text_columns import NUMBERS, columns_of


def _sample(file: Path, output: Path, *more: str) -> dict[str, object]:
    said = StringIO()
    call_command(
        "sample_pairs",
        str(file),
        *("--pairs", "5", "--seed", "3", "--bins", "5", "--output", str(output), "--json", *more),
        stdout=said,
        stderr=StringIO(),
    )
    found: dict[str, object] = json.loads(said.getvalue())
    return found


def test_pairs_are_drawn_by_command_and_can_be_imported(tmp_path: Path) -> None:
    file = columns_of(tmp_path / "columns.tsv")

    figures = _sample(file, tmp_path / "one.tsv")
    _sample(file, tmp_path / "two.tsv")

    assert (figures["n_drawn"], figures["n_duplicate_candidates"]) == (5, 1)
    assert figures["duplicate_candidates"] == [
        {
            "left_out": "W00 w01 w02  w03 w04 w05",
            "for": "w00 w01 w02 w03 w04 w05",
            "similarity": 1.0,
            "exact": True,
        }
    ]
    assert (tmp_path / "one.tsv").read_bytes() == (tmp_path / "two.tsv").read_bytes()
    parsed = items.read(
        tmp_path / "one.tsv", filename="one.tsv", kind=KINDS["rating"].items, limit_bytes=1_000_000
    )
    assert len(parsed.items) == 5


@pytest.mark.parametrize(
    ("content", "more", "said"),
    [
        (b"", (), "the first column has no text"),
        (b"one\ttwo\tthree\n", (), "3 columns, but two are needed"),
        (b"\xff\xfe\tb\n", (), "UTF-8"),
        (b"same\tSame\n", (), "No pair can be drawn"),
        (b"a\tb\n", ("--near", "0"), "--near is 0: choose a number above 0"),
        (b"a\tb\n", ("--bins", "0"), "--bins is 0: choose a number from 1 to 100"),
        (b"a\tb\n", ("--seed", "-1"), "--seed is -1: choose a number from 0"),
    ],
)
def test_what_is_wrong_is_said_and_no_table_is_written(
    tmp_path: Path, content: bytes, more: tuple[str, ...], said: str
) -> None:
    file = tmp_path / "columns.tsv"
    file.write_bytes(content)

    with pytest.raises(CommandError, match=said):
        _sample(file, tmp_path / "out.tsv", *more)

    assert not (tmp_path / "out.tsv").exists()


@pytest.mark.slow
@pytest.mark.django_db
def test_pairs_are_looked_at_then_taken_as_items(
    tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    study = make_study(dialogues=0, preset="sts-context")
    client = signed_in(study.owner)
    assert url(study, "sample") in text(client.get(url(study, "items")))
    content = columns_of(tmp_path / "c.tsv").read_bytes()
    kept = client.post(url(study, "sample"), NUMBERS)
    assert kept.status_code == 400
    assert "Choose a file first." in text(kept)

    client.post(url(study, "sample"), {**NUMBERS, "file": SimpleUploadedFile("c.tsv", content)})
    job = Job.objects.get()
    jobs.run(job.pk)

    page = text(client.get(url(study, "sampled", job.pk)))
    assert "drew 5 of the 5 requested pairs from 6 different texts in the first column" in page
    assert "W00 w01 w02  w03 w04 w05" in page
    assert not study.items.exists()
    assert signed_in().get(url(study, "sampled", job.pk)).status_code == 404
    again = text(client.get(url(study, "sample") + f"?of={job.pk}"))
    assert 'name="max_uses" value="2"' in again
    client.post(url(study, "sample"), {**NUMBERS, "of": str(job.pk)})
    second = Job.objects.latest("pk")
    jobs.run(second.pk)
    tables = [client.get(url(study, "sampled_table", one.pk)).content for one in (job, second)]
    assert tables[0] == tables[1]

    second.refresh_from_db()
    client.post(
        url(study, "import_start", second.figures["table"]),
        {"filename": "pairs.tsv", "replace": "yes"},
    )
    jobs.run(Job.objects.latest("pk").pk)
    # What was imported is offered no more, and nobody reads that nothing was.
    first, imported = (text(client.get(url(study, "sampled", one.pk))) for one in (job, second))
    for offer in ("Nothing has been imported yet.", "Use these pairs as items", "Download as TSV"):
        assert offer in first
        assert offer not in imported
    assert "The same file and settings give the same pairs again." in imported
    pairs = [line.split("\t")[:3] for line in tables[0].decode().splitlines()[1:]]
    assert pairs == [
        [one.key, one.target_text, one.candidate_text] for one in study.items.order_by("pk")
    ]

    with django_capture_on_commit_callbacks(execute=True):
        researchers.delete_draft(study=study)
    assert not list(Path(settings.MEDIA_ROOT, "imports").glob(f"{study.pk}-*"))


@pytest.mark.django_db
def test_the_histogram_is_a_figure_with_its_data(tmp_path: Path) -> None:
    study = make_study(dialogues=0, preset="sts-context")
    client = signed_in(study.owner)
    file = SimpleUploadedFile("c.tsv", columns_of(tmp_path / "c.tsv").read_bytes())
    client.post(url(study, "sample"), {**NUMBERS, "file": file})
    job = Job.objects.get()
    jobs.run(job.pk)

    page = text(client.get(url(study, "sampled", job.pk)))
    files = {
        kind: client.get(url(study, "sampled_plot", job.pk, "similarity", kind))
        for kind in ("svg", "png", "tsv")
    }

    for kind, response in files.items():
        assert url(study, "sampled_plot", job.pk, "similarity", kind) in page
        name = f"{study.slug}-pairs-similarity.{kind}"
        assert response["Content-Disposition"] == f'attachment; filename="{name}"'
    assert files["svg"].content.startswith(b"<?xml")
    assert files["png"].content.startswith(b"\x89PNG")
    header, *rows = (line.split("\t") for line in files["tsv"].content.decode().splitlines())
    assert header == ["similarity from", "to", "compared", "available", "drawn", "skipped"]
    bins = Job.objects.get().figures["bins"]
    assert [[int(row[2]), int(row[3]), int(row[4])] for row in rows] == [
        [one["n_compared"], one["n_candidates"], one["n_drawn"]] for one in bins
    ]
    assert [float(row[1]) for row in rows] == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert sum(int(row[4]) for row in rows) == 5
    for other in (("similarity", "pdf"), ("other", "svg")):
        assert client.get(url(study, "sampled_plot", job.pk, *other)).status_code == 404


IDS = """\
candidate_id\tcandidate\ttarget_id\ttarget
c1\tred stone\tt1\tblue stone
c2\tgreen river\tt2\tred river
c2\tgreen river\t\t
"""


def test_ids_of_the_texts_stay_with_the_pairs_and_name_the_items(tmp_path: Path) -> None:
    file = tmp_path / "ids.tsv"
    file.write_text(IDS, encoding="utf-8")

    figures = _sample(file, tmp_path / "pairs.tsv")

    header, *rows = (
        line.split("\t") for line in (tmp_path / "pairs.tsv").read_text().splitlines()
    )
    assert header == ["id", "target", "candidate", "similarity", "target_id", "candidate_id"]
    of_id = {"t1": "blue stone", "t2": "red river", "c1": "red stone", "c2": "green river"}
    assert len(rows) == figures["n_drawn"] == 4
    for row in rows:
        assert row[0] == f"{row[4]}+{row[5]}"
        assert row[1:3] == [of_id[row[4]], of_id[row[5]]]
    parsed = items.read(
        tmp_path / "pairs.tsv",
        filename="pairs.tsv",
        kind=KINDS["rating"].items,
        limit_bytes=1_000_000,
    )
    assert {item.key for item in parsed.items} == {"t1+c1", "t1+c2", "t2+c1", "t2+c2"}
    assert {item.metadata["target_id"] for item in parsed.items} == {"t1", "t2"}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("target_id\ttarget\tcandidate\n\ta\tb", "line 2: target has no id; give every text one"),
        ("target_id\ttarget\tcandidate\nt1\t\tb", "line 2: target has an id, but no text"),
        (
            "target_id\ttarget\tcandidate\nt1\ta\tb\nt1\tc\t",
            "line 3: the id 't1' belongs to another text in line 2",
        ),
        (f"target_id\ttarget\tcandidate\n{'x' * 96}\ta\tb", "line 2: target_id is 96 characters"),
        ("target\tcandidate\tnote\na\tb\tc", "line 1: the column 'note' is unknown"),
        ("target\tcandidate\ttarget\na\tb\tc", "line 1: the column 'target' is unknown or occurs"),
        (
            "target_id\ttarget\tcandidate\nt1\ta",
            "line 2: 2 columns, but the first line names target_id, target, candidate",
        ),
    ],
)
def test_what_is_wrong_with_ids_is_said_with_its_line(
    tmp_path: Path, rows: str, said: str
) -> None:
    file = tmp_path / "ids.tsv"
    file.write_text(rows, encoding="utf-8")

    with pytest.raises(CommandError) as refused:
        _sample(file, tmp_path / "pairs.tsv")

    assert said in str(refused.value)
    assert not (tmp_path / "pairs.tsv").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--pairs", "0"), "--pairs is 0: choose a number from 1 to 100000."),
        (("--max-uses", "-2"), "--max-uses is -2: choose a number from 1 to 100000."),
        (("--near", "nan"), "--near is nan: choose a number above 0, at most 1."),
        (
            ("--measure", "mean"),
            "The measure mean needs a sentence encoder. Give its name in --model.",
        ),
        (("--model", "x"), "The measure words uses no model. Leave out --model."),
    ],
)
def test_arguments_out_of_range_are_named_by_their_option(
    tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    with pytest.raises(CommandError) as refused:
        _sample(columns_of(tmp_path / "c.tsv"), tmp_path / "out.tsv", *more)

    assert (str(refused.value), refused.value.returncode) == (said, 2)
