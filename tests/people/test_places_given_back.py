"""A researcher gives a place back, and decides about what was answered too fast to be read."""

import re
from typing import Any

import pytest

from annotation.answering.services import assignments, disputes, open_places, rosters, withdrawal
from annotation.basics.errors import NothingLeftError, StateError
from annotation.core.queries import progress
from annotation.core.queries.counted_answers import counted_judgments
from annotation.models import (
    Annotator,
    Assignment,
    Exclusion,
    Judgment,
    PhaseRun,
    ReleaseEvent,
    ReleaseShare,
    Study,
)
from annotation.models.kinds import Source
from annotation.people.pages.exclusions import said_of_counting
from annotation.people.services import exclusions, places
from annotation.people.services.places import Released
from annotation.releases.queries import releases as queries
from tests.answering.test_floods_by_network import STRANGER, Joiner
from tests.support.annotating import Participant
from tests.support.answering import answer_all, answer_one
from tests.support.api import address, by_token
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study
from tests.support.researcher_pages import (
    finish_booklet,
    make_release,
    said,
    signed_in,
    simulate,
    text,
    url,
)

pytestmark = pytest.mark.django_db


def with_places(n: int, **columns: Any) -> Study:
    """One booklet, so that each place is for one person."""
    return make_open_study(dialogues=1, parameters={"annotations_per_tuple": n}, **columns)


def counted(study: Study) -> set[int]:
    return set(counted_judgments(study, "people").values_list("assignment__annotator", flat=True))


def give_back(study: Study, *who: Annotator) -> list[Exclusion]:
    return exclusions.exclude_all(
        annotators=who, reason="a robot", by=study.owner, gives_place_back=True
    )


def test_a_counted_place_is_given_back_and_taken_by_another() -> None:
    study = with_places(1)
    robot = finish_booklet(study)
    n_answers = Judgment.objects.count()
    exclusions.exclude(annotator=robot, reason="a robot", by=study.owner)
    with pytest.raises(NothingLeftError):
        join(study)

    # Also after the exclusion.
    give_back(study, robot)
    human = finish_booklet(study)

    assert counted(study) == {human.pk}
    assert Judgment.objects.filter(assignment__annotator=robot).count() == n_answers
    assert progress.places(study)[Source.REAL].done == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["people", "person"])
def test_the_place_of_somebody_excluded_is_freed_later(name: str) -> None:
    study = with_places(1)
    robot = finish_booklet(study)
    exclusions.exclude(annotator=robot, reason="a robot", by=study.owner)
    client, address_ = signed_in(study.owner), url(study, "give_place_back", robot.pk)
    page = url(study, name, *([robot.pk] if name == "person" else []))
    assert f'action="{address_}"' in text(client.get(page))

    client.post(address_)

    assert Exclusion.objects.get().gives_place_back
    assert join(study).annotator != robot
    # There is nothing to give any more, on the page or by the service.
    assert address_ not in text(client.get(page))
    with pytest.raises(StateError):
        places.give_back(annotators=[robot])


def test_nobody_loses_a_place_who_is_not_excluded() -> None:
    study = with_places(1)
    human = finish_booklet(study)

    signed_in(study.owner).post(url(study, "give_place_back", human.pk))

    assert counted(study) == {human.pk}
    assert progress.places(study)[Source.REAL].free == 0


@pytest.mark.parametrize("is_taken", [False, True])
def test_who_is_included_again_has_the_place_unless_it_was_taken(is_taken: bool) -> None:
    study = with_places(1)
    first = finish_booklet(study)
    give_back(study, first)
    other = join(study).annotator if is_taken else None
    client = signed_in(study.owner)
    page = text(client.get(url(study, "include", first.pk)))

    client.post(url(study, "include", first.pk), {"reason": "a human after all"})

    assert ("surplus" in page) is is_taken
    assert counted(study) == (set() if is_taken else {first.pk})
    assert Assignment.objects.get(annotator=first).is_surplus is is_taken
    if other:
        answer_all(other.assignments.get())
        assignments.submit(assignment=other.assignments.get())
        assert counted(study) == {other.pk}
    else:
        with pytest.raises(NothingLeftError):
            join(study)


def test_who_gave_the_place_back_while_at_work_finishes_and_is_never_counted() -> None:
    study = with_places(1)
    robot = join(study).assignment
    answer_one(robot, robot.booklet.questions.first())
    give_back(study, robot.annotator)

    answer_all(robot)
    assignments.submit(assignment=robot)

    assert counted(study) == set()
    assert not PhaseRun.objects.filter(is_counted=True).exists()
    assert not assignments.may_claim_another(robot.annotator)
    human = finish_booklet(study)
    assert counted(study) == {human.pk}


def test_who_lapsed_before_the_place_was_given_back_takes_none_again(clock: Clock) -> None:
    study = with_places(2)
    robot = join(study).assignment
    answer_one(robot, robot.booklet.questions.first())
    clock.move(minutes=study.idle_minutes + 1)
    join(study)
    open_places.expire_overdue(study, clock.time)
    give_back(study, robot.annotator)

    answer_all(robot)

    robot.refresh_from_db()
    assert (robot.state, robot.is_surplus) == ("active", True)
    join(study)


def test_the_next_one_who_completed_the_place_counts_when_it_is_given_back(clock: Clock) -> None:
    study = with_places(1)
    slow = join(study).assignment
    answer_one(slow, slow.booklet.questions.first())
    clock.move(minutes=study.idle_minutes + 1)
    robot = finish_booklet(study)
    answer_all(slow)
    assignments.submit(assignment=slow)
    assert counted(study) == {robot.pk}

    give_back(study, robot)

    assert counted(study) == {slow.annotator_id}
    # What was surplus is not promoted where its person gave the place back, too.
    give_back(study, slow.annotator)
    assert counted(study) == set()


@pytest.mark.slow
def test_a_flood_is_given_back_in_two_clicks(clock: Clock) -> None:
    study = with_places(40)
    stranger, client = Joiner(study, STRANGER), signed_in(study.owner)
    human = finish_booklet(study)
    owns = [stranger.join() for _ in range(4)]
    stranger.answer_everything(owns[0])
    flood = Annotator.objects.exclude(pk=human.pk)
    shown = text(client.get(url(study, "people")))
    [query] = {f"?together={pk}" for pk in flood.values_list("pk", flat=True)[:1]}
    assert query in shown

    found = client.get(url(study, "people") + query)
    asked = {"group": "together", "together": query.partition("=")[2], "gives_place_back": "1"}
    first = client.post(url(study, "exclude_several"), asked)
    carried = {"who": re.findall(r'name="who" value="(\d+)"', text(first))}
    sent = {**carried, "reason": "one script", "gives_place_back": "1"}
    client.post(url(study, "exclude_several"), sent)

    assert len(found.context["rows"]) == 4
    assert "checked" in text(first)
    assert progress.places(study)[Source.REAL].free == 39
    assert counted(study) == {human.pk}
    assert Exclusion.objects.filter(gives_place_back=True, reason="one script").count() == 4


def test_the_api_gives_a_place_back_and_says_so() -> None:
    study = with_places(1)
    robot = finish_booklet(study)

    answer = by_token(study.owner).post(
        address(study, f"annotators/{robot.pseudonym}/exclude/"),
        {"reason": "a robot", "gives_place_back": True},
        content_type="application/json",
    )

    assert answer.json()["exclusion"]["gives_place_back"] is True
    join(study)


# -- Faster than anybody reads ------------------------------------------------------------------


def walk(study: Study, clock: Clock, *, seconds: float) -> Annotator:
    """Answer a booklet through the pages, so many seconds after each was shown."""
    somebody = Participant(study)
    for screen in range(1, somebody.assignment.booklet.n_screens + 1):
        filled = somebody.filled(screen)
        clock.move(seconds=seconds)
        somebody.post(f"s/{screen}/", {**filled, "go": "next"})
    assert somebody.post("submit/").status_code == 303
    return somebody.annotator


@pytest.mark.parametrize(("seconds", "is_held"), [(0.9, True), (1.1, False)])
def test_a_sitting_below_the_floor_is_held(clock: Clock, seconds: float, is_held: bool) -> None:
    study = with_places(2, min_screen_seconds=1)

    who = walk(study, clock, seconds=seconds)

    assert counted(study) == (set() if is_held else {who.pk})
    assert Judgment.objects.filter(assignment__annotator=who).exists()
    assert progress.places(study)[Source.REAL].held == is_held
    page = signed_in(study.owner).get(url(study, "people") + "?show=held")
    assert [row.pk for row in page.context["rows"]] == ([who.pk] if is_held else [])


@pytest.mark.slow
def test_the_page_of_a_person_says_why_they_are_held_and_lets_it_count(clock: Clock) -> None:
    study = with_places(2, min_screen_seconds=1)
    who = walk(study, clock, seconds=0.5)
    n = who.assignments.get().booklet.n_screens
    client = signed_in(study.owner)

    page = client.get(url(study, "person", who.pk))
    assert f"{n} of {n} screens took less than 1.0 seconds each; the median is 0.5" in str(
        page.context["held"]
    )
    sent = {"who": who.pk, "back": "person"}
    response = client.post(url(study, "let_count"), sent)

    assert response["Location"] == url(study, "person", who.pk)
    assert counted(study) == {who.pk}
    assert client.get(url(study, "person", who.pk)).context["held"] == []


def test_screens_that_are_fetched_first_and_sent_together_are_held(clock: Clock) -> None:
    study = with_places(2, min_screen_seconds=1)
    robot = Participant(study)
    screens = range(1, robot.assignment.booklet.n_screens + 1)
    filled = {screen: robot.filled(screen) for screen in screens}
    clock.move(minutes=20)

    for screen in screens:
        robot.post(f"s/{screen}/", {**filled[screen], "go": "next"})
    robot.post("submit/")

    assert PhaseRun.objects.get().is_held


def test_two_quick_screens_hold_nobody(clock: Clock) -> None:
    study = with_places(2, min_screen_seconds=1)
    human = Participant(study)
    for screen in range(1, human.assignment.booklet.n_screens + 1):
        filled = human.filled(screen)
        clock.move(seconds=0.2 if screen <= 2 else 4)
        human.post(f"s/{screen}/", {**filled, "go": "next"})
    human.post("submit/")

    assert counted(study) == {human.annotator.pk}


def test_simulated_people_are_never_held_nor_anybody_where_it_is_off(clock: Clock) -> None:
    study = with_places(2, min_screen_seconds=1)
    simulate(study)
    Study.objects.update(min_screen_seconds=0)
    walk(study, clock, seconds=0)

    assert not PhaseRun.objects.filter(is_held=True).exists()


@pytest.mark.slow
@pytest.mark.parametrize("is_taken", [False, True])
def test_what_was_held_counts_if_the_researcher_says_so(clock: Clock, is_taken: bool) -> None:
    study = with_places(1, min_screen_seconds=1)
    who = walk(study, clock, seconds=0)
    # It keeps its place until then; only who comes by a personal link has it all the same.
    with pytest.raises(NothingLeftError):
        join(study)
    if is_taken:
        [made] = rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1")])
        consent = study.consent_texts.get()
        assignments.start(annotator=made.annotator, consent=consent)

    client = signed_in(study.owner)
    client.post(url(study, "let_count"), {"who": who.pk})

    # The message says what happened.
    happened = Released([], [who], []) if is_taken else Released([who], [], [])
    assert said(client.get(url(study, "people"))) == [
        str(sentence) for sentence in said_of_counting(happened)
    ]
    assert not PhaseRun.objects.filter(is_held=True).exists()
    assert counted(study) == (set() if is_taken else {who.pk})
    assert Assignment.objects.get(annotator=who).is_surplus is is_taken


@pytest.mark.slow
def test_what_was_held_is_excluded_with_its_place_in_two_clicks(clock: Clock) -> None:
    study = with_places(1, min_screen_seconds=1)
    who = walk(study, clock, seconds=0)
    client = signed_in(study.owner)
    link = f"{url(study, 'exclude', who.pk)}?gives_place_back=1"
    assert link in text(client.get(url(study, "people")))

    assert "checked" in text(client.get(link))
    client.post(link, {"reason": "a robot", "gives_place_back": "1"})

    join(study)
    assert client.get(url(study, "people") + "?show=held").context["rows"] == []
    exclusions.include_again(annotator=who, reason="again", by=study.owner)
    assert counted(study) == set()


def test_a_held_sitting_is_not_promoted_before_it_was_looked_at(clock: Clock) -> None:
    study = with_places(2, min_screen_seconds=1)
    held = walk(study, clock, seconds=0)
    place = Assignment.objects.get(annotator=held).place
    run = PhaseRun.objects.get(assignment__annotator=held)

    disputes.promote_next(place_id=place.pk, phase_id=run.phase_id)

    assert counted(study) == set()
    assert places.let_count(annotators=[held]) == Released([held], [], [])
    with pytest.raises(StateError):
        places.let_count(annotators=[held])
    assert counted(study) == {held.pk}


def test_letting_count_takes_no_place_back_that_was_given_away(clock: Clock) -> None:
    study = with_places(1, min_screen_seconds=1)
    who = walk(study, clock, seconds=0)
    exclusions.exclude(annotator=who, reason="a robot", by=study.owner, gives_place_back=True)

    released = places.let_count(annotators=[who])

    assert released == Released([], [], [who])
    assert counted(study) == set()
    assert Assignment.objects.get(annotator=who).is_surplus
    join(study)


@pytest.mark.slow
def test_what_is_let_count_is_surplus_if_somebody_took_the_place_meanwhile(clock: Clock) -> None:
    study = with_places(1, min_screen_seconds=1)
    who = walk(study, clock, seconds=0)
    exclusions.exclude(annotator=who, reason="a robot", by=study.owner, gives_place_back=True)
    other = walk(study, clock, seconds=2)
    exclusions.include_again(annotator=who, reason="again", by=study.owner)

    released = places.let_count(annotators=[who])

    assert released == Released([], [who], [])
    assert counted(study) == {other.pk}


@pytest.mark.slow
def test_whoever_is_held_for_review_gets_no_other_booklet_meanwhile(clock: Clock) -> None:
    study = make_open_study(dialogues=4, min_screen_seconds=1)
    assert study.design.booklets.count() > 1
    who = walk(study, clock, seconds=0)

    assert not assignments.may_claim_another(who)
    with pytest.raises(NothingLeftError):
        assignments.claim_another(annotator=who)

    places.let_count(annotators=[who])
    assert assignments.may_claim_another(who)


@pytest.mark.slow
@pytest.mark.parametrize("has_room", [True, False], ids=["another is free", "none is free"])
def test_who_is_included_again_counts_in_another_place_of_the_booklet(
    clock: Clock, has_room: bool
) -> None:
    study = with_places(2)
    first, second = walk(study, clock, seconds=2), walk(study, clock, seconds=2)
    exclusions.exclude(annotator=first, reason="lost", by=study.owner, gives_place_back=True)
    third = walk(study, clock, seconds=2)
    if has_room:
        withdrawal.withdraw(annotator=second)
    page = text(signed_in(study.owner).get(url(study, "include", first.pk)))
    assert ("Their answers count again" in page) is has_room

    exclusions.include_again(annotator=first, reason="found", by=study.owner)

    assert counted(study) == {third.pk, first.pk if has_room else second.pk}


def test_several_who_were_chosen_count_in_one_click() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 3})
    people = [finish_booklet(study) for _ in range(3)]
    PhaseRun.objects.update(is_counted=False, is_held=True)
    client = signed_in(study.owner)
    page = client.get(url(study, "people"))

    assert page.context["can_count"]
    client.post(url(study, "let_count"), {"who": [people[0].pk, people[2].pk]})

    held = PhaseRun.objects.filter(is_held=True)
    assert [run.assignment.annotator for run in held] == [people[1]]
    assert PhaseRun.objects.filter(is_counted=True).count() == 2


def test_a_release_that_held_them_says_that_they_count_now() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 1})
    who = finish_booklet(study)
    PhaseRun.objects.update(is_counted=False, is_held=True)
    release = make_release(study)
    ReleaseShare.objects.create(release=release, assignment=who.assignments.get(), n_judgments=10)

    places.let_count(annotators=[who])

    [event] = release.events.all()
    assert (event.kind, event.pseudonym) == (ReleaseEvent.Kind.INCLUDED, who.pseudonym)
    assert "held for review" in event.reason


@pytest.mark.parametrize("is_taken", [False, True])
def test_a_release_says_of_who_is_included_again_whether_they_count(is_taken: bool) -> None:
    study = with_places(1)
    who = finish_booklet(study)
    release = make_release(study)
    ReleaseShare.objects.create(release=release, assignment=who.assignments.get(), n_judgments=10)
    give_back(study, who)
    if is_taken:
        finish_booklet(study)

    exclusions.include_again(annotator=who, reason="by mistake", by=study.owner)

    last = ReleaseEvent.Kind.READMITTED if is_taken else ReleaseEvent.Kind.INCLUDED
    assert [event.kind for event in release.events.all()] == [ReleaseEvent.Kind.EXCLUDED, last]
    assert (who.pk in counted(study)) is not is_taken
    # The change log tells it in this order, so that what holds now stands last.
    _own, *later = sorted(queries.change_log(release), key=lambda change: change.is_later)
    assert [who.pseudonym in change.lines[0] for change in later] == [True, True]
    assert "was excluded. This release still counts their" in later[0].lines[0]
    assert ("still not scored" in later[1].lines[0]) is is_taken


@pytest.mark.slow
def test_who_withdrew_is_not_offered_to_be_included_again() -> None:
    study = with_places(2)
    who, other = finish_booklet(study), finish_booklet(study)
    for person in (who, other):
        exclusions.exclude(annotator=person, reason="Too fast.", by=study.owner)
    withdrawal.withdraw(annotator=who)
    client = signed_in(study.owner)

    for page in (url(study, "people"), url(study, "person", who.pk)):
        assert url(study, "include", who.pk) not in text(client.get(page))
    assert url(study, "include", other.pk) in text(client.get(url(study, "people")))


def test_whoever_is_included_again_and_was_held_is_said_to_stay_held() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 1})
    who = finish_booklet(study)
    PhaseRun.objects.update(is_counted=False, is_held=True)
    exclusions.exclude(annotator=who, reason="Too fast.", by=study.owner)

    page = signed_in(study.owner).get(url(study, "include", who.pk))

    said_then = [str(line) for line in page.context["confirmation"].consequences]
    assert any("Answers held for review stay held until you let" in line for line in said_then)
    assert not any("Their answers count again the next time you" in line for line in said_then)
