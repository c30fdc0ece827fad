"""A researcher's pages of baselines: measures beside what people said."""

import io
from functools import cache

from playwright.sync_api import Page

from annotation.baselines.queries.score_sources import ResultSource
from annotation.baselines.services import baselines, measure_uploads
from annotation.baselines.services.report_options import ReportOptions
from annotation.basics import clock
from annotation.core.services import jobs
from annotation.models import Baseline, Job, Study, Training
from tests.pictures import reviewed
from tests.pictures.research import Desk, at
from tests.pictures.scenes import Scene, send
from tests.pictures.waiting import arrive


@cache
def measured(desk: Desk) -> Study:
    """Dialogues with their lexical measures, a measure from elsewhere, and a leaderboard."""
    study = reviewed.scored(desk)
    if study.baselines.exists():
        return study
    table = "".join(f"{item.key}\t{len(item.candidate)}\n" for item in study.items.iterator())
    file = io.BytesIO(table.encode())
    measure_uploads.upload(study=study, name="Length of the candidate", file=file, by=desk.user)
    options = ReportOptions(by=("domain", "turns"), n_resamples=100)
    jobs.run_here(
        study=study,
        kind=Job.Kind.BASELINES,
        parameters=baselines.parameters(study, [], options),
        by=desk.user,
    )
    return study


@cache
def failed(desk: Desk) -> Study:
    """A measure whose model is not there."""
    study = desk.add_items(desk.create("Replies without a model"), 4)
    Job.objects.create(
        study=study,
        kind=Job.Kind.BASELINES,
        state=Job.State.FAILED,
        parameters={"specifications": [], "options": ReportOptions().as_json()},
        error="There is no model 'org/name': put its files into the folder /srv/models/org/name.",
    )
    return study


@cache
def trained(desk: Desk) -> Study:
    """A model that was trained elsewhere, with what it found."""
    study = measured(desk)
    if study.trainings.exists():
        return study
    found = {"mean": 0.812, "sd": 0.014, "n": 3, "reason": None}
    Training.objects.create(
        study=study,
        name="first-try",
        kind="bi_encoder",
        model="all-minilm-l6-v2",
        parameters={
            "learnt": {
                "study": "round-1",
                "source": ResultSource().as_json(),
                "where": "",
                "tests": "",
            },
            "settings": {},
            "search": {},
        },
        figures={
            "n_train": 1200,
            "n_tests": {"free": 600, "significant_free": 45},
            "tests": {
                "free": {"pearson": found, "spearman": {**found, "mean": 0.79}},
                "significant_free": {"pearson": {**found, "mean": 0.61}, "spearman": found},
            },
            "models": [f"trained/replies/first-try/seed-{n}/model" for n in (1, 2, 3)],
            "settings": {"epochs": 2, "batch_size": 16, "learning_rate": 2e-05, "runs": 3},
            "search": None,
        },
        device="cpu",
        seconds=512.0,
        trained_at=clock.now(),
        code_version="0.1.0",
        by=desk.user,
    )
    return study


def _training_wrong(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(trained(desk), "trainings"))
    page.locator("#id_name").fill("my model")
    page.locator("#id_model").fill("all-minilm-l6-v2")
    send(page, "#content form:has(#id_epochs)")
    page.locator(".errorlist").first.wait_for()
    arrive(page)


def _measure(desk: Desk, key: str = "chrf") -> Baseline:
    return measured(desk).baselines.get(measure=key)


def _filled(desk: Desk) -> Study:
    return desk.filled


def _empty(desk: Desk) -> Study:
    return desk.empty


def _options(page: Page, desk: Desk) -> None:
    """The form, with everything unfolded."""
    desk.go(page, desk.of(measured(desk), "baselines"))
    page.locator("#id_family").select_option("bertscore")
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")


def _wrong(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(measured(desk), "baselines"))
    page.locator("#id_family").select_option("bi_encoder")
    page.locator("#id_where").evaluate("field => { field.value = 'n_words(first'; }")
    send(page, "#content form:has(#id_family)")
    page.locator(".errorlist").first.wait_for()
    arrive(page)


def _wrong_scores(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(measured(desk), "baselines"))
    page.locator("#id_name").fill("My model")
    page.locator("#id_table").fill("id\tscore\nd1-1\tmuch\nd99-1\t0.4\n")
    send(page, "#content form:has(#id_table)")
    page.locator(".problems").first.wait_for()
    arrive(page)


def _one(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(measured(desk), "baseline", _measure(desk).pk))


def _constant(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(measured(desk), "baseline", _measure(desk, "exact_match").pk))


def _remove(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(measured(desk), "baseline_remove", _measure(desk).pk))


def _review(page: Page, desk: Desk) -> None:
    """One click from the disagreements."""
    _one(page, desk)
    send(page, "#content form[action$='/review/']")
    page.wait_for_url("**/items/choose/**")
    arrive(page)


BASELINES = ("annotation_study_baselines",)
BASELINE = ("annotation_study_baseline",)
SCENES: tuple[Scene[Desk], ...] = (
    at("baselines-empty", "baselines", "baselines", _empty),
    at("baselines-without-people", "baselines", "baselines", _filled),
    at("baselines-failed", "baselines", "baselines", failed),
    at("baselines", "baselines", "baselines", measured),
    at("baselines-of-a-part", "baselines", "baselines", measured, query="?part=1&sort=-kendall"),
    Scene("baselines-options", "baselines", BASELINES, _options),
    Scene("baselines-wrong", "baselines", BASELINES, _wrong, 400),
    Scene("scores-wrong", "baselines", ("annotation_study_baseline_upload",), _wrong_scores, 400),
    Scene("baseline", "baselines", BASELINE, _one),
    Scene("baseline-constant", "baselines", BASELINE, _constant),
    Scene("baseline-remove", "baselines", ("annotation_study_baseline_remove",), _remove),
    at("trainings", "baselines", "trainings", trained),
    Scene("training-wrong", "baselines", ("annotation_study_trainings",), _training_wrong, 400),
    Scene("baseline-review", "baselines", ("annotation_study_baseline_review",), _review),
)
