"""Who puts people on a roster learns nothing of rounds that they may not change."""

import pytest

from annotation.answering.services import rosters
from annotation.answering.services.rosters import RosterEntry
from annotation.models import Person, Study
from annotation.studies.services import researchers
from tests.support.api import by_token
from tests.support.factories import make_open_study, make_user
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def rounds() -> tuple[Study, Study]:
    """An earlier round with somebody on its roster, and a later one that Eve may edit."""
    first, later = make_open_study(dialogues=1), make_open_study(dialogues=1)
    Study.objects.filter(pk=later.pk).update(owner=first.owner, earlier_round=first)
    later.refresh_from_db()
    rosters.add_roster(
        study=first,
        entries=[RosterEntry("s1", "Anna Example", "anna@example.org"), RosterEntry("s2")],
    )
    make_user("eve")
    researchers.share(study=later, username="eve", role="editor")
    return first, later


def test_a_program_of_an_editor_of_the_later_round_adds_somebody_new(
    rounds: tuple[Study, Study],
) -> None:
    first, later = rounds
    eve = later.shares.get().user

    answer = by_token(eve).post(
        f"/api/v1/studies/{later.slug}/roster/",
        {"entries": [{"id": "s1"}, {"id": "s2", "email": "eve@evil.example"}]},
        content_type="application/json",
    )

    assert answer.status_code == 201, answer.content
    assert b"anna" not in answer.content.lower()
    assert first.slug.encode() not in answer.content
    assert Person.objects.filter(annotators__study=first, email="eve@evil.example").count() == 0
    assert Person.objects.count() == 4


def test_their_page_asks_about_nobody(rounds: tuple[Study, Study]) -> None:
    _first, later = rounds
    client = signed_in(later.shares.get().user)

    page = client.post(url(later, "roster"), {"entries": "id,name\ns1,Somebody else\n"})

    assert "Anna" not in page.content.decode()
    assert later.annotators.get().person.name == "Somebody else"


def test_the_owner_of_both_is_asked_as_ever(rounds: tuple[Study, Study]) -> None:
    first, later = rounds

    made = rosters.add_roster(study=later, entries=[RosterEntry("s1")], by=later.owner)

    assert [one.known_from for one in made] == [first]


def test_a_program_gets_no_key_of_somebody_whom_a_platform_brought(
    rounds: tuple[Study, Study],
) -> None:
    first, _later = rounds
    known, brought = first.annotators.order_by("pk")
    Person.objects.filter(pk=brought.person_id).update(platform="prolific")
    ask = by_token(first.owner)

    answers = [
        ask.post(
            f"/api/v1/studies/{first.slug}/annotators/{somebody.pseudonym}/link/",
            {},
            content_type="application/json",
        )
        for somebody in (known, brought)
    ]

    assert [answer.status_code for answer in answers] == [201, 404]
