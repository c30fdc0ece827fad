"""A sitting that was closed, such as after its return on the platform, is still whose it was."""

import pytest

from annotation.answering.services import visits
from annotation.basics.errors import AssignmentClosedError
from annotation.core.platforms.base import Launch
from annotation.crowds.services import launches
from annotation.models import Assignment, Judgment, Visit
from tests.crowds.test_visits import enter, fresh, get, on_a_platform, post, rate_all
from tests.support import crowds, rating
from tests.support.clock import Clock
from tests.support.crowds import make_listing
from tests.support.factories import make_open_study
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db


def returned_and_begun_again(monkeypatch, *, is_signed: bool):
    crowds.use_framed(monkeypatch)
    study = rating.make_rating_study(pairs=6, items_per_booklet=3, ratings_per_item=2)
    framed = on_a_platform(study)
    first = enter(framed, "W1", "A1", is_signed=is_signed)
    run = fresh(first).run
    for question in list(run.questions.all())[:2]:
        rating.rate(run.assignment, question, "5", run=run)
    Judgment.objects.update(comment="private")
    Visit.objects.filter(pk=first.visit.pk).update(remote_state=Visit.Remote.RETURNED)
    enter(framed, "W1", "A2", is_signed=is_signed)
    assert fresh(first).state == Visit.State.CLOSED
    return first, run


def test_it_can_be_looked_at_and_withdrawn(monkeypatch) -> None:
    first, run = returned_and_begun_again(monkeypatch, is_signed=False)
    own = get(first)
    assert own.status_code == 409
    assert "/withdraw/" in own.content.decode()
    assert get(first, "data/").status_code == 200

    post(first, "withdraw/", confirm="on")

    run.assignment.refresh_from_db()
    assert run.assignment.state == Assignment.State.WITHDRAWN
    assert set(run.assignment.judgments.values_list("comment", flat=True)) == {""}
    assert "You have withdrawn" in get(first).content.decode()


def test_not_where_another_sitting_went_on_with_it(monkeypatch) -> None:
    first, run = returned_and_begun_again(monkeypatch, is_signed=True)
    assert [visit.submission_id for visit in Visit.objects.filter(run=run)] == ["A2"]

    post(first, "withdraw/", confirm="on")

    run.assignment.refresh_from_db()
    assert run.assignment.state != Assignment.State.WITHDRAWN
    assert "private" not in get(first, "data/").content.decode()


@pytest.mark.parametrize("is_signed", [False, True])
def test_whoever_took_a_place_under_somebodys_id_sees_and_withdraws_nothing_of_theirs(
    monkeypatch, *, is_signed: bool
) -> None:
    crowds.use_framed(monkeypatch)
    framed = on_a_platform(rating.make_rating_study(pairs=3, ratings_per_item=2))
    stranger = enter(framed, "W1", "made-up")
    post(stranger, "withdraw/", confirm="on")
    theirs = enter(framed, "W1", "A1", is_signed=is_signed)
    run = fresh(theirs).run
    for question in run.questions.all():
        rating.rate(run.assignment, question, "5", run=run)
    Judgment.objects.update(comment="private")

    assert "private" not in get(stranger, "data/").content.decode()
    post(stranger, "withdraw/", confirm="on")

    assert set(run.assignment.judgments.values_list("comment", flat=True)) == {"private"}


def test_declining_under_somebodys_id_takes_nobodys_place(monkeypatch) -> None:
    crowds.use_framed(monkeypatch)
    framed = on_a_platform(rating.make_rating_study(pairs=3, ratings_per_item=2))
    enter(framed, "W1", "made-up")
    theirs = enter(framed, "W1", "A1", over=True)

    launches.decline(listing=framed, launch=Launch("W1", "made-up", "HIT1"))

    assert fresh(theirs).run.assignment.state == Assignment.State.ACTIVE


def test_a_later_part_that_nobody_vouched_for_empties_nothing_of_the_first(clock: Clock) -> None:
    study = rating.make_rating_study(phases=rating.TWICE, pairs=2)
    first, later = make_listing(study), make_listing(study, phase_number=2)
    theirs = enter(first, "W1", "A1")
    rate_all(theirs)
    assignment = fresh(theirs).run.assignment
    clock.move(hours=80)
    forged = enter(later, "W1", "made-up")
    assert fresh(forged).run.assignment == assignment

    post(forged, "withdraw/", confirm="on")
    # Nor where the page is asked before it knows, and the service after.
    with pytest.raises(AssignmentClosedError):
        visits.withdraw(visit=fresh(forged))

    given = assignment.judgments.filter(rating__isnull=False)
    assert given.count() == 2
    # Whoever has the first part's link may.
    post(theirs, "withdraw/", confirm="on")
    assert not given.exists()


@pytest.mark.parametrize("page", ["reissue", "remove"])
def test_who_came_from_a_platform_is_on_no_roster(page: str) -> None:
    """A link to their pages would let somebody else answer for them."""
    listing = make_listing(make_open_study())
    came = enter(listing, "W1", "A1")
    annotator = fresh(came).run.assignment.annotator
    client = signed_in(listing.study.owner)

    for method in (client.get, client.post):
        assert method(url(listing.study, page, annotator.pk)).status_code == 404
