"""A place given back, and the last one of a network, go to one of those who come at once."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from annotation.answering.services import assignments, rosters, withdrawal
from annotation.basics import keys
from annotation.basics.errors import AnnotationError, NoPlaceError
from annotation.models import Annotator, Assignment, PhaseRun, Study
from annotation.people.services import exclusions
from annotation.studies.services import studies
from tests.support.answering import answer_one
from tests.support.factories import join, make_open_study
from tests.support.researcher_pages import finish_booklet

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


def at_once(*work: Callable[[], Any]) -> int:
    """Do all of it in threads; how many were not refused."""
    barrier, succeeded = threading.Barrier(len(work)), []

    def run(one: Callable[[], Any]) -> None:
        try:
            barrier.wait(60)
            one()
            succeeded.append(one)
        except AnnotationError:
            pass
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[one]) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return len(succeeded)


def comes(study: Study, network: str) -> Callable[[], Any]:
    return lambda: assignments.join(
        study=study,
        nonce=keys.new_nonce(),
        consent=studies.current_consent(study),
        network=network,
    )


def test_one_network_gets_no_more_than_its_share_however_many_come_at_once(settings: Any) -> None:
    settings.JOINS_PER_ADDRESS_PER_HOUR = 2
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 9})

    assert at_once(*[comes(study, "n")] * 6) == 2
    assert Assignment.objects.count() == 2


def test_who_is_included_again_and_who_comes_do_not_both_get_the_place() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 1})
    who = finish_booklet(study)
    for n in range(4):
        exclusions.exclude(annotator=who, reason="a robot", by=study.owner, gives_place_back=True)

        at_once(
            lambda: exclusions.include_again(annotator=who, reason="or not", by=study.owner),
            comes(study, f"n{n}"),
        )

        assert Assignment.objects.holding().count() == 1
        is_theirs = Assignment.objects.holding().filter(annotator=who).exists()
        assert PhaseRun.objects.filter(is_counted=True).exists() is is_theirs
        # Whoever came leaves again.
        for other in Annotator.objects.exclude(pk=who.pk).filter(withdrawn_at=None):
            withdrawal.withdraw(annotator=other)


def wait_until_somebody_waits_for_a_row() -> None:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    waiting += " AND wait_event_type = 'Lock'"
    for _try in range(10_000):
        with connection.cursor() as cursor:
            # Within a transaction it would be read once.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(waiting)
            if cursor.fetchone()[0]:
                return
    raise AssertionError("nobody waits")


def test_a_first_answer_that_is_being_stored_keeps_the_place() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 1})
    stranger = join(study).assignment
    [known] = rosters.add_roster(study=study, entries=[rosters.RosterEntry("r1")])
    consent = studies.current_consent(study)
    raised: list[Exception] = []

    def claim() -> None:
        try:
            assignments.start(annotator=known.annotator, consent=consent)
        except AnnotationError as error:
            raised.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=claim)
    with transaction.atomic():
        answer_one(stranger, stranger.booklet.questions.first())
        thread.start()
        wait_until_somebody_waits_for_a_row()
    thread.join(60)

    assert [type(error) for error in raised] == [NoPlaceError]
    assert Assignment.objects.holding().get() == stranger
