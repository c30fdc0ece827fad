"""How far people are in each phase, as the page on collecting says."""

import pytest

from annotation.answering.services import assignments, withdrawal
from annotation.models import Assignment, Phase
from annotation.monitoring.queries.phase_progress import PhaseProgress, phase_progress
from tests.support.clock import Clock
from tests.support.factories import make_open_study
from tests.support.rating import TWICE, join, make_rating_study, rate_phase
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def numbers(of: PhaseProgress) -> dict[str, int]:
    """Counts that are not 0."""
    found = {name: value for name, value in vars(of).items() if name.startswith("n_")}
    return {name.removeprefix("n_"): n for name, n in found.items() if n}


def test_each_run_is_counted_once_and_where_its_person_is(clock: Clock) -> None:
    study = make_rating_study(phases=TWICE, pairs=2, ratings_per_item=6, items_per_booklet=2)
    both, waiting, _at_work, _idle, gone = (join(study) for _ in range(5))
    for one in (both, waiting, gone):
        rate_phase(one.assignment)
    withdrawal.withdraw(annotator=gone.annotator)
    opens_at = waiting.assignment.runs.get(phase__number=2).opens_at

    first, second = phase_progress(study, "real")
    assert (first.number, first.condition) == (1, Phase.Condition.FREE.label)
    assert numbers(first) == {"counted": 2, "at_work": 2}
    assert (numbers(second), second.next_opens_at) == ({"shut": 2}, opens_at)

    clock.move(hours=72)
    rate_phase(both.assignment)
    first, second = phase_progress(study, "real")
    assert numbers(first) == {"counted": 2, "lapsed": 2}
    assert (numbers(second), second.next_opens_at) == ({"counted": 1, "can_begin": 1}, None)

    clock.move(hours=15 * 24)
    assert numbers(phase_progress(study, "real")[1]) == {"counted": 1, "lapsed": 1}


def test_who_finishes_after_somebody_else_did_in_their_place_is_surplus(clock: Clock) -> None:
    study = make_rating_study(phases=TWICE, pairs=2)
    late = join(study)
    clock.move(hours=24 * 30)
    rate_phase(join(study).assignment)
    rate_phase(Assignment.objects.get(pk=late.assignment.pk))

    first = phase_progress(study, "real")[0]

    assert numbers(first) == {"counted": 1, "surplus": 1}


def test_a_design_with_one_phase_has_none_to_tell_apart() -> None:
    assert phase_progress(make_open_study(), "real") == []
    assert phase_progress(make_rating_study(), "real") == []


def test_simulated_people_are_not_counted_among_real_ones() -> None:
    study = make_rating_study(phases=TWICE)
    join(study)

    assert numbers(phase_progress(study, "real")[0]) == {"at_work": 1}
    assert numbers(phase_progress(study, "simulated")[0]) == {}


def test_the_page_says_how_far_each_phase_is() -> None:
    study = make_rating_study(phases=TWICE, pairs=2)
    joined = join(study)
    assignments.current(joined.annotator)
    rate_phase(joined.assignment)

    page = text(signed_in(study.owner).get(url(study, "collect")))
    of_one_phase = make_rating_study()
    other = text(signed_in(of_one_phase.owner).get(url(of_one_phase, "collect")))

    assert "2, context-dependent" in page
    assert "not open yet" in page
    assert "not open yet" not in other


def test_the_page_has_a_column_for_surplus_only_where_there_is_any(clock: Clock) -> None:
    study = make_rating_study(phases=TWICE, pairs=2)
    client = signed_in(study.owner)
    late = join(study)
    assert "surplus</th>" not in text(client.get(url(study, "collect")))

    clock.move(hours=24 * 30)
    rate_phase(join(study).assignment)
    rate_phase(Assignment.objects.get(pk=late.assignment.pk))

    assert "surplus</th>" in text(client.get(url(study, "collect")))
