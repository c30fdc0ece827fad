"""The researcher's page on which models are trained."""

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.basics import clock
from annotation.models import Job, Study, Training
from tests.baselines.test_training import rated, selected
from tests.support.factories import make_user
from tests.support.once import made_once
from tests.support.researcher_pages import text, url

pytestmark = pytest.mark.django_db

SENT = {
    "name": "first",
    "kind": "bi_encoder",
    "model": "some/model",
    "limit": "",
    "where": "",
    "people": "",
    "epochs": "2",
    "batch_size": "8",
    "learning_rate": "0.001",
    "warmup": "0.1",
    "runs": "2",
    "seed": "5",
    "loss": "bce",
    "trials": "0",
}


def page(study: Study, client: Client, **sent):
    client.force_login(study.owner)
    address = url(study, "trainings")
    return client.post(address, {**SENT, **sent}) if sent else client.get(address)


@made_once
def study() -> Study:
    return rated()


@made_once
def first_round() -> Study:
    return selected()


@pytest.fixture
def earlier(study: Study, first_round: Study) -> Study:
    """A first round of the same researcher."""
    first_round.owner = study.owner
    first_round.save()
    return first_round


@pytest.mark.slow
def test_what_is_asked_for_is_queued(client: Client, study: Study, earlier: Study) -> None:
    answer = page(study, client, on=str(earlier.pk), limit="1")

    job = Job.objects.get(kind=Job.Kind.TRAIN)
    assert answer.status_code == 302
    assert job.parameters["learnt"] == {
        "study": earlier.slug,
        "source": None,
        "limit": 1,
        "where": "",
        "tests": "",
        "share": None,
        "seed": None,
    }
    told = job.parameters["settings"]
    assert (told["epochs"], told["runs"], told["seed"], told["loss"]) == (2, 2, 5, "cosine")
    assert job.parameters["search"] == {}


def test_a_split_at_random_is_queued_with_its_share_and_seed(client: Client, study: Study) -> None:
    answer = page(study, client, on="", split="random", share="0.5", split_seed="7")

    assert answer.status_code == 302
    told = Job.objects.get(kind=Job.Kind.TRAIN).parameters
    assert told["learnt"] == {
        "study": None,
        "source": None,
        "limit": None,
        "where": "",
        "tests": "",
        "share": 0.5,
        "seed": 7,
    }


def test_another_study_is_trained_on_as_a_whole_whatever_the_split_says(
    client: Client, study: Study, earlier: Study
) -> None:
    page(study, client, on=str(earlier.pk), split="random", share="0.5", split_seed="7")

    learnt = Job.objects.get(kind=Job.Kind.TRAIN).parameters["learnt"]
    assert (learnt["study"], learnt["share"]) == (earlier.slug, None)


def table(lines: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("further.tsv", lines.encode())


@pytest.mark.slow
def test_pairs_to_label_are_kept_for_the_worker(
    client: Client, settings, tmp_path, study: Study, earlier: Study
) -> None:
    settings.MEDIA_ROOT = tmp_path
    answer = page(
        study,
        client,
        on=str(earlier.pk),
        labeller="some/cross-encoder",
        further=table("One text.\tAnother text.\n"),
    )

    assert answer.status_code == 302
    told = Job.objects.get(kind=Job.Kind.TRAIN).parameters["labelled"]
    assert (told["model"], told["unscored"]) == ("some/cross-encoder", False)
    assert told["upload"]["filename"] == "further.tsv"
    kept = tmp_path / "imports" / told["upload"]["path"]
    assert kept.read_text("utf-8") == "One text.\tAnother text.\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"labeller": "c"}, "Choose the pairs to label"),
        ({"unscored": "on"}, "Name the cross-encoder that labels"),
        ({"labeller": "c", "unscored": "on", "kind": "cross_encoder"}, "Only a bi-encoder"),
        ({"labeller": "c", "unscored": "on"}, "no additional pair to label"),
        ({"labeller": "c", "further": "a\tb\nonly one\n"}, "line 2: 1 column, but two are"),
        ({"labeller": "c", "further": "a\tb\n\tb\n"}, "line 2: one of the two texts is empty"),
        ({"labeller": "c", "further": "a\tb\x00\n"}, "line 1: the text contains a NUL"),
        ({"labeller": "c", "further": "first\tsecond\n"}, "there are no pairs"),
    ],
)
def test_labels_that_cannot_be_made_come_back_unfolded(
    client: Client, study: Study, earlier: Study, sent: dict[str, str], said: str
) -> None:
    if "further" in sent:
        sent = {**sent, "further": table(sent["further"])}

    answer = page(study, client, **{"on": str(earlier.pk), **sent})

    assert answer.status_code in {400, 409}
    assert said in html.unescape(text(answer))
    assert not Job.objects.filter(kind=Job.Kind.TRAIN).exists()


def test_the_form_begins_with_usual_settings(client: Client, study: Study) -> None:
    shown = text(page(study, client))

    for name, value in {
        "epochs": "1",
        "batch_size": "16",
        "learning_rate": "0.00002",
        "warmup": "0.1",
        "runs": "3",
        "share": "0.8",
        "split_seed": "1",
    }.items():
        (field,) = re.findall(f'<input[^>]* name="{name}"[^>]*>', shown)
        assert f'value="{value}"' in field
    for term in ("Batch size", "Warm-up", "Learning rate", "Epochs", "Runs (seeds)"):
        assert term in shown


@pytest.mark.slow
def test_optuna_tries_settings_where_it_is_asked_to(
    client: Client, study: Study, earlier: Study
) -> None:
    page(study, client, on=str(earlier.pk), trials="3", kind="cross_encoder", loss="mse")

    told = Job.objects.get(kind=Job.Kind.TRAIN).parameters
    assert told["search"]["trials"] == 3
    assert set(told["search"]["space"]) == {"batch_size", "epochs", "warmup", "learning_rate"}
    assert told["settings"]["loss"] == "mse"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"on": ""}, "Say which items are for training"),
        (
            {"on": "", "where": "split == 'train'", "limit": "1"},
            "These pairs do not come from a selection study",
        ),
        ({"on": "", "where": "split =="}, "condition"),
        ({"on": "", "where": "n_words(first) > 0"}, "has no item that meets the condition"),
        ({"epochs": "0"}, "greater than or equal to 1"),
        ({"name": "a/b"}, "A name has at most 60 characters"),
        ({"on": "", "split": "random", "share": ""}, "A random split needs this number"),
        ({"on": "", "split": "random", "share": "1"}, "less than or equal to 0.99"),
        ({"on": "", "split": "random", "share": "0.5", "split_seed": ""}, "needs this"),
        (
            {"on": "", "split": "random", "share": "0.5", "split_seed": "1", "tests": "x == 1"},
            "Leave this empty, because the split is random",
        ),
        ({"model": ""}, "This field is required"),
    ],
)
def test_what_cannot_be_trained_comes_back_with_what_was_typed(
    client: Client, study: Study, earlier: Study, sent: dict[str, str], said: str
) -> None:
    answer = page(study, client, **{"on": str(earlier.pk), **sent})

    assert answer.status_code in {400, 409}
    assert said in text(answer)
    assert 'value="some/model"' in answer.content.decode() or sent.get("model") == ""
    assert not Job.objects.filter(kind=Job.Kind.TRAIN).exists()


def test_a_study_of_somebody_else_is_no_choice(
    client: Client, study: Study, earlier: Study
) -> None:
    Study.objects.filter(pk=earlier.pk).update(owner=make_user("other"))

    answer = page(study, client, on=str(earlier.pk))

    assert answer.status_code == 400
    assert "not one of the available choices" in text(answer)


def make_training(tested: Study, **learnt) -> Training:
    figure = {"mean": 0.51234, "sd": 0.0123, "n": 2, "reason": None}
    return Training.objects.create(
        study=tested,
        name="first",
        kind="bi_encoder",
        model="some/model",
        parameters={
            "learnt": {"study": "round-1", "where": "", **learnt},
            "settings": {},
            "search": {},
        },
        figures={
            "n_train": 18,
            "n_tests": {"free": 6},
            "tests": {"free": {"pearson": figure, "spearman": {**figure, "mean": None}}},
            "models": ["trained/s/first/seed-1/model"],
            "settings": {"epochs": 2, "batch_size": 8, "learning_rate": 2e-05, "runs": 2},
            "search": None,
        },
        trained_at=clock.now(),
        code_version="0",
    )


def test_a_trained_model_is_listed_with_its_tests(client: Client, study: Study) -> None:
    make_training(study)

    shown = " ".join(re.sub("<[^>]+>", " ", text(page(study, client))).split())

    assert "trained on 18 pairs of round-1" in shown
    assert "learning rate 0.00002" in shown
    assert "without context 6 0.512 0.012" in shown
    assert "trained/s/first/seed-1/model" in shown


def test_no_test_has_the_name_that_only_the_program_knows(client: Client, study: Study) -> None:
    make_training(study)
    training = Training.objects.get()
    tests = training.figures["tests"]["free"]
    names = ["test", "scores", "phase 2", "significant_phase 2"]
    training.figures = {
        **training.figures,
        "tests": dict.fromkeys(names, tests),
        "n_tests": dict.fromkeys(names, 6),
    }
    training.save()

    [shown] = page(study, client).context["trained"]

    assert [test.test for test in shown.tests] == [
        "test items",
        "scores",
        "phase 2",
        "phase 2, pairs with p < 0.05 for context (not corrected)",
    ]


def test_what_was_drawn_at_random_is_said_with_its_seed(client: Client, study: Study) -> None:
    make_training(study, study=None, share=0.8, seed=7)

    shown = " ".join(re.sub("<[^>]+>", " ", text(page(study, client))).split())

    assert "18 pairs of this study, 80 % of it drawn at random with seed 7" in shown


@pytest.mark.slow
def test_a_trained_model_leads_to_the_form_that_computes_it(client: Client, study: Study) -> None:
    make_training(study)
    shown = text(page(study, client))
    (address,) = re.findall(r'href="([^"]*)">Use it as a measure', shown)

    form = text(client.get(html.unescape(address)))

    assert re.search(r'<option value="bi_encoder" selected>', form)
    (field,) = re.findall(r'<input[^>]* name="option-model"[^>]*>', form)
    assert 'value="trained/s/first/seed-1/model"' in field
    assert re.search(r'<details open data-options-of="id_family"', form)


@pytest.mark.parametrize("family", ["nonsense", "preset:giccs", "", "bi_encoder\x00"])
def test_a_link_with_a_measure_that_there_is_not_proposes_none(
    client: Client, family, study: Study
) -> None:
    client.force_login(study.owner)

    answer = client.get(url(study, "baselines"), {"family": family, "model": "<script>"})

    assert answer.status_code == 200
    assert "<script>" not in re.sub(r"<script [^>]*>", "", text(answer))
    choice = text(answer).partition('id="id_family"')[2].partition("</select>")[0]
    assert re.findall(r'value="([^"]*)" selected', choice) == [""]
