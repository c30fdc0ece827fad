"""Small facts that are printed: references, keys, times; and steps that say what is true."""

import re
from types import SimpleNamespace

import pytest

from annotation.answering.services import assignments
from annotation.baselines.forms.baselines import ComputeForm
from annotation.basics.numbers import decimal
from annotation.core.queries import median_times
from annotation.core.queries.progress import Places
from annotation.core.services import jobs
from annotation.kinds.exports import working_times
from annotation.models import Job, Study
from annotation.releases.exports.documents import citation, naming
from annotation.releases.exports.documents.references import REFERENCES
from annotation.studies.queries.overview import _needs
from tests.support.answering import answer_all
from tests.support.baseline_studies import make_pairs
from tests.support.factories import join, make_open_study
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db


def test_a_reference_has_volume_and_number_as_a_journal_prints_them() -> None:
    assert REFERENCES["Spearman1910"].in_words.endswith(
        "British Journal of Psychology 3(3), 271–295."
    )
    assert REFERENCES["Passonneau2006"].in_words.endswith("Proceedings of LREC 2006, 831–836.")
    for reference in REFERENCES.values():
        assert not re.search(r", \d+, \d", reference.in_words)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Anna Größe", "Grosse2026"),
        ("Jan Łukasz Wałęsa", "Walesa2026"),
        ("Åse Sørensen", "Sorensen2026"),
        ("山田", "dataset2026"),
    ],
)
def test_a_key_spells_letters_that_are_no_letter_with_an_accent(
    name: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(naming, "authors", lambda _facts: [SimpleNamespace(name=name)])

    assert citation.key(SimpleNamespace(made_at=SimpleNamespace(year=2026))) == key


@pytest.mark.parametrize("seconds", [63.65, 63.75, 0.25, 12.35])
def test_a_document_rounds_as_a_page_does(seconds: float) -> None:
    of = median_times.WorkingTime(2, 2, seconds, 1234.565)

    said = working_times.in_words(of)

    assert f"median of {decimal(seconds, 1)} seconds" in said
    assert "1,234.57 hours" in said


@pytest.mark.parametrize(
    ("language", "stemmer"),
    [("en", "porter"), ("de", "german"), ("de-AT", "german"), ("cs", "none"), ("", "none")],
)
def test_meteor_is_proposed_with_the_stemmer_of_the_language(language: str, stemmer: str) -> None:
    study = make_pairs()
    study.language = language

    assert ComputeForm(study).initial["stemmer"] == stemmer


def answered(study: Study) -> None:
    assignment = join(study).assignment
    answer_all(assignment)
    assignments.submit(assignment=assignment)


@pytest.mark.slow
def test_the_desk_says_that_a_result_is_outdated() -> None:
    study = make_open_study()
    answered(study)
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
    client = signed_in(study.owner)
    assert client.get(url(study, "change")).context["steps"][6].state == "done"

    while study.design.booklets.filter(places__assignments=None).exists():
        answered(study)

    # Nothing else is left to do, so it is the next step.
    step = client.get(url(study, "change")).context["steps"][6]
    assert step.state == "next"
    assert step.summary != ""
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
    assert client.get(url(study, "change")).context["steps"][6].state == "done"


def test_a_study_that_is_scored_is_not_to_be_scored() -> None:
    study = make_open_study()
    places = Places(total=2, done=2)

    def needs(*, is_scored: bool) -> list[str]:
        needed = _needs(
            study, [], n_items=4, places=places, is_scored=is_scored, has_result=is_scored
        )
        return [str(one) for one in needed]

    assert len(needs(is_scored=True)) == 1
    assert "Score" not in needs(is_scored=True)[0]
    assert "Score the study" in needs(is_scored=False)[0]
