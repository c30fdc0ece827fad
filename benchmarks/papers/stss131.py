"""STSS-131: pairs of short texts, rated from 0.00 to 4.00 by 32 people.

Half of the people have a personal link of a roster, half come by the open link. Two pairs
calibrate and are in no score. Then two measures from elsewhere, in the place of the paper's STASIS
and LSA, are held against the means, compared with one another, with the typical human, and with
published values. The texts are made here: sentences of which ever more words are others.
"""

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse

from annotation.answering.services import assignments
from annotation.basics import clock
from annotation.kinds.rating.taste import draw_rating_taste
from annotation.models import Annotator, Study
from annotation.simulation import through_services
from annotation.studies.services import studies
from benchmarks.papers.people import Answering, answer_through_services, researcher
from benchmarks.papers.steps import CONTACT, Step, at_scale, command, of_command

STUDY = "stss"
N_PAIRS, N_PEOPLE = 131, 32
CALIBRATION = {"c1": 0.0, "c2": 4.0}
STASIS, LSA = "STASIS", "LSA"
# As the paper prints them of its 64 pairs.
PUBLISHED = {STASIS: 0.636, LSA: 0.693}
N_PUBLISHED = 64
HUMAN = "typical-human"
# Another group of raters, as a paper would state it.
OTHER_RATERS = {"mean": 0.8, "sd": 0.05, "n": 30}
_DESCRIPTION = {
    "title": "STSS-131, made anew",
    "authors": [{"name": "Ada Example"}],
    "licence": "CC-BY-4.0",
}


def steps(folder: Path, scale: float, answer: Answering = answer_through_services) -> list[Step]:
    """The whole study; `answer` says how those answer who come by the open link."""
    n_main, n_people = sizes(scale)
    pairs, roster = folder / "pairs.tsv", folder / "roster.txt"
    create = ("--create", "--title", "STSS-131", "--preset", "stss-131", "--language", "en")
    numbers = ("--ratings-per-item", n_people, "--items-per-booklet", n_main)
    design = ("--seed", 131, *numbers)
    return [
        Step("write the files", lambda: _write_files(folder, scale), is_measured=False),
        of_command("import", "import_items", STUDY, pairs, *create, "--owner", "researcher"),
        of_command("design", "make_design", STUDY, *design, "--calibration", *CALIBRATION),
        of_command("open", "open_study", STUDY, *CONTACT),
        of_command("roster", "roster", STUDY, roster),
        Step("people answer", lambda: _answer(folder, n_people, answer), is_measured=False),
        of_command("is it complete?", "progress", STUDY, "--complete"),
        of_command("close", "close_study", STUDY),
        of_command("score", "score", STUDY),
        Step("upload the values of two measures", lambda: _upload(folder)),
        Step("measures and leaderboard", lambda: _measure(folder)),
        Step("compare", _compare),
        of_command("release", "release", STUDY, "--description", folder / "d.json"),
        of_command("export", "export", STUDY, "--output", folder / "stss.zip"),
    ]


def sizes(scale: float) -> tuple[int, int]:
    """How many pairs count, and how many people rate them."""
    n_main = at_scale(N_PAIRS, scale, minimum=12) - len(CALIBRATION)
    return n_main, at_scale(N_PEOPLE, scale, minimum=8, multiple_of=2)


# -- The files ----------------------------------------------------------------------------------

_SLOTS: Sequence[Sequence[str]] = (
    ("An old man", "A young girl", "The teacher", "My neighbour", "Our doctor", "Some tourist"),
    ("slowly", "often", "rarely", "quietly", "suddenly"),
    ("walks", "drives", "runs", "cycles", "returns"),
    ("to the market", "to the station", "along the river", "into the forest", "across the hill"),
    ("every morning", "on Sunday", "before lunch", "after the rain", "in winter"),
    ("with a dog.", "with two friends.", "without a coat.", "for some bread.", "to meet people."),
)


def _write_files(folder: Path, scale: float) -> None:
    n_main, n_people = sizes(scale)
    rng = np.random.default_rng(131)
    rows, latent, values = [], {}, []
    pairs = {**dict.fromkeys(map(str, range(66, 66 + n_main))), **CALIBRATION}
    seen: set[str] = set()
    for place, (key, known) in enumerate(pairs.items()):
        n_changed = place % (len(_SLOTS) + 1)
        if known is not None:
            n_changed = 0 if known else len(_SLOTS)
        first, second = _pair(rng, n_changed, seen)
        likeness = 4 * (1 - n_changed / len(_SLOTS)) if known is None else known
        latent[key] = float(np.clip(likeness + rng.normal(0, 0.2), 0.05, 3.95))
        expected = "" if known is None else f"{known:g}"
        rows.append([key, first, second, expected, int(known is not None)])
        values.append([key, *(latent[key] / 4 + rng.normal(0, sd) for sd in (0.3, 0.25))])
    head = ["pair_id", "sentence1", "sentence2", "expected", "calibration"]
    _write(folder / "pairs.tsv", head, rows)
    _write(folder / "latent.tsv", ["id", "latent"], latent.items())
    _write(folder / "measures.tsv", ["id", STASIS, LSA], values)
    people = [f"p{number:02}" for number in range(n_people // 2)]
    (folder / "roster.txt").write_text("\n".join(people), encoding="utf-8")
    (folder / "d.json").write_text(json.dumps(_DESCRIPTION), encoding="utf-8")
    (folder / "tables").mkdir(exist_ok=True)


def _pair(rng: np.random.Generator, n_changed: int, seen: set[str]) -> tuple[str, str]:
    """Two sentences that differ in so many places; none of them was there before."""
    while True:
        words = [int(rng.integers(len(slot))) for slot in _SLOTS]
        others = list(words)
        for place in rng.permutation(len(_SLOTS))[:n_changed]:
            others[place] = (words[place] + 1) % len(_SLOTS[place])
        first, second = (
            " ".join(slot[word] for slot, word in zip(_SLOTS, chosen, strict=True))
            for chosen in (words, others)
        )
        if not {first, second} & seen:
            seen |= {first, second}
            return first, second


def _write(path: Path, header: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


# -- The people ---------------------------------------------------------------------------------


def _answer(folder: Path, n_people: int, answer: Answering) -> None:
    study = Study.objects.get(slug=STUDY)
    with (folder / "latent.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    given = {row["id"]: float(row["latent"]) for row in rows}
    taste = draw_rating_taste(study, noise=0.15, seed=131, given=given)
    invited = Annotator.objects.filter(study=study, person__isnull=False).order_by("pk")
    consent = studies.current_consent(study)
    for number, annotator in enumerate(invited, start=n_people):
        with transaction.atomic():
            assignment = assignments.start(annotator=annotator, consent=consent)
            annotator.refresh_from_db()
            annotator.instructed_at = clock.now()
            annotator.save(update_fields=["instructed_at"])
            through_services._answer_booklet(annotator, assignment, taste, number)
    answer(study, taste, n_people - len(invited))


# -- The measures -------------------------------------------------------------------------------


def _upload(folder: Path) -> None:
    study = Study.objects.get(slug=STUDY)
    client = researcher(User.objects.get(username="researcher"))
    address = reverse("admin:annotation_study_baseline_upload", args=[study.pk])
    with (folder / "measures.tsv").open("rb") as file:
        answer = client.post(address, {"name": "", "table": "", "file": file})
    if answer.status_code != 302:
        raise RuntimeError(f"the values were not taken: {answer.status_code}")


def _measure(folder: Path) -> None:
    command(
        "baseline", STUDY, "--round", 3,
        "--tsv", folder / "leaderboard.tsv", "--latex", folder / "leaderboard.tex",
        "--tables", folder / "tables",
    )  # fmt: skip


def _compare() -> None:
    """The paper's tests: two measures, a measure and people, either and a stated correlation."""
    for arguments in (
        # What the paper calls Steiger's z.
        ("--first", STASIS, "--second", LSA, "--test", "meng"),
        ("--first", STASIS, "--second", HUMAN),
        ("--first", LSA, "--second", HUMAN),
        *(
            ("--first", name, "--value", r, "--n", N_PUBLISHED, "--name", f"{name} (2013)")
            for name, r in PUBLISHED.items()
        ),
        ("--first", STASIS, "--value", PUBLISHED[STASIS], "--name", "STASIS, as printed"),
        (
            *("--first", HUMAN, "--value", OTHER_RATERS["mean"], "--sd", OTHER_RATERS["sd"]),
            *("--n", OTHER_RATERS["n"], "--name", "another group of raters"),
        ),
    ):
        command("compare_measures", STUDY, *arguments, "--keep")
