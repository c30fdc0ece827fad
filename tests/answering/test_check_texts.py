"""What pages say where some questions have a known answer."""

from pathlib import Path

import pytest

from annotation.answering.services import assignments
from annotation.models import Check, Study
from tests.answering.test_answering_checks import rate
from tests.support.annotating import Participant
from tests.support.checking import make_checked_ratings, rated_pairs
from tests.support.researcher_pages import in_one_line, signed_in, text, url

TEXTS = sorted(Path(__file__).parents[2].glob("annotation/kinds/**/texts/*.json"))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_instructions_promise_nothing_that_checks_would_break(path: Path) -> None:
    text = path.read_text(encoding="utf-8").lower()

    assert not [word for word in ("trick", "fangfrage", "chyták") if word in text]


@pytest.mark.django_db
def test_the_right_answer_on_a_worded_scale_has_its_word() -> None:
    study = make_checked_ratings(rated_pairs(["tutorial"]).replace("\t6\t", "\t2\t"))
    Study.objects.update(
        scale={"low": "0", "high": "2", "step": "1", "labels": {"0": "no", "1": "so", "2": "same"}}
    )
    Check.objects.update(tolerance=0)
    person = Participant(study)

    rate(person, 1, "0")

    page = in_one_line(text(person.get("s/1/")))
    assert '<dd>2 <span lang="en" dir="ltr">same</span></dd>' in page


@pytest.mark.django_db
def test_only_a_wrong_answer_to_a_tutorial_is_to_be_changed() -> None:
    person = Participant(make_checked_ratings(rated_pairs(["tutorial", "tutorial"])))

    rate(person, 1, "6")
    rate(person, 2, "0")

    assert "You can change your answer or keep it" not in text(person.get("s/1/"))
    assert "You can change your answer or keep it" in text(person.get("s/2/"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("style", "said"),
    [
        ("tutorial", "Annotators see this note only after they have answered."),
        (
            "loud",
            (
                "Annotators never see this note. After a wrong answer, they are asked to read "
                "the texts again. They are not told the right answer"
            ),
        ),
        ("silent", "Annotators never see this note.</p>"),
    ],
)
def test_who_walks_through_a_study_reads_who_sees_the_note(style: str, said: str) -> None:
    study = make_checked_ratings(rated_pairs([style]))
    client = signed_in(study.owner)
    screen = study.design.booklets.get().questions.get(block__purpose="check").screen

    assert said in in_one_line(text(client.get(url(study, "try_screen", 1, screen))))


@pytest.mark.django_db
def test_the_page_of_people_does_not_point_to_itself() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]))
    person = Participant(study)
    for screen in range(1, study.design.booklets.get().n_screens + 1):
        rate(person, screen, "6")
    assignments.submit(assignment=person.assignment)

    page = text(signed_in(study.owner).get(url(study, "people")))

    assert "Nobody is excluded because of checks." in page
    assert "You can exclude people on the People page" not in page


@pytest.mark.django_db
def test_the_format_of_checks_names_the_categories_of_the_study() -> None:
    study = make_checked_ratings(open_it=False)
    study.kind, study.scale = "label", {}
    study.categories = {"names": ["same & alike", "other"], "several": False}
    study.save()

    page = text(signed_in(study.owner).get(url(study, "items")))

    assert "c1	tutorial	same &amp; alike	Why" in page
    assert "c2	silent	other	" in page
