"""Of excluded people nothing is to come: no page counts them as at work, waiting or held."""

from dataclasses import replace

import pytest

from annotation.core.queries import progress
from annotation.models import Assignment, PhaseRun
from annotation.models.kinds import Source
from annotation.monitoring.queries import live
from annotation.monitoring.queries.phase_progress import phase_progress
from annotation.people.services import exclusions
from annotation.studies.queries import overview
from annotation.studies.queries.loose_ends import loose_ends
from tests.support.factories import join as join_best_worst
from tests.support.factories import make_open_study
from tests.support.rating import TWICE, join, make_rating_study, rate_phase
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_who_is_excluded_is_not_at_work_does_not_wait_and_is_not_held() -> None:
    study = make_rating_study(phases=TWICE, pairs=2, ratings_per_item=6, items_per_booklet=2)
    at_work, waiting, held, *_others = (join(study) for _ in range(5))
    for one in (waiting, held):
        rate_phase(one.assignment)
    PhaseRun.objects.filter(assignment=held.assignment, completed_at__isnull=False).update(
        is_counted=False, is_held=True
    )
    Assignment.objects.filter(pk=held.assignment.pk).update(state=Assignment.State.SUBMITTED)
    before = progress.places(study)[Source.REAL]
    assert (before.in_work, before.waiting, before.held) == (3, 1, 1)

    for one in (at_work, waiting, held):
        exclusions.exclude(annotator=one.annotator, reason="a robot", by=study.owner)

    after = progress.places(study)[Source.REAL]
    # The places are not free: an exclusion can be lifted.
    assert after == replace(before, in_work=2, waiting=0, held=0, excluded=3)
    assert after.free == before.free
    for people in (progress.progress(study)[0].people, live.live(study, "people").people):
        assert (people.active, people.waiting, people.excluded) == (2, 0, 3)
    phases = phase_progress(study, "real")
    assert [(one.n_at_work, one.n_held, one.n_shut) for one in phases] == [(2, 0, 0), (0, 0, 0)]
    assert loose_ends(study).n_waiting == 0
    # One excluded person holds the place of this assignment alone.
    client = signed_in(study.owner)
    for name in ("collect", "live"):
        assert client.get(url(study, name)).status_code == 200


def test_the_overview_says_who_holds_the_last_places() -> None:
    study = make_open_study(dialogues=1, max_booklets=1, parameters={"annotations_per_tuple": 1})
    joined = join_best_worst(study)
    exclusions.exclude(annotator=joined.annotator, reason="a robot", by=study.owner)

    (card,) = overview.studies(study.owner, page="1").object_list

    assert ["excluded" in str(said) for said in card.needs] == [True]
