"""Researchers read the pause between phases before they open, and how people come back."""

import re
from datetime import timedelta

import pytest

from annotation.designs.services import designs
from annotation.kinds.queries.phase_words import phases_in_words
from tests.support.labelling import make_label_study
from tests.support.rating import TWICE, make_rating_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("make", [make_rating_study, make_label_study])
def test_the_certificate_and_opening_repeat_the_pause(make) -> None:
    study = make(phases=TWICE, open_it=False)
    designs.make(design=study.design)
    client = signed_in(study.owner)

    certificate = client.get(url(study, "design")).context["certificate"]["sentences"]
    consequences = client.get(url(study, "open")).context["confirmation"].consequences

    for sentences in (certificate, consequences):
        (line,) = [str(said) for said in sentences if "Phase 2" in str(said)]
        assert line == phases_in_words(study.design)
        assert re.findall(r"\d+", line) == ["1", "2", "72", "1", "14"]


def test_one_phase_is_not_described() -> None:
    study = make_rating_study()

    assert phases_in_words(study.design) == ""


@pytest.mark.parametrize(
    ("delay", "closes_after", "figures"),
    [
        (None, None, ["1", "2", "1"]),
        (timedelta(hours=1), timedelta(days=1), ["1", "2", "1", "1", "1"]),
        (timedelta(minutes=90), None, ["1", "2", "1.5", "1"]),
    ],
)
def test_pauses_of_any_length_are_described(
    delay: timedelta | None, closes_after: timedelta | None, figures: list[str]
) -> None:
    design = make_rating_study(phases=TWICE).design
    design.phases.filter(number=2).update(delay=delay, closes_after=closes_after)

    assert re.findall(r"\d+(?:\.\d+)?", phases_in_words(design)) == figures


@pytest.mark.parametrize(
    ("email_host", "reminders"), [("mail.example", "on-request"), ("", "none")]
)
def test_the_links_say_how_people_come_back(settings, email_host: str, reminders: str) -> None:
    settings.EMAIL_HOST = email_host
    study = make_rating_study(phases=TWICE)

    page = text(signed_in(study.owner).get(url(study, "collect")))

    section = page.partition('id="return"')[2].partition("</section>")[0]
    assert section.count("<li>") == 3
    assert f'data-reminders="{reminders}"' in section


def test_the_links_of_a_study_of_one_phase_speak_of_no_return() -> None:
    study = make_rating_study()

    assert 'id="return"' not in text(signed_in(study.owner).get(url(study, "collect")))
