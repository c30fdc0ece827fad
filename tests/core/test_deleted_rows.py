"""Rows that nothing refers to are deleted by their keys, and no others."""

import pytest
from django.db import IntegrityError, connection, transaction

from annotation.core.services.many_rows import delete_rows
from annotation.models import Person, Study, Turn
from tests.support.factories import make_study

pytestmark = pytest.mark.django_db


def test_those_of_the_keys_go_and_the_others_stay() -> None:
    first, second, third = (Person.objects.create(name=name) for name in ("Ada", "Bo", "Cy"))

    delete_rows(Person, [])
    assert Person.objects.count() == 3

    delete_rows(Person, [first.pk, third.pk])
    assert Person.objects.get() == second


def test_the_database_refuses_what_others_refer_to() -> None:
    study = make_study(dialogues=1)
    assert Turn.objects.filter(context__study=study).exists()

    @transaction.atomic
    def delete() -> None:
        delete_rows(Study, [study.pk])
        connection.check_constraints()

    with pytest.raises(IntegrityError):
        delete()

    assert Study.objects.get() == study
