"""GiCCS from a file of dialogues to the data set, answered over HTTP."""

import csv
import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from scoring import spearman
from tests.system.dialogues import write_giccs
from tests.system.servers import Installation

# GiCCS has sixty, and each is judged as the others are.
DIALOGUES = int(os.environ.get("CROWD_DIALOGUES", "8"))


def table(archive: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    text = archive.read(name).decode()
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))


@pytest.mark.timeout(900)
def test_an_exact_crowd_gives_back_the_latent_order(sqlite: Installation, tmp_path: Path) -> None:
    dialogues, latent_file = tmp_path / "dialogues.jsonl", tmp_path / "latent.tsv"
    write_giccs(dialogues, dialogues=DIALOGUES)
    sqlite.serve("--no-demo")
    create = ("--create", "--title", "GiCCS", "--preset", "giccs", "--language", "de")
    sqlite.manage("import_items", "giccs", str(dialogues), *create, "--owner", "researcher")
    certificate = json.loads(sqlite.manage("make_design", "giccs", "--seed", "7", "--json"))
    sqlite.manage("open_study", "giccs", "--contact", "Ada Example, ada@example.org")

    answered = json.loads(
        sqlite.manage(
            *("simulate", "giccs", "--annotators", "20", "--noise", "0", "--seed", "1"),
            *("--over-http", "--base-url", sqlite.base, "--write-latent", str(latent_file)),
        )
    )
    sqlite.manage("score", "giccs", "--source", "simulated")
    output = tmp_path / "giccs.zip"
    sqlite.manage("export", "giccs", "--source", "simulated", "--output", str(output))

    assert certificate["n_tuples"] == DIALOGUES * 10
    assert (answered["answers"], answered["annotators"]) == (DIALOGUES * 50, 20)
    with zipfile.ZipFile(output) as archive:
        items = table(archive, "items.tsv")
        judgments = table(archive, "judgments.tsv")
        study = json.loads(archive.read("study.json"))
    assert len(items) == DIALOGUES * 5
    assert {row["appearances"] for row in items} == {"30"}
    assert sum(row["status"] == "counted" for row in judgments) == DIALOGUES * 50
    latent = {}
    with latent_file.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            latent[row["id"]] = float(row["latent"])
    by_pool: dict[str, list[dict[str, str]]] = {}
    for row in items:
        by_pool.setdefault(row["pool"], []).append(row)
    assert len(by_pool) == DIALOGUES
    for rows in by_pool.values():
        scores = [float(row["score"]) for row in rows]
        assert float(spearman(scores, [latent[row["id"]] for row in rows])) == pytest.approx(1.0)
    assert study["design"]["seed"] == 7

    # Each screen shows one dialogue of three turns and one of five.
    n_turns = {row["pool"]: len(json.loads(row["dialogue_json"])) for row in items}
    pool_of = {row["id"]: row["pool"] for row in items}
    screens: dict[tuple[str, str, str], list[int]] = {}
    for row in judgments:
        shown = json.loads(row["shown_order"])
        key = (row["annotator"], row["booklet"], row["screen"])
        screens.setdefault(key, []).append(n_turns[pool_of[shown[0]]])
    assert {tuple(sorted(turns)) for turns in screens.values()} == {(3, 5)}
