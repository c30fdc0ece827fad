"""Measures with a model of a study, computed by the real process."""

from pathlib import Path

import numpy as np
import pytest
from django.conf import LazySettings

from annotation.models import Job
from annotation.queries.baseline_pairs import read_pairs
from annotation.services.report_options import ReportOptions
from scoring.baselines import Specification
from scoring.baselines.choices import best_options
from tests.annotation.baseline_studies import MEAN, compute, make_pairs
from tests.factories import make_study
from tests.reviewing import score, scored_dialogues
from tests.scoring.neural.conftest import models, packages, real_model  # noqa: F401 - fixtures

pytestmark = pytest.mark.django_db


@pytest.fixture
def at_hand(models: Path, settings: LazySettings) -> None:  # noqa: F811 - the fixture
    """The installation's folder of models has the tiny ones."""
    settings.MODELS = models


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def test_cosines_are_those_of_a_plain_script(
    real_model: Path,  # noqa: F811 - the fixture
    settings: LazySettings,
) -> None:
    from sentence_transformers import SentenceTransformer

    settings.MODELS = real_model.parent
    study = make_pairs()

    job = compute(study, Specification("bi_encoder", {"model": real_model.name}))

    assert job.state == Job.State.DONE, job.error
    one = study.baselines.get(measure="bi_encoder")
    plain = SentenceTransformer(str(real_model), device="cpu", local_files_only=True)
    pairs = read_pairs(study).pairs
    first, second = (
        plain.encode(texts, normalize_embeddings=True)
        for texts in ([pair.first for pair in pairs], [pair.second for pair in pairs])
    )
    np.testing.assert_allclose(one.array, (first * second).sum(axis=1), atol=1e-6)
    # Six pairs with three different targets; all candidates differ, and one text is on both sides.
    assert (one.figures["n_encoded"], one.figures["n_kept"]) == (8, 0)
    assert one.revision
    assert one.device


def test_each_family_has_values_and_vectors_are_kept_over_studies(at_hand: None) -> None:
    first, second = make_pairs(), make_pairs()
    wanted = (
        Specification("bi_encoder", {"model": "bi-encoder"}),
        Specification("bi_encoder", {"model": "bi-encoder", "context": "front"}),
        Specification("cross_encoder", {"model": "cross-encoder"}),
        Specification("bertscore", {"model": "bi-encoder", "layer": 2}),
    )

    for study in (first, second):
        job = compute(study, *wanted)
        assert job.state == Job.State.DONE, job.error

    before, after = (
        {one.name: one for one in study.baselines.filter(seconds__gte=0)}
        for study in (first, second)
    )
    assert set(before) == set(after)
    for specification in wanted:
        names = [
            name
            for name, one in before.items()
            if one.measure == specification.measure
            and specification.settings.items() <= one.settings.items()
        ]
        for name in names:
            np.testing.assert_array_equal(before[name].array, after[name].array)
            assert np.isfinite(after[name].array).all()
            assert after[name].figures["n_encoded"] == 0


def test_a_model_that_is_not_there_is_named_with_its_remedy(at_hand: None) -> None:
    study = make_pairs()

    job = compute(study, Specification("bi_encoder", {"model": "no-such-model"}), options=MEAN)

    assert job.state == Job.State.FAILED
    (problem,) = job.problems
    assert problem.startswith("Bi-encoder no-such-model: ")
    assert "no-such-model" in problem.removeprefix("Bi-encoder no-such-model: ")


# -- Multiple choice ----------------------------------------------------------------------------

CHOICE = Specification("multiple_choice", {"model": "causal", "language": "en", "shuffles": 2})


def test_a_language_model_chooses_among_the_candidates_of_each_dialogue(at_hand: None) -> None:
    study = scored_dialogues(dialogues=3)

    job = compute(study, CHOICE, options=ReportOptions(n_resamples=0))

    assert job.state == Job.State.DONE, job.error
    one = study.baselines.get(measure="multiple_choice")
    assert np.isfinite(one.array).all()
    figures = one.figures
    assert (figures["n"], figures["n_left_out"]) == (3, 0)
    assert figures["shuffles"]["n"] == 2
    assert set(figures["by_subset"]) == {"3 turns", "5 turns"}
    # The mean over two shuffles of how often one of the best was chosen.
    scores = study.results.get().item_scores.order_by("item__number")
    people = np.array([row.score for row in scores]).reshape(3, 5)
    assert all(best_options(row) for row in people)
    assert figures["accuracy"] == pytest.approx(np.mean(figures["shuffles"]["accuracies"]))
    assert one.name == "Multiple choice causal, with the dialogue, en, per token, 2 shuffles"


def test_choices_are_counted_anew_when_people_are_scored_anew(at_hand: None) -> None:
    study = scored_dialogues(dialogues=3)
    options = ReportOptions(n_resamples=0)
    compute(study, CHOICE, options=options)
    one = study.baselines.get(measure="multiple_choice")

    compute(study, CHOICE, options=options)
    assert study.baselines.get(measure="multiple_choice").pk == one.pk
    result = score(study)
    best = one.array.reshape(3, 5).argmin(axis=1)
    for n, row in enumerate(result.item_scores.order_by("item__number")):
        row.score = 1.0 if n % 5 == best[n // 5] else -1.0
        row.save()
    compute(study, CHOICE, options=options)

    again = study.baselines.get(measure="multiple_choice")
    assert again.pk != one.pk
    np.testing.assert_array_equal(again.array, one.array)
    assert again.figures["n_encoded"] == 0
    assert again.figures["accuracy"] < 1


def test_without_scores_there_are_likelihoods_and_no_accuracy(at_hand: None) -> None:
    study = make_study(dialogues=2)

    job = compute(study, CHOICE, options=ReportOptions())

    assert job.state == Job.State.DONE, job.error
    one = study.baselines.get(measure="multiple_choice")
    assert np.isfinite(one.array).all()
    assert (one.figures["n_left_out"], one.figures["accuracy"]) == (2, None)


def test_pairs_are_no_dialogues_to_choose_in(at_hand: None) -> None:
    job = compute(make_pairs(), CHOICE)

    assert job.state == Job.State.FAILED
    assert "Multiple choice needs dialogues with several candidates" in job.problems[0]
