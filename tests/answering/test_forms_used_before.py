"""The form of the open link lets one person in, whatever became of their link since."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.answering.services import withdrawal
from annotation.models import Annotator, Assignment, Study
from tests.crowds.test_launches import key_in
from tests.support.annotating import read
from tests.support.factories import make_open_study

pytestmark = pytest.mark.django_db


def first_form(study: Study) -> dict[str, str]:
    link = reverse("annotator:join", args=[study.join_token])
    return {**read(Client().get(link)).forms[link], "agree": "1"}


def send(study: Study, form: dict[str, str]):
    return Client().post(reverse("annotator:join", args=[study.join_token]), form)


def test_a_form_that_is_sent_twice_leads_to_the_same_page() -> None:
    study = make_open_study(dialogues=1)
    form = first_form(study)

    assert key_in(send(study, form)) == key_in(send(study, form))
    assert Annotator.objects.count() == 1


@pytest.mark.parametrize("n_links", [1, 2])
def test_sent_again_after_a_new_link_it_makes_no_second_person(n_links: int) -> None:
    study = make_open_study(dialogues=1)
    form = first_form(study)
    key = key_in(send(study, form))
    for _ in range(n_links):
        key = key_in(Client().post(f"/a/{key}/new-link/"))

    again = send(study, form)

    assert again.status_code == 409
    assert reverse("annotator:return", args=[study.join_token]) in again.content.decode()
    # Whoever has the old form is not told the new key.
    assert key not in again.content.decode()
    assert Annotator.objects.count() == Assignment.objects.count() == 1
    # Somebody else in the same browser gets a form of their own.
    assert send(study, first_form(study)).status_code == 303
    assert Annotator.objects.count() == 2


def test_so_it_is_after_a_withdrawal_with_the_new_link() -> None:
    study = make_open_study(dialogues=1)
    form = first_form(study)
    key = key_in(send(study, form))
    Client().post(f"/a/{key}/new-link/")
    withdrawal.withdraw(annotator=Annotator.objects.get())

    assert send(study, form).status_code == 409
    assert Annotator.objects.count() == 1
