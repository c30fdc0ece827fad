"""Pairs that are drawn from two columns of texts."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from annotation.imports import items
from annotation.models import Job
from annotation.services import jobs, researchers
from tests.annotation.researcher_pages import signed_in, text, url
from tests.factories import make_study

WORDS = ["red", "blue", "green", "stone", "river", "cloud"]


def _columns(path: Path) -> Path:
    """Texts that share from none to all but one of their words; one is there twice."""
    lines = ["target\tcandidate"]
    for n in range(6):
        right = " ".join([*WORDS[:n], *(f"w{n}{k}" for k in range(6 - n))])
        lines.append(f"{' '.join(WORDS)} {' '.join(f'q{n}{k}' for k in range(5))}\t{right}")
    path.write_text("\n".join([*lines, "\tW00 w01 w02  w03 w04 w05"]), encoding="utf-8")
    return path


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
    file = _columns(tmp_path / "columns.tsv")

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
        tmp_path / "one.tsv", filename="one.tsv", kind="rating", limit_bytes=1_000_000
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


@pytest.mark.django_db
def test_pairs_are_looked_at_then_taken_as_items(
    tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    study = make_study(dialogues=0, preset="sts-context")
    client = signed_in(study.owner)
    assert url(study, "sample") in text(client.get(url(study, "items")))
    numbers = {
        **{"n_pairs": "5", "measure": "words", "n_bins": "5", "max_uses": "2"},
        **{"threshold": "0.85", "seed": "3"},
    }
    content = _columns(tmp_path / "c.tsv").read_bytes()
    kept = client.post(url(study, "sample"), numbers)
    assert kept.status_code == 400
    assert "Choose a file first." in text(kept)

    client.post(url(study, "sample"), {**numbers, "file": SimpleUploadedFile("c.tsv", content)})
    job = Job.objects.get()
    jobs.run(job.pk)

    page = text(client.get(url(study, "sampled", job.pk)))
    assert "5 of 5 pairs, from 6 and 6 different texts." in page
    assert "W00 w01 w02  w03 w04 w05" in page
    assert not study.items.exists()
    assert signed_in().get(url(study, "sampled", job.pk)).status_code == 404
    again = text(client.get(url(study, "sample") + f"?of={job.pk}"))
    assert 'name="max_uses" value="2"' in again
    client.post(url(study, "sample"), {**numbers, "of": str(job.pk)})
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
    pairs = [line.split("\t")[:3] for line in tables[0].decode().splitlines()[1:]]
    assert pairs == [
        [one.key, one.target_text, one.candidate_text] for one in study.items.order_by("pk")
    ]

    with django_capture_on_commit_callbacks(execute=True):
        researchers.delete_draft(study=study)
    assert not list(Path(settings.MEDIA_ROOT, "imports").glob(f"{study.pk}-*"))
