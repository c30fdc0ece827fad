"""The worker stores sums while people withdraw: nobody waits for long, and no sum is outdated."""

from functools import partial

import pytest
from django.db import transaction

from annotation.answering.services import withdrawal
from annotation.core.services import run_sums
from annotation.models import PhaseRun, Study
from tests.support.at_once import at_once, waiting
from tests.support.factories import make_open_study
from tests.support.researcher_pages import finish_booklet

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


@pytest.fixture
def study() -> Study:
    study = make_open_study(dialogues=4)
    for _ in range(2):
        finish_booklet(study)
    return study


def test_what_somebody_holds_is_stored_the_next_time(study: Study) -> None:
    held = PhaseRun.objects.earliest("pk")
    with transaction.atomic():
        PhaseRun.objects.select_for_update().get(pk=held.pk)
        at_once([partial(run_sums.store, study.design, "people")])

        assert PhaseRun.objects.get(n_answers=None) == held

    run_sums.store(study.design, "people")
    assert not PhaseRun.objects.filter(n_answers=None).exists()


def test_who_withdraws_waits_from_before_their_answers_are_counted(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What was counted is not written, which would hold the rows, too.
    monkeypatch.setattr(run_sums, "update_rows", lambda *_rows: None)
    run = PhaseRun.objects.order_by("pk")[0]

    waiting(
        partial(withdrawal.withdraw, annotator=run.assignment.annotator),
        first=partial(run_sums.store, study.design, "people"),
    )
