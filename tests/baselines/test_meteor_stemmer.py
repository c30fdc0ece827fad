"""METEOR's stemmer is that of the study's language, by whatever way it is asked for."""

import io

import pytest
from django.core.management import call_command
from rest_framework.test import APIClient

from annotation.baselines.services.specifications import checked, named
from annotation.models import Job, Study
from scoring.baselines import Specification
from scoring.baselines.lexical import LEXICAL
from tests.support.baseline_studies import make_pairs
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

LANGUAGES = [("en", "porter"), ("de", "german"), ("de-AT", "german"), ("cs", "none"), ("", "none")]
USUAL = {"people": "column:mean", "n_resamples": "20", "level": "0.95", "test": "meng"}


def study_in(language: str) -> Study:
    study = make_pairs()
    study.language = language
    study.save(update_fields=["language"])
    return study


def settings_of_meteor() -> dict[str, str]:
    specifications = Job.objects.latest("pk").parameters["specifications"]
    assert {one["measure"] for one in specifications} == {*LEXICAL}
    (settings,) = [one["settings"] for one in specifications if one["measure"] == "meteor"]
    return settings


@pytest.mark.parametrize(("language", "stemmer"), LANGUAGES)
def test_a_measure_without_settings_has_the_stemmer_of_the_language(
    language: str, stemmer: str
) -> None:
    one = checked(Specification("meteor"), study_in(language))

    assert one.settings["stemmer"] == stemmer


def test_a_stemmer_that_is_named_stays() -> None:
    one = checked(Specification("meteor", {"stemmer": "porter"}), study_in("de"))

    assert named(one) == named(checked(Specification("meteor"), study_in("en")))


@pytest.mark.parametrize(("language", "stemmer"), LANGUAGES[:2] + LANGUAGES[3:4])
def test_a_page_with_nothing_ticked_takes_the_stemmer_of_the_language(
    language: str, stemmer: str
) -> None:
    study = study_in(language)

    signed_in(study.owner).post(url(study, "baselines"), USUAL)

    assert settings_of_meteor()["stemmer"] == stemmer


def test_a_page_with_nothing_ticked_takes_the_stemmer_that_was_chosen_on_it() -> None:
    study = study_in("de")

    signed_in(study.owner).post(url(study, "baselines"), {**USUAL, "stemmer": "porter"})

    assert settings_of_meteor()["stemmer"] == "porter"


@pytest.mark.slow
def test_the_page_says_that_there_is_no_stemmer_for_czech() -> None:
    client = signed_in(study_in("cs").owner)
    czech, german = Study.objects.get(), study_in("de")

    def has_note(study: Study) -> bool:
        form = client.get(url(study, "baselines")).context["form"]
        return bool(form.fields["stemmer"].help_text)

    german.shared_with.add(czech.owner)
    assert (has_note(czech), has_note(german)) == (True, False)


@pytest.mark.parametrize(("language", "stemmer"), LANGUAGES[:2] + LANGUAGES[3:4])
def test_the_api_without_measures_takes_the_stemmer_of_the_language(
    language: str, stemmer: str
) -> None:
    study = study_in(language)
    client = APIClient()
    client.force_authenticate(study.owner)

    answer = client.post(
        f"/api/v1/studies/{study.slug}/baselines/",
        {"people": {"kind": "column", "name": "mean"}, "n_resamples": 0},
        format="json",
    )

    assert answer.status_code == 202
    assert settings_of_meteor()["stemmer"] == stemmer


@pytest.mark.slow
@pytest.mark.parametrize(("language", "stemmer"), LANGUAGES[:2] + LANGUAGES[3:4])
def test_the_command_without_measures_takes_the_stemmer_of_the_language(
    language: str, stemmer: str
) -> None:
    study = study_in(language)
    table, said = io.StringIO(), io.StringIO()

    call_command(
        *("baseline", study.slug, "--people", "column:mean", "--resamples", "0"),
        stdout=table,
        stderr=said,
    )

    assert settings_of_meteor()["stemmer"] == stemmer
    assert study.baselines.get(measure="meteor").name in table.getvalue()
    # Where there is none, the command says so.
    assert ("stemmer" in said.getvalue()) == (stemmer == "none")
