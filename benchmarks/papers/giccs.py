"""GiCCS: German dialogues, five candidates each, compared by best-worst scaling.

Sixty dialogues of three and of five turns from two sources; all ten 3-tuples of the candidates of
a dialogue, each judged by five people: 3,000 answers. Then measures and an expert check. The
dialogues are those of `demo/`, several times with another opening word.
"""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.urls import reverse

from annotation.basics.categories import Categories
from annotation.kinds.best_worst.taste import draw_best_worst_taste
from annotation.kinds.label.taste import LabelTaste
from annotation.models import Study
from benchmarks.papers.people import (
    Answering,
    answer_through_services,
    named,
    researcher,
)
from benchmarks.papers.steps import CONTACT, Step, at_scale, command, of_command
from benchmarks.write_locks import ROOT

STUDY, CHECK = "giccs", "giccs-check"
CHECK_TITLE = "GiCCS check"
N_DIALOGUES, N_PEOPLE, N_EXPERTS = 60, 20, 2
ENCODERS = ("Encoder", "Encoder, dialogue in front")
_OPENINGS = ("", "Also: ", "Na gut: ", "Ach ja: ")
_DESCRIPTION = {
    "title": "GiCCS, made anew",
    "authors": [{"name": "Ada Example"}],
    "licence": "CC-BY-4.0",
}


def steps(folder: Path, scale: float, answer: Answering = answer_through_services) -> list[Step]:
    """The whole study; `answer` says how people answer."""
    return [
        *until_scored(folder, scale, answer),
        Step("upload the values of two encoders", lambda: _upload(folder)),
        Step("measures and leaderboard", lambda: measure(folder)),
        Step("begin the expert check", _begin_check),
        of_command("design of the check", "make_design", CHECK, "--seed", 7),
        of_command("open the check", "open_study", CHECK, *CONTACT),
        Step("experts answer", lambda: _answer_as_experts(answer), is_measured=False),
        of_command("close the check", "close_study", CHECK),
        of_command("score the check", "score", CHECK),
        *release(folder, STUDY),
        *release(folder, CHECK),
    ]


def until_scored(
    folder: Path, scale: float, answer: Answering = answer_through_services
) -> list[Step]:
    """From the file of dialogues to scores."""
    dialogues = folder / "dialogues.jsonl"
    create = ("--create", "--title", "GiCCS", "--preset", "giccs", "--language", "de")
    return [
        Step("write the files", lambda: _write_files(folder, scale), is_measured=False),
        of_command("import", "import_items", STUDY, dialogues, *create, "--owner", "researcher"),
        of_command("lexical statistics", "lexical", STUDY, "--tsv", folder / "lexical.tsv"),
        of_command("design", "make_design", STUDY, "--seed", 7),
        of_command("open", "open_study", STUDY, *CONTACT),
        Step("people answer", lambda: _answer(folder, answer), is_measured=False),
        of_command("is it complete?", "progress", STUDY, "--complete"),
        of_command("close", "close_study", STUDY),
        of_command("score", "score", STUDY),
    ]


def release(folder: Path, slug: str) -> list[Step]:
    return [
        of_command(f"release {slug}", "release", slug, "--description", folder / "d.json"),
        of_command(f"export {slug}", "export", slug, "--output", folder / f"{slug}.zip"),
    ]


# -- The files ----------------------------------------------------------------------------------


def _write_files(folder: Path, scale: float) -> None:
    n_dialogues = at_scale(N_DIALOGUES, scale, minimum=8, multiple_of=4)
    rng = np.random.default_rng(2022)
    latent = {}
    with (folder / "dialogues.jsonl").open("w", encoding="utf-8") as file:
        for dialogue in _dialogues(n_dialogues):
            file.write(json.dumps(dialogue, ensure_ascii=False) + "\n")
            for candidate in dialogue["candidates"]:
                # Class 1 means the same as the last turn, class 5 has nothing to do with it.
                middle = 1.1 - 0.2 * candidate["intended_class"]
                latent[candidate["id"]] = middle + rng.uniform(-0.1, 0.1)
    _write(folder / "latent.tsv", ["id", "latent"], latent.items())
    _write(
        folder / "encoders.tsv",
        ["id", *ENCODERS],
        (
            (key, *(value + rng.normal(0, sd) for sd in (0.4, 0.25)))
            for key, value in latent.items()
        ),
    )
    (folder / "d.json").write_text(json.dumps(_DESCRIPTION), encoding="utf-8")
    # Where commands write their tables.
    (folder / "tables").mkdir(exist_ok=True)


def _dialogues(n: int) -> Iterator[dict[str, Any]]:
    """As many of each source and number of turns, no two texts the same."""
    lines = (ROOT / "demo" / "dialogues.de.jsonl").read_text(encoding="utf-8").splitlines()
    cells: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for one in map(json.loads, lines):
        cells.setdefault((one["source"], len(one["turns"])), []).append(one)
    for number in range(n):
        of_cell = list(cells.values())[number % len(cells)]
        time, place = divmod(number // len(cells), len(of_cell))
        one, opening = of_cell[place], _OPENINGS[time]
        key = f"d{number + 1:02}"
        yield {
            **one,
            "id": key,
            "turns": [{**turn, "text": opening + turn["text"]} for turn in one["turns"]],
            "candidates": [
                {**each, "id": f"{key}-{c}", "text": opening + each["text"]}
                for c, each in enumerate(one["candidates"], start=1)
            ],
        }


def _write(path: Path, header: list[str], rows: Any) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows([header, *rows])


def _latent(folder: Path) -> dict[str, float]:
    with (folder / "latent.tsv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: float(row["latent"]) for row in csv.DictReader(file, delimiter="\t")}


# -- What people do -----------------------------------------------------------------------------


def _answer(folder: Path, answer: Answering) -> None:
    study = Study.objects.get(slug=STUDY)
    answer(
        study, draw_best_worst_taste(study, noise=0.15, seed=1, given=_latent(folder)), N_PEOPLE
    )


def _answer_as_experts(answer: Answering) -> None:
    """Two experts who ask for more than people do: what means the same is above the middle."""
    study = Study.objects.get(slug=CHECK)
    above, below = study.categories["names"]
    latent = {
        item.pk: (above if int(item.intended_class) == 1 else below,) for item in study.items.all()
    }
    answer(study, LabelTaste(latent, 0.1, Categories.of(study.categories), 1), N_EXPERTS)


def _upload(folder: Path) -> None:
    study = Study.objects.get(slug=STUDY)
    page = reverse("admin:annotation_study_baseline_upload", args=[study.pk])
    with (folder / "encoders.tsv").open("rb") as file:
        _sent(researcher(study.owner).post(page, {"file": file}))


def measure(folder: Path, *models: str) -> None:
    """Every lexical measure and those with models, by source and by number of turns."""
    named = [word for model in models for word in ("--model", model)]
    files = ("--tsv", folder / "leaderboard.tsv", "--latex", folder / "leaderboard.tex")
    command(
        "baseline", STUDY, *named, "--by", "source,turns", *files, "--tables", folder / "tables"
    )


def _begin_check() -> None:
    owner = User.objects.get(username="researcher")
    earlier = Study.objects.get(slug=STUDY)
    client = researcher(owner)
    form = {"title": CHECK_TITLE, "language": "de", "preset": "expert-check"}
    _sent(
        client.post(reverse("admin:annotation_study_add"), {**form, "earlier_round": earlier.pk})
    )
    check = named(earlier.later_rounds.get(), CHECK)
    _sent(client.post(reverse("admin:annotation_study_choose", args=[check.pk]), {"which": "all"}))


def _sent(response: Any) -> None:
    assert response.status_code == 302, response.content.decode()[:2000]
