"""What compares a measure with people's scores goes, or is left out, when these change."""

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.answering.services import rosters, withdrawal
from annotation.baselines.queries.human_scores import HumanScores
from annotation.baselines.services import baseline_layers
from annotation.baselines.services.report_options import ReportOptions
from annotation.core.services import jobs
from annotation.core.services.model_process import Computed
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs
from annotation.models import Annotator, Baseline, Job, Study
from annotation.people.services import exclusions
from annotation.results.services import scoring
from scoring import pearson
from scoring.baselines import Specification
from tests.support.api import address, by_token
from tests.support.baseline_studies import compute
from tests.support.release_studies import facts, files_of, write
from tests.support.researcher_pages import signed_in, url
from tests.support.reviewing import scored_ratings

pytestmark = pytest.mark.django_db

# Two people, who disagree.
RATINGS = (("0", "6"), ("1", "5"), ("2", "6"), ("3", "0"), ("5", "1"), ("6", "0"))
LAYERS = np.random.default_rng(1).random((len(RATINGS), 3))
BERTSCORE = Specification("bertscore", {"model": "m", "layer": 2})
FEW = ReportOptions(n_resamples=10)


@pytest.fixture(autouse=True)
def _stored_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    # SQLite writes its log back outside a transaction only, and a test is in one.
    monkeypatch.setattr(rosters.wiping, "wipe", lambda: None)

    def values(*_args: Any, folder: Path, progress: object, layers: str) -> Computed:
        np.save(layers, LAYERS)
        return Computed(LAYERS[:, 2], device="cpu")

    monkeypatch.setattr(baseline_layers, "compute", values)


def compared() -> tuple[Study, Annotator]:
    """A study whose measure was compared with the ratings of two people, and one of them."""
    study = scored_ratings({f"p{n}": list(given) for n, given in enumerate(RATINGS, 1)})
    job = compute(study, BERTSCORE, options=FEW)
    assert job.state == Job.State.DONE, job.error
    return study, study.annotators.earliest("pk")


def score_again(study: Study) -> None:
    job = scoring.request(study=study, population="people", by=study.owner)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.problems


def exported_layers(study: Study) -> list[str]:
    """Pearson's correlation of each layer in a release of now; empty without the file."""
    file = files_of(write(study, facts())).get("layers.tsv", b"").decode()
    rows = csv.DictReader(io.StringIO(file), delimiter="\t")
    return [row["pearson"] for row in rows if row["subset"] == "all"]


def measure(study: Study) -> Baseline:
    return study.baselines.get(measure="bertscore")


@pytest.mark.slow
def test_a_withdrawal_takes_the_figures_and_leaves_the_values() -> None:
    study, person = compared()
    assert len(exported_layers(study)) == 3

    withdrawal.withdraw(annotator=person)

    assert measure(study).figures["people"] is None
    assert not Baseline.FIGURES_OF_PEOPLE & measure(study).figures.keys() - {"people"}
    assert measure(study).array == pytest.approx(LAYERS[:, 2])
    score_again(study)
    assert exported_layers(study) == []


@pytest.mark.slow
def test_computed_again_they_are_of_the_scores_that_are_left() -> None:
    study, person = compared()
    withdrawal.withdraw(annotator=person)
    score_again(study)

    compute(study, BERTSCORE, options=FEW)

    left = [float(second) for _first, second in RATINGS]
    expected = [float(pearson(left, LAYERS[:, layer])) for layer in range(3)]
    assert [float(value) for value in exported_layers(study)] == pytest.approx(expected)


@pytest.mark.slow
def test_an_exclusion_makes_them_outdated_for_pages_files_and_the_api() -> None:
    study, person = compared()
    client = signed_in(study.owner)
    exclusions.exclude(annotator=person, reason="clicked at random", by=study.owner)
    score_again(study)

    page = client.get(url(study, "baselines"))
    file = client.get(url(study, "baseline_further", "layers", "tsv"))
    plot = client.get(url(study, "baseline_plot", f"layers-{measure(study).pk}", "tsv"))
    api = by_token(study.owner).get(address(study, "baselines/")).json()

    assert page.context["beside_earlier"] == [measure(study).name]
    assert page.context["layer_plots"] == []
    assert (file.status_code, plot.status_code) == (302, 404)
    (figures,) = (row["figures"] for row in api["results"] if row["measure"] == "bertscore")
    assert figures == {"people": None}
    assert exported_layers(study) == []


@pytest.mark.slow
def test_the_same_scores_of_a_later_result_need_no_model_again(monkeypatch) -> None:
    study, _person = compared()
    score_again(study)
    assert exported_layers(study) == []

    def refuse(*_args: Any, **_options: Any) -> Computed:
        raise AssertionError("the model was asked again")

    monkeypatch.setattr(baseline_layers, "compute", refuse)
    job = compute(study, BERTSCORE, options=FEW)

    assert job.state == Job.State.DONE, job.problems
    assert len(exported_layers(study)) == 3


def test_who_withdraws_while_a_measure_is_compared_is_in_no_figure(monkeypatch) -> None:
    study = scored_ratings({f"p{n}": list(given) for n, given in enumerate(RATINGS, 1)})
    person = study.annotators.earliest("pk")
    score = baseline_layers.score

    def withdraw_and_score(
        specification: Specification, pairs: StudyPairs, people: HumanScores, **options: Any
    ) -> Computed:
        withdrawal.withdraw(annotator=person)
        return score(specification, pairs, people, **options)

    monkeypatch.setattr(baseline_layers, "score", withdraw_and_score)
    job = compute(study, BERTSCORE, options=FEW)

    assert job.state == Job.State.FAILED
    assert "withdrew" in str(job.problems)
    assert not study.baselines.filter(measure="bertscore").exists()
