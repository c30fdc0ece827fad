"""The researcher's page on which models are trained."""

import re

import pytest
from django.test import Client

from annotation import clock
from annotation.models import Job, Study, Training
from tests.annotation.researcher_pages import text, url
from tests.annotation.test_training import rated, selected
from tests.factories import make_user

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


def both(client: Client) -> tuple[Study, Study]:
    """A rated study and a first round, of one researcher."""
    study, earlier = rated(), selected()
    Study.objects.filter(pk=earlier.pk).update(owner=study.owner)
    return study, earlier


def test_what_is_asked_for_is_queued(client: Client) -> None:
    study, earlier = both(client)

    answer = page(study, client, on=str(earlier.pk), limit="1")

    job = Job.objects.get(kind=Job.Kind.TRAIN)
    assert answer.status_code == 302
    assert job.parameters["learnt"] == {
        "study": earlier.slug,
        "source": None,
        "limit": 1,
        "where": "",
        "tests": "",
    }
    told = job.parameters["settings"]
    assert (told["epochs"], told["runs"], told["seed"], told["loss"]) == (2, 2, 5, "cosine")
    assert job.parameters["search"] == {}


def test_optuna_tries_settings_where_it_is_asked_to(client: Client) -> None:
    study, earlier = both(client)

    page(study, client, on=str(earlier.pk), trials="3", kind="cross_encoder", loss="mse")

    told = Job.objects.get(kind=Job.Kind.TRAIN).parameters
    assert told["search"]["trials"] == 3
    assert set(told["search"]["space"]) == {"batch_size", "epochs", "warmup", "learning_rate"}
    assert told["settings"]["loss"] == "mse"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"on": ""}, "Say which items are to train on"),
        ({"on": "", "where": "split == 'train'", "limit": "1"}, "These pairs were not selected"),
        ({"on": "", "where": "split =="}, "condition"),
        ({"on": "", "where": "n_words(first) > 0"}, "has no such item"),
        ({"epochs": "0"}, "greater than or equal to 1"),
        ({"name": "a/b"}, "Name: up to 60 letters"),
        ({"model": ""}, "This field is required"),
    ],
)
def test_what_cannot_be_trained_comes_back_with_what_was_typed(client, sent, said) -> None:
    study, earlier = both(client)

    answer = page(study, client, **{"on": str(earlier.pk), **sent})

    assert answer.status_code in {400, 409}
    assert said in text(answer)
    assert 'value="some/model"' in answer.content.decode() or sent.get("model") == ""
    assert not Job.objects.filter(kind=Job.Kind.TRAIN).exists()


def test_a_study_of_somebody_else_is_no_choice(client: Client) -> None:
    study, earlier = both(client)
    Study.objects.filter(pk=earlier.pk).update(owner=make_user("other"))

    answer = page(study, client, on=str(earlier.pk))

    assert answer.status_code == 400
    assert "not one of the available choices" in text(answer)


def test_a_trained_model_is_listed_with_its_tests(client: Client) -> None:
    study = rated()
    figure = {"mean": 0.51234, "sd": 0.0123, "n": 2}
    Training.objects.create(
        study=study,
        name="first",
        kind="bi_encoder",
        model="some/model",
        parameters={"learnt": {"study": "round-1", "where": ""}, "settings": {}, "search": {}},
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

    shown = " ".join(re.sub("<[^>]+>", " ", text(page(study, client))).split())

    assert "trained on 18 pairs of round-1" in shown
    assert "learning rate 0.00002" in shown
    assert "free 6 0.512 0.012" in shown
    assert "trained/s/first/seed-1/model" in shown
