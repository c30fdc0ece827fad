"""Two administrators, or two tabs, in one moment."""

from functools import partial

import pytest
from django.contrib.auth.models import User

from annotation.basics.errors import StateError
from annotation.core.services import jobs
from annotation.models import Job
from annotation.studies.services import invitations
from tests.support.at_once import waiting
from tests.support.factories import make_study, make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


def test_two_administrators_who_switch_each_other_off_leave_one() -> None:
    ada, bert = (make_user(name, is_superuser=True) for name in ("ada", "bert"))

    answer = waiting(
        partial(invitations.switch, user=ada, is_on=False, by=bert),
        first=partial(invitations.switch, user=bert, is_on=False, by=ada),
    )

    assert isinstance(answer, StateError)
    assert User.objects.get(is_active=True, is_superuser=True) == ada


def test_a_job_that_two_ask_for_is_one() -> None:
    study = make_study()
    start = partial(jobs.start, study=study, kind=Job.Kind.SCORE, by=study.owner)

    answer = waiting(start, first=start)

    assert answer == Job.objects.get()
