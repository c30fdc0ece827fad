"""Whoever fears that others know their link takes another one; the old one opens nothing then."""

import pytest
from django.test import Client

from annotation.answering.services import withdrawal
from annotation.basics import keys
from annotation.models import Visit
from tests.crowds.test_launches import come, key_in
from tests.support.annotating import watched, writes
from tests.support.answering import answer_one
from tests.support.crowds import make_listing
from tests.support.factories import join, make_open_study

pytestmark = pytest.mark.django_db


def press(key: str) -> str:
    page = Client().get(f"/a/{key}/new-link/")
    assert page.status_code == 200
    return key_in(Client().post(f"/a/{key}/new-link/"))


def test_the_old_link_and_code_stop_and_the_answers_stay() -> None:
    study = make_open_study(dialogues=1)
    joined = join(study)
    answer_one(joined.assignment, joined.assignment.booklet.questions.first())
    with watched() as queries:
        assert "/new-link/" in Client().get(f"/a/{joined.key}/instructions/").content.decode()
        Client().get(f"/a/{joined.key}/new-link/")
    assert writes(queries) == []

    new = press(joined.key)

    for path in ("", "data/", "withdraw/", "new-link/"):
        assert Client().get(f"/a/{joined.key}/{path}").status_code == 404
    back = f"/j/{study.join_token}/return/"
    old_code, code = keys.code_of(joined.key), keys.code_of(new)
    assert Client().post(back, {"code": old_code}).status_code == 404
    assert key_in(Client().post(back, {"code": code})) == new
    assert code in Client().get(f"/a/{new}/instructions/").content.decode()
    assert joined.assignment.judgments.count() == 1


def test_so_it_is_by_a_panel_that_names_no_sittings() -> None:
    listing = make_listing(make_open_study(dialogues=1), options={"person": "participant"})
    old = key_in(come(listing, participant="p1"))

    new = press(old)

    assert Client().get(f"/a/{old}/").status_code == 404
    assert Client().get(f"/a/{new}/").status_code == 303
    assert Visit.objects.count() == 1


def test_who_comes_by_a_sitting_or_has_withdrawn_is_given_none() -> None:
    listing = make_listing(make_open_study(dialogues=1))
    key = key_in(come(listing, participant="p1", session="s1"))
    joined = join(make_open_study(dialogues=1))
    withdrawal.withdraw(annotator=joined.annotator)

    for held in (key, joined.key):
        answer = Client().post(f"/a/{held}/new-link/")
        assert answer["Location"] == f"/a/{held}/"
