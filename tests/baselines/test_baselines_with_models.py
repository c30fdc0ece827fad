"""Measures with a model of a study, computed by a process of its own."""

from pathlib import Path

import numpy as np
import pytest
from django.conf import LazySettings

from annotation.baselines.services.report_options import ReportOptions
from annotation.kinds.rating.queries.baseline_pairs import read_pairs
from annotation.models import Item, Job, Study, Turn
from scoring import pearson
from scoring.baselines import Pair, Specification
from shell.messages import Message
from tests.scoring.neural.conftest import (  # noqa: F401 - fixtures
    models,
    packages,
    prepared,
    real_model,
)
from tests.scoring.neural.making import WORDS
from tests.scoring.neural.plain import plain_cosines
from tests.support.baseline_studies import MEAN, compute, make_pairs
from tests.support.factories import make_study
from tests.support.reviewing import score, scored_dialogues

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("prepared")]


@pytest.fixture
def at_hand(models: Path, settings: LazySettings) -> None:  # noqa: F811 - the fixture
    """The installation's folder of models has the tiny ones."""
    settings.MODELS = models


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def shortened(study: Study) -> Study:
    """With texts that a tiny model, which reads most words letter by letter, can take."""
    for turn in Turn.objects.filter(context__study=study).select_related("context"):
        turn.text = f"{WORDS[int(turn.context.key[1:])]} {WORDS[turn.position]}"
        turn.save()
    for item in study.items.all():
        item.candidate_text = f"{WORDS[10 + item.number]} {WORDS[-item.number]}"
        item.save()
    return study


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


def test_vectors_are_kept_over_studies_and_contexts_change_values(at_hand: None) -> None:
    first, second = (shortened(make_study(dialogues=2)) for _ in range(2))
    alone = Specification("bi_encoder", {"model": "bi-encoder"})
    in_front = Specification("bi_encoder", {"model": "bi-encoder", "context": "front"})

    for study, wanted in ((first, (alone, in_front)), (second, (alone,))):
        job = compute(study, *wanted, options=ReportOptions())
        assert job.state == Job.State.DONE, job.error

    before = {one.settings.get("context"): one for one in first.baselines.all()}
    again = second.baselines.get(measure="bi_encoder")
    np.testing.assert_array_equal(again.array, before["none"].array)
    # Two last turns and ten candidates.
    assert (before["none"].figures["n_encoded"], again.figures["n_encoded"]) == (12, 0)
    assert again.figures["n_kept"] == 12
    assert np.isfinite(before["front"].array).all()
    assert not np.allclose(before["front"].array, before["none"].array, atol=1e-3)


@pytest.mark.parametrize("context", ["front", "target"])
def test_context_stands_before_both_texts_or_before_the_target_alone(
    at_hand: None,
    context: str,
    models: Path,  # noqa: F811 - the fixture
) -> None:
    study = shortened(make_study(dialogues=2))
    put = []
    for item in study.items.order_by("number"):
        *before, target = item.target_turn.context.turns.order_by("position")
        turns = [turn.text for turn in before]
        candidate = [*turns, item.candidate_text] if context == "front" else [item.candidate_text]
        put.append(Pair("\n".join([*turns, target.text]), "\n".join(candidate)))

    job = compute(
        study,
        Specification("bi_encoder", {"model": "bi-encoder", "context": context}),
        options=ReportOptions(),
    )

    assert job.state == Job.State.DONE, job.error
    found = study.baselines.get(measure="bi_encoder").array
    assert found == pytest.approx(plain_cosines(models / "bi-encoder", put), abs=1e-5)


def test_a_candidate_of_a_document_keeps_its_own_context() -> None:
    study = make_study(dialogues=2, candidates=1, turns=(3,))
    item = study.items.get(number=1)
    first = Turn.objects.get(context__key="d2", position=1)
    Item.objects.filter(pk=item.pk).update(candidate_text=None, candidate_turn=first)

    pair = read_pairs(study).pairs[0]

    assert len(pair.first_context) == 2
    assert (pair.second, pair.second_context) == (first.text, ())


def test_bertscore_has_the_correlation_of_every_layer(at_hand: None) -> None:
    study = make_pairs()
    second = Specification("bertscore", {"model": "bi-encoder", "layer": 2})

    job = compute(study, second)

    assert job.state == Job.State.DONE, job.error
    one = study.baselines.get(measure="bertscore")
    layers = one.figures["layers"]
    # The embeddings and three layers.
    assert [layer["layer"] for layer in layers] == [0, 1, 2, 3]
    human = [float(item.metadata["mean"]) for item in study.items.order_by("number")]
    assert layers[2]["pearson"] == pytest.approx(float(pearson(human, one.array)), abs=1e-12)
    assert len({layer["pearson"] for layer in layers}) == 4
    assert {layer["n"] for layer in layers} == {6}


def test_a_model_that_is_not_there_is_named_with_its_remedy(at_hand: None) -> None:
    study = make_pairs()

    job = compute(study, Specification("bi_encoder", {"model": "no-such-model"}), options=MEAN)

    assert job.state == Job.State.FAILED
    (problem,) = job.problems
    assert problem.startswith("Bi-encoder no-such-model: ")
    assert "no-such-model" in problem.removeprefix("Bi-encoder no-such-model: ")


CHOICE = Specification("multiple_choice", {"model": "causal", "language": "en", "shuffles": 2})


@pytest.mark.slow
def test_a_language_model_chooses_and_is_counted_anew_when_people_are(at_hand: None) -> None:
    study = shortened(scored_dialogues(dialogues=3))
    options = ReportOptions(n_resamples=0)

    job = compute(study, CHOICE, options=options)

    assert job.state == Job.State.DONE, job.error
    one = study.baselines.get(measure="multiple_choice")
    assert one.name == "Multiple choice causal, per token, with dialogue, shuffles 2"
    assert np.isfinite(one.array).all()
    figures = one.figures
    assert (figures["n"], figures["n_left_out"], figures["shuffles"]["n"]) == (3, 0, 2)
    assert set(figures["by_subset"]) == {"3 turns", "5 turns"}
    assert all(isinstance(of["name"], Message) for of in figures["by_subset"].values())
    assert isinstance(one.device, Message)
    # Its likelihoods can be compared within one dialogue only.
    assert one.name not in study.baseline_reports.latest("pk").figures["measures"]
    compute(study, CHOICE, options=options)
    assert study.baselines.get(measure="multiple_choice").pk == one.pk

    # What the model found least likely becomes the best.
    least = one.array.reshape(3, 5).argmin(axis=1)
    for n, row in enumerate(score(study).item_scores.order_by("item__number")):
        row.score = 1.0 if n % 5 == least[n // 5] else -1.0
        row.save()
    compute(study, CHOICE, options=options)

    again = study.baselines.get(measure="multiple_choice")
    assert again.pk != one.pk
    np.testing.assert_array_equal(again.array, one.array)
    assert (again.figures["n_encoded"], again.figures["accuracy"]) == (0, 0.0)


def test_prompts_of_both_styles_stand_beside_each_other(at_hand: None) -> None:
    study = shortened(scored_dialogues(dialogues=2))
    asked = {**CHOICE.settings, "likelihood": "sum"}
    styles = [
        Specification("multiple_choice", {**asked, "style": style, "with_dialogue": with_dialogue})
        for style in ("plain", "giccs")
        for with_dialogue in (True, False)
    ]

    job = compute(study, *styles, options=ReportOptions(n_resamples=0))

    assert job.state == Job.State.DONE, job.error
    found = study.baselines.filter(measure="multiple_choice").order_by("pk")
    assert [one.name for one in found] == [
        "Multiple choice causal, sum, with dialogue, shuffles 2",
        "Multiple choice causal, sum, without dialogue, shuffles 2",
        "Multiple choice causal, GiCCS prompt, sum, with dialogue, shuffles 2",
        "Multiple choice causal, GiCCS prompt, sum, without dialogue, shuffles 2",
    ]
    assert len({one.values for one in found}) == 4
    assert ["\nA. " in one.figures["example"] for one in found] == [False, False, True, True]


def test_pairs_are_no_dialogues_to_choose_in() -> None:
    job = compute(make_pairs(), CHOICE)

    assert job.state == Job.State.FAILED
    assert "Multiple choice needs dialogues with several candidates" in job.problems[0]
