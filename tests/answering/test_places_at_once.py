"""A place given back, and the last one of a network, go to one of those who come at once."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation.answering.services import assignments, rosters, withdrawal
from annotation.basics import keys
from annotation.basics.errors import NoPlaceError
from annotation.models import Annotator, Assignment, PhaseRun, Study
from annotation.people.services import exclusions
from annotation.studies.services import studies
from tests.support.answering import answer_one
from tests.support.at_once import at_once, waiting
from tests.support.factories import join, make_open_study
from tests.support.researcher_pages import finish_booklet

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


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

    at_once([comes(study, "n")] * 6)

    assert Assignment.objects.count() == 2


def test_who_is_included_again_and_who_comes_do_not_both_get_the_place() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 1})
    who = finish_booklet(study)
    for n in range(4):
        exclusions.exclude(annotator=who, reason="a robot", by=study.owner, gives_place_back=True)

        at_once(
            [
                lambda: exclusions.include_again(annotator=who, reason="or not", by=study.owner),
                comes(study, f"n{n}"),
            ]
        )

        assert Assignment.objects.holding().count() == 1
        is_theirs = Assignment.objects.holding().filter(annotator=who).exists()
        assert PhaseRun.objects.filter(is_counted=True).exists() is is_theirs
        # Whoever came leaves again.
        for other in Annotator.objects.exclude(pk=who.pk).filter(withdrawn_at=None):
            withdrawal.withdraw(annotator=other)


def test_a_first_answer_that_is_being_stored_keeps_the_place() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 1})
    stranger = join(study).assignment
    [known] = rosters.add_roster(study=study, entries=[rosters.RosterEntry("r1")])
    consent = studies.current_consent(study)

    answer = waiting(
        lambda: assignments.start(annotator=known.annotator, consent=consent),
        first=lambda: answer_one(stranger, stranger.booklet.questions.first()),
    )

    assert isinstance(answer, NoPlaceError)
    assert Assignment.objects.holding().get() == stranger
