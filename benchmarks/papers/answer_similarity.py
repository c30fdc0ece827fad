"""Answer similarity [Mustafazade2022]: pairs of answers rated 0, 1 or 2, and measures beside them.

422 pairs by three raters, and some of them by five; measures against the most frequent rating;
then a table that was published with its labels: the same measures, and a review of the pairs in
which a measure and the labels differ by thresholds.
"""

import json
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse

from annotation.baselines.queries import human_scores
from annotation.baselines.queries.score_sources import ColumnSource
from annotation.basics.categories import Categories
from annotation.core.services import jobs
from annotation.kinds.label.taste import LabelTaste
from annotation.kinds.rating.taste import draw_rating_taste
from annotation.models import Job, Study
from benchmarks.papers.answer_texts import answer_pairs, measured, write_pairs, write_table
from benchmarks.papers.people import Answering, answer_through_services, named, researcher
from benchmarks.papers.steps import CONTACT, Step, at_scale, of_command

THREE, FIVE, PUBLISHED, REVIEW = "answers", "answers-five", "published", "published-review"
N_PAIRS, N_PAIRS_OF_FIVE, BOOKLET = 422, 100, 50
ENCODERS = ("bi-encoder of our own", "cross-encoder of our own")
# As in the paper: the measure is sure of the opposite of what people say.
LIMITS = {"measure_below": 0.25, "people_from": 2, "measure_above": 0.75, "people_to": 0}
_DESCRIPTION = {
    "title": "Answer pairs",
    "authors": [{"name": "Ada Example"}],
    "licence": "CC-BY-4.0",
}


def steps(folder: Path, scale: float, answer: Answering = answer_through_services) -> list[Step]:
    """The whole study; `answer` says how people answer."""
    return [
        Step("write the files", lambda: write_files(folder, scale), is_measured=False),
        *_rated(folder, THREE, 3, answer, folder / "answers.tsv"),
        *_rated(folder, FIVE, 5, answer, folder / "five.tsv"),
        Step("upload the values of two encoders", lambda: _upload(folder)),
        of_command(
            "measures beside the most frequent ratings", "baseline", THREE,
            "--people", "majority:1", "--by", "source,f1_zero", *_files(folder, THREE),
        ),
        of_command(
            "measures beside five ratings", "baseline", FIVE,
            "--people", "majority:1", "--by", "f1_zero", *_files(folder, FIVE),
        ),
        *published(folder),
        of_command(
            "measures beside the published labels", "baseline", PUBLISHED,
            "--people", "column:label", "--by", "source,f1_zero", *_files(folder, PUBLISHED),
        ),
        Step("begin the review by thresholds", _begin_review),
        of_command("review: design", "make_design", REVIEW, "--seed", 7),
        of_command("review: open", "open_study", REVIEW, *CONTACT),
        Step("people review", lambda: _review(answer), is_measured=False),
        of_command("review: close", "close_study", REVIEW),
        of_command("review: score", "score", REVIEW),
        *(step for slug in (THREE, FIVE, PUBLISHED, REVIEW) for step in release(folder, slug)),
    ]  # fmt: skip


def write_files(folder: Path, scale: float) -> None:
    pairs = answer_pairs(at_scale(N_PAIRS, scale, minimum=40), seed=2022)
    write_pairs(folder / "answers.tsv", pairs)
    n_five = at_scale(N_PAIRS_OF_FIVE, scale, minimum=12)
    write_pairs(folder / "five.tsv", pairs[:n_five])
    write_table(folder / "latent.tsv", ["id", "latent"], [(one.key, one.label) for one in pairs])
    values = [measured(pairs, noise=noise, seed=seed) for seed, noise in enumerate((0.2, 0.1))]
    rows = zip((pair.key for pair in pairs), *values, strict=True)
    write_table(folder / "encoders.tsv", ["id", *ENCODERS], rows)
    others = answer_pairs(len(pairs), seed=2021, prefix="p")
    write_pairs(
        folder / "published.tsv",
        others,
        label=[one.label for one in others],
        cross_encoder=list(measured(others, noise=0.08, seed=3, wrong_every=5)),
    )
    (folder / "description.json").write_text(json.dumps(_DESCRIPTION), encoding="utf-8")
    for slug in (THREE, FIVE, PUBLISHED):
        (folder / f"tables-{slug}").mkdir(exist_ok=True)


def _files(folder: Path, slug: str) -> tuple[object, ...]:
    """Where a leaderboard and the tables beside it are written."""
    board = ("--tsv", folder / f"board-{slug}.tsv", "--latex", folder / f"board-{slug}.tex")
    return (*board, "--tables", folder / f"tables-{slug}")


def _rated(folder: Path, slug: str, n_raters: int, answer: Answering, file: Path) -> list[Step]:
    """From the file of pairs to scores."""
    create = ("--create", "--title", slug, "--preset", "answer-similarity", "--language", "en")
    numbers = ("--ratings-per-item", n_raters, "--items-per-booklet", BOOKLET, "--seed", 7)
    return [
        of_command(
            f"{slug}: import", "import_items", slug, file, *create, "--owner", "researcher"
        ),
        of_command(f"{slug}: design", "make_design", slug, *numbers),
        of_command(f"{slug}: open", "open_study", slug, *CONTACT),
        Step(
            f"{slug}: people rate", lambda: _rate(folder, slug, n_raters, answer),
            is_measured=False,
        ),
        of_command(f"{slug}: close", "close_study", slug),
        of_command(f"{slug}: score", "score", slug),
    ]  # fmt: skip


def published(folder: Path) -> list[Step]:
    """A table with labels becomes an imported study: nobody is asked."""
    create = ("--create", "--title", PUBLISHED, "--preset", "answer-similarity")
    return [
        of_command(
            "published: import", "import_items", PUBLISHED, folder / "published.tsv",
            *create, "--imported", "--owner", "researcher",
        ),
    ]  # fmt: skip


def release(folder: Path, slug: str) -> list[Step]:
    return [
        of_command(f"{slug}: export", "export", slug, "--output", folder / f"{slug}.zip"),
        of_command(
            f"{slug}: release", "release", slug, "--description", folder / "description.json"
        ),
    ]


def train(folder: Path, *, labeller: str, start: str) -> None:
    """A bi-encoder on the labels and on pairs that a cross-encoder labels, through the page."""
    study = Study.objects.get(slug=PUBLISHED)
    further = answer_pairs(40, seed=7, prefix="f")
    write_table(
        folder / "further.tsv", ["target", "candidate"], [(o.first, o.second) for o in further]
    )
    labels = human_scores.sources(study).index(ColumnSource(name="label"))
    form = {
        "people": str(labels),
        "name": "augmented", "kind": "bi_encoder", "model": start, "on": "", "split": "random",
        "share": 0.5, "split_seed": 1, "labeller": labeller, "epochs": 1, "batch_size": 8,
        "learning_rate": 2e-3, "warmup": 0.1, "runs": 2, "seed": 1, "loss": "",
    }  # fmt: skip
    with (folder / "further.tsv").open("rb") as file:
        _sent(_client().post(_page("trainings", study), {**form, "further": file}))
    job = study.jobs.get(kind=Job.Kind.TRAIN)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.problems or job.error


# -- What people do -----------------------------------------------------------------------------


def _rate(folder: Path, slug: str, n_raters: int, answer: Answering) -> None:
    study = Study.objects.get(slug=slug)
    lines = (folder / "latent.tsv").read_text(encoding="utf-8").splitlines()[1:]
    known = set(study.items.values_list("key", flat=True))
    latent = {key: float(value) for key, value in (line.split("\t") for line in lines)}
    given = {key: value for key, value in latent.items() if key in known}
    answer(study, draw_rating_taste(study, noise=0.2, seed=1, given=given), n_raters)


def _review(answer: Answering) -> None:
    """Two people who mostly agree why the measure differs."""
    study = Study.objects.get(slug=REVIEW)
    names = study.categories["names"]
    latent = {
        item.pk: (names[item.number % len(names)],) for item in study.items.order_by("number")
    }
    answer(study, LabelTaste(latent, 0.1, Categories.of(study.categories), 1), 2)


# -- What the researcher does on pages ----------------------------------------------------------


def _upload(folder: Path) -> None:
    study = Study.objects.get(slug=THREE)
    with (folder / "encoders.tsv").open("rb") as file:
        _sent(_client().post(_page("baseline_upload", study), {"file": file}))


def _begin_review() -> None:
    """What the published cross-encoder says beside the published labels."""
    earlier = Study.objects.get(slug=PUBLISHED)
    form = {"title": REVIEW, "language": "en", "preset": "discrepancy-review"}
    client = _client()
    add = reverse("admin:annotation_study_add")
    _sent(client.post(add, {**form, "earlier_round": earlier.pk}))
    review = named(earlier.later_rounds.get(), REVIEW)
    rule = {"people": "column:label", "column": "cross_encoder", "rule": "thresholds", **LIMITS}
    _sent(client.post(_page("choose", review), rule))


def _client() -> Any:
    return researcher(User.objects.get(username="researcher"))


def _page(name: str, study: Study) -> str:
    return reverse(f"admin:annotation_study_{name}", args=[study.pk])


def _sent(response: Any) -> None:
    assert response.status_code == 302, response.content.decode()[:2000]
