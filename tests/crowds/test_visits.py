"""Sittings on a platform: their key, their end, what proves them, what is counted."""

import json
import re
from datetime import datetime
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from annotation.answering.queries import answer_copies
from annotation.answering.services import assignments, instructions, visits, withdrawal
from annotation.basics.errors import AssignmentClosedError, NothingLeftError, PhaseNotOpenError
from annotation.core.platforms.base import Launch
from annotation.core.platforms.errors import LaunchError
from annotation.crowds.services import decisions, launch_sittings, launches
from annotation.crowds.services.launch_identity import EnteredVisit
from annotation.models import Annotator, Assignment, Judgment, Listing, Place, Study, Visit
from annotation.models.kinds import CrowdPlatform, Outcome
from annotation.studies.services import studies
from tests.support import crowds, rating
from tests.support.annotating import read, watched
from tests.support.answering import answer_one
from tests.support.checking import make_checked_ratings, rated_pairs
from tests.support.clock import Clock
from tests.support.crowds import make_listing, make_ticket
from tests.support.factories import join, make_open_study

pytestmark = pytest.mark.django_db

TINY = {"annotations_per_tuple": 5, "questions_per_screen": 1}


def on_a_platform(study: Study, **columns) -> Listing:
    made = make_listing(study, platform=CrowdPlatform.MTURK, environment="sandbox", **columns)
    make_ticket(made, f"HIT{made.number}")
    return made


@pytest.fixture
def listing() -> Listing:
    return make_listing(make_open_study(dialogues=2, parameters=TINY))


@pytest.fixture
def framed(monkeypatch) -> Listing:
    crowds.use_framed(monkeypatch)
    one_place = {**TINY, "annotations_per_tuple": 1}
    return on_a_platform(make_open_study(dialogues=1, parameters=one_place))


def enter(
    listing: Listing, person: str = "W1", submission: str = "A1", *, over: bool = False, **more
) -> EnteredVisit:
    hit = f"HIT{listing.number}" if listing.platform == CrowdPlatform.MTURK else ""
    entered = launches.enter(
        listing=listing,
        launch=Launch(person, submission, hit, **more),
        consent=studies.current_consent(listing.study),
        takes_over=over,
    )
    if entered.visit.run:
        instructions.begin(annotator=entered.visit.run.assignment.annotator)
    return entered


def fresh(entered: EnteredVisit) -> Visit:
    return Visit.objects.select_related("run__assignment", "listing").get(pk=entered.visit.pk)


def answer(entered: EnteredVisit) -> None:
    run = fresh(entered).run
    for question in run.questions.all():
        answer_one(run.assignment, question)


def finish(entered: EnteredVisit) -> Visit:
    answer(entered)
    visits.submit(visit=fresh(entered))
    return fresh(entered)


def get(entered: EnteredVisit, rest: str = "") -> HttpResponse:
    return Client().get(f"/a/{entered.key}/{rest}")


def post(entered: EnteredVisit, rest: str = "", **data: str) -> HttpResponse:
    return Client().post(f"/a/{entered.key}/{rest}", data)


def html(entered: EnteredVisit, rest: str = "") -> str:
    return get(entered, rest).content.decode()


# -- the whole way, without JavaScript ------------------------------------------------------------


def answer_by_pages(entered: EnteredVisit) -> None:
    visit = fresh(entered)
    for screen in range(1, visit.run.assignment.n_screens + 1):
        address = f"/a/{entered.key}/s/{screen}/"
        page = read(Client().get(address))
        data = page.forms[address]
        for name, options in page.options.items():
            data[name] = options[0 if name.endswith("-best") else 1]
        assert Client().post(address, {**data, "go": "next"}).status_code == 303


@pytest.mark.slow
def test_from_the_first_screen_to_the_code(listing: Listing) -> None:
    entered = enter(listing)
    answer_by_pages(entered)

    sent = post(entered, "submit/")

    assert sent["Location"] == f"/a/{entered.key}/"
    page = html(entered)
    assert "We have received your answers" in page
    assert "CODE-COMPLETED" in page
    visit = fresh(entered)
    assert (visit.state, visit.outcome) == (Visit.State.ENDED, Outcome.COMPLETED)
    assert visit.run.is_counted
    assert html(entered) == page


def test_the_panel_is_gone_back_to_by_its_own_address(listing: Listing) -> None:
    there = "https://panel.example/done?who={person}&sitting={submission}"
    listing.options = {**listing.options, "redirects": {"completed": there}}
    listing.save()
    entered = enter(listing, "a&b=c", "s{person}")

    finish(entered)

    page = html(entered)
    assert "https://panel.example/done?who=a%26b%3Dc&amp;sitting=s%7Bperson%7D" in page
    assert "Continue" in page


def test_a_platform_is_told_by_a_form_with_a_receipt_and_a_copy(framed: Listing) -> None:
    entered = enter(framed)
    visit = finish(entered)

    forms = read(get(entered)).forms

    assert list(forms) == [f"{crowds.ORIGIN}/submit"]
    fields = forms[f"{crowds.ORIGIN}/submit"]
    assert fields["assignmentId"] == "A1"
    assert visits.is_receipt(visit, fields["receipt"])
    assert not visits.is_receipt(visit, fields["receipt"][:-1])
    copy = json.loads(fields["answers"])
    assert len(copy["answers"]) == Judgment.objects.count() == 10


def test_a_receipt_is_the_same_after_the_secret_was_changed(framed: Listing, settings) -> None:
    visit = finish(enter(framed))
    before = visits.receipt(visit)

    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another secret"

    assert visits.receipt(visit) == before
    assert visits.is_receipt(visit, before)


def test_a_copy_of_many_long_answers_fits_into_the_form(listing: Listing) -> None:
    entered = enter(listing)
    run = fresh(entered).run
    for question in run.questions.all():
        answer_one(run.assignment, question, comment="“é” " * 200)
    whole = answer_copies.compact(run)
    assert len(whole.encode()) < answer_copies.LIMIT
    assert "u201c" in whole


def test_a_copy_leaves_out_what_does_not_fit_and_says_so(listing: Listing, monkeypatch) -> None:
    entered = enter(listing)
    run = fresh(entered).run
    for question in run.questions.all():
        answer_one(run.assignment, question, comment="long " * 60)
    n = run.questions.count()
    monkeypatch.setattr(answer_copies, "LIMIT", 250)

    copy = json.loads(answer_copies.compact(run))

    assert copy["comments"] == 0
    assert copy["left_out"] + len(copy["answers"]) == n
    assert 0 < len(copy["answers"]) < n


# -- one key, one sitting -------------------------------------------------------------------------


@pytest.fixture
def two(listing: Listing) -> tuple[EnteredVisit, EnteredVisit]:
    """Two sittings of one person, each with a booklet of its own; the first one is sent."""
    listing.study.max_booklets = 0
    listing.study.save()
    first = enter(listing, "W1", "A1")
    finish(first)
    return first, enter(listing, "W1", "A2")


def test_a_second_sitting_is_another_booklet_of_the_same_annotator(
    two: tuple[EnteredVisit, EnteredVisit],
) -> None:
    first, second = (fresh(one) for one in two)

    assert first.run.assignment.annotator_id == second.run.assignment.annotator_id
    assert first.run.assignment.booklet_id != second.run.assignment.booklet_id
    assert Annotator.objects.count() == 1


def test_the_key_of_one_sitting_answers_nothing_of_another(
    two: tuple[EnteredVisit, EnteredVisit], listing: Listing
) -> None:
    _first, second = two
    third = enter(make_listing(listing.study), "W2", "A3")
    question = fresh(second).run.questions.first()
    address = f"/a/{second.key}/s/{question.screen}/"
    form = read(Client().get(address)).forms[address]
    data = {
        name.removeprefix(f"q{question.pk}-"): value
        for name, value in form.items()
        if name.startswith(f"q{question.pk}-")
    }
    items = [str(m.item_id) for m in question.tuple.members.all()]
    data |= {"best": items[0], "worst": items[1], "sequence": "1", "idempotency_key": str(uuid4())}

    def save(entered: EnteredVisit) -> int:
        address = f"/a/{entered.key}/q/{question.pk}/"
        return Client().post(address, data, headers={"accept": "application/json"}).status_code

    before = Judgment.objects.count()
    assert save(third) in {400, 404}
    assert save(two[0]) == 409
    assert Judgment.objects.count() == before
    assert save(second) == 200


def test_an_open_key_of_the_same_person_answers_nothing_of_another_sitting(
    two: tuple[EnteredVisit, EnteredVisit],
) -> None:
    first, second = two
    address = f"/a/{second.key}/s/1/"
    form = read(Client().get(address)).forms[address]
    [signed] = [value for name, value in form.items() if name.endswith("-shown")]
    [name] = [name for name in form if name.endswith("-shown")]
    question = int(name.removeprefix("q").removesuffix("-shown"))
    # As if both were open: the platform's page of the first one is still there.
    Visit.objects.filter(pk=second.visit.pk).update(state="closed")
    Visit.objects.filter(pk=first.visit.pk).update(state="working", outcome="", ended_at=None)
    data = {"shown": signed, "sequence": "1", "idempotency_key": str(uuid4())}

    assert post(first, f"q/{question}/", **data).status_code == 404


@pytest.mark.parametrize("rest", ["more/", "remind/"])
def test_a_sitting_has_no_other_booklet_and_no_reminder(listing: Listing, rest: str) -> None:
    assert post(enter(listing), rest).status_code == 409


def test_the_pages_of_a_sitting_show_no_link_to_come_back_by(listing: Listing) -> None:
    entered = enter(listing)
    for rest in ("s/1/", "overview/", "instructions/", "withdraw/"):
        page = html(entered, rest)
        assert "personal-link" not in page
        assert listing.study.join_token not in page
        assert "data-own" not in page.split("<main")[0]
    assert get(entered, "next-part.ics")["Location"] == f"/a/{entered.key}/"


@pytest.mark.parametrize("rest", ["", "s/1/", "overview/", "instructions/", "next-part.ics"])
def test_a_closed_sitting_says_so_on_every_page(listing: Listing, rest: str) -> None:
    entered = enter(listing)
    visits.close(visit=entered.visit)

    answer = get(entered, rest)

    assert answer.status_code == 409
    assert "This session has ended" in answer.content.decode()


@pytest.mark.parametrize("rest", ["q/1/", "s/1/", "submit/", "instructions/", "more/", ""])
def test_a_closed_sitting_takes_nothing(listing: Listing, rest: str) -> None:
    entered = enter(listing)
    visits.close(visit=entered.visit)

    assert post(entered, rest).status_code == 409


def test_an_answer_on_its_way_to_a_sitting_that_is_closed_meanwhile_is_refused(
    listing: Listing,
) -> None:
    entered = enter(listing)
    stale = fresh(entered)
    visits.close(visit=entered.visit)

    with pytest.raises(AssignmentClosedError, match="This session has ended"):
        visits.submit(visit=stale)

    assert fresh(entered).run.assignment.state == Assignment.State.LAPSED


def test_the_key_of_a_sitting_is_no_code_to_come_back_by(listing: Listing) -> None:
    entered = enter(listing)
    address = f"/j/{listing.study.join_token}/return/"

    assert Client().post(address, {"code": entered.key[:12]}).status_code == 404


def test_a_sitting_costs_one_query_more_than_other_people_at_most(listing: Listing) -> None:
    entered, joined = enter(listing), join(listing.study)
    instructions.begin(annotator=joined.annotator)
    counts = []
    for key in (entered.key, joined.key):
        Client().get(f"/a/{key}/s/1/")
        with watched() as queries:
            assert Client().get(f"/a/{key}/s/1/").status_code == 200
        counts.append(len(queries.captured_queries))

    assert counts[0] <= counts[1] + 1


# -- how they end ---------------------------------------------------------------------------------


def test_withdrawing_empties_one_sitting_and_keeps_whom_to_pay(
    two: tuple[EnteredVisit, EnteredVisit],
) -> None:
    first, second = two
    answer(second)

    assert post(first, "withdraw/", confirm="1").status_code == 303

    one, other = fresh(first), fresh(second)
    assert one.run.assignment.state == Assignment.State.WITHDRAWN
    assert other.run.assignment.state == Assignment.State.ACTIVE
    assert other.run.assignment.judgments.current().count() == other.run.questions.count()
    assert not one.run.assignment.judgments.current().exists()
    assert one.person.platform_id == "W1"
    assert one.outcome == Outcome.COMPLETED
    assert "You" in html(first)
    assert "CODE-COMPLETED" in html(first)


def test_withdrawing_before_the_end_is_no_consent(listing: Listing) -> None:
    entered = enter(listing)

    post(entered, "withdraw/", confirm="1")

    assert fresh(entered).outcome == Outcome.NO_CONSENT
    assert "CODE-NO_CONSENT" in html(entered)


def test_a_person_who_is_withdrawn_by_the_desk_is_still_known_to_the_payer(
    listing: Listing,
) -> None:
    entered = enter(listing)

    withdrawal.withdraw(annotator=fresh(entered).run.assignment.annotator)

    assert fresh(entered).person.platform_id == "W1"
    assert fresh(entered).state == Visit.State.ENDED
    assert get(entered).status_code == 200


def test_another_launch_under_the_same_name_withdraws_nobody(framed: Listing) -> None:
    mine = enter(framed, "W1", "A1")
    answer(mine)
    # Somebody who knows the person's id, not the sitting's.
    with pytest.raises(launch_sittings.OpenElsewhereError):
        enter(framed, "W1", "FORGED")
    with pytest.raises(NothingLeftError):
        enter(framed, "W1", "FORGED", over=True)

    assert fresh(mine).state == Visit.State.WORKING
    assert fresh(mine).run.assignment.judgments.current().count() == 10


def test_what_was_answered_in_a_closed_sitting_is_not_shown_to_the_next(listing: Listing) -> None:
    mine = enter(listing, "W1", "A1")
    answer(mine)
    forged = enter(listing, "W1", "FORGED", over=True)

    assert fresh(forged).run.assignment_id != fresh(mine).run.assignment_id


def test_an_untouched_booklet_is_gone_on_with(framed: Listing) -> None:
    first = enter(framed, "W1", "A1")
    run = fresh(first).run
    second = enter(framed, "W1", "A2", over=True)

    assert fresh(second).run == run
    assert (fresh(first).state, fresh(first).run) == (Visit.State.CLOSED, None)
    assert fresh(second).run.assignment.state == Assignment.State.ACTIVE


def test_too_many_wrong_answers_about_the_instructions_end_it(listing: Listing) -> None:
    study = listing.study
    study.comprehension = {"prompt": "What?", "options": ["this", "that"], "right": 1}
    study.save()
    listing.options = {**listing.options, "comprehension_tries": 2}
    listing.save()
    entered = enter(listing)
    Annotator.objects.update(instructed_at=None)

    first = post(entered, "instructions/", answer="2")
    second = post(entered, "instructions/", answer="2")

    assert (first.status_code, second.status_code) == (400, 303)
    last_page = get(entered)
    assert "CODE-SCREENED_OUT" in last_page.content.decode()
    assert not last_page.context["is_about_person"]
    assert fresh(entered).run.assignment.state == Assignment.State.LAPSED
    assert post(entered, "instructions/", answer="1").status_code == 409
    with pytest.raises(AssignmentClosedError):
        visits.submit(visit=fresh(entered))


def test_whoever_was_screened_out_is_not_let_in_again(listing: Listing) -> None:
    visits.end(visit=enter(listing).visit, outcome=Outcome.SCREENED_OUT)

    again = enter(listing, "W1", "A2")

    assert again.visit.outcome == Outcome.NOTHING_LEFT


@pytest.mark.parametrize(
    ("wanted", "rating_given", "outcome"),
    [
        ("", "0", Outcome.COMPLETED),
        ("0.5", "6", Outcome.COMPLETED),
        ("0.5", "0", Outcome.FAILED_CHECKS),
        ("1", "6", Outcome.COMPLETED),
    ],
)
def test_checks_decide_between_two_outcomes(wanted: str, rating_given: str, outcome) -> None:
    study = make_checked_ratings(rated_pairs(["silent", "silent"]))
    listing = make_listing(study, options={"person": "p", "checks_wanted": wanted})
    entered = enter(listing, submission="")
    run = fresh(entered).run
    for question in run.questions.all():
        rating.rate(run.assignment, question, rating_given, run=run)

    visits.submit(visit=fresh(entered))

    assert fresh(entered).outcome == outcome
    assert fresh(entered).run.is_counted
    assert f"CODE-{outcome.upper()}" in html(entered)


def test_ending_twice_changes_nothing_and_a_closed_one_ends_no_more(listing: Listing) -> None:
    visit = enter(listing).visit
    visits.end(visit=visit, outcome=Outcome.SCREENED_OUT)
    visits.end(visit=visit, outcome=Outcome.NO_CONSENT)
    visit.refresh_from_db()
    assert visit.outcome == Outcome.SCREENED_OUT

    visits.close(visit=visit)
    with pytest.raises(AssignmentClosedError):
        visits.end(visit=visit, outcome=Outcome.NO_CONSENT)


def test_a_person_takes_as_many_booklets_as_the_study_allows(listing: Listing) -> None:
    listing.study.max_booklets = 1
    listing.study.save()
    finish(enter(listing, "W1", "A1"))

    assert enter(listing, "W1", "A2").visit.outcome == Outcome.NOTHING_LEFT
    assert enter(listing, "W2", "A3").visit.state == Visit.State.WORKING


# -- what counts ----------------------------------------------------------------------------------


def test_counting_waits_until_the_platform_shows_it(framed: Listing) -> None:
    visit = finish(enter(framed))
    assert visit.run.assignment.state == Assignment.State.SUBMITTED
    assert not visit.run.is_counted
    # The place is held meanwhile.
    assert enter(framed, "W2", "A2").visit.outcome == Outcome.NOTHING_LEFT

    visits.verify(visit=visit, at=timezone.now())
    visits.verify(visit=visit, at=timezone.now())

    visit.run.refresh_from_db()
    assert visit.run.is_counted
    assert enter(framed, "W3", "A3").visit.outcome == Outcome.NOTHING_LEFT


def test_a_signed_launch_counts_at_once(framed: Listing) -> None:
    assert finish(enter(framed, is_signed=True)).run.is_counted


@pytest.mark.slow
def test_an_unproven_sitting_without_an_answer_holds_its_place_for_a_while(
    monkeypatch, clock: Clock, settings
) -> None:
    crowds.use_framed(monkeypatch)
    framed = on_a_platform(make_open_study(dialogues=1, parameters=TINY))
    n_places = Place.objects.filter(booklet__design__study=framed.study).count()
    slow = enter(framed, "W0", "A0")
    begun = enter(framed, "W1", "A1")
    run = fresh(begun).run
    answer_one(run.assignment, run.questions.first())
    proven = enter(framed, "W2", "A2", is_signed=True)
    by_link = join(framed.study).assignment
    for n in range(4, n_places):
        enter(framed, f"W{n}", f"A{n}")
    assert enter(framed, "LATE", "A98").visit.outcome == Outcome.NOTHING_LEFT

    clock.move(minutes=settings.SILENT_LAUNCH_MINUTES, seconds=1)
    others = [enter(framed, f"X{n}", f"B{n}") for n in range(n_places - 1)]

    # One has begun, one is known, one came by no platform; the others have given theirs back.
    outcomes = [one.visit.outcome for one in others]
    assert outcomes == [""] * (n_places - 3) + ["nothing_left"] * 2
    by_link.refresh_from_db()
    assert by_link.state == "active"
    assert {fresh(one).run.assignment.state for one in (begun, proven)} == {"active"}
    assert finish(slow).outcome == Outcome.COMPLETED


def test_what_the_platform_never_shows_gives_its_place_back(framed: Listing) -> None:
    forged = finish(enter(framed, "FORGED", "A1"))

    visits.doubt(visit=forged, reason="The platform has never shown it.")
    honest = finish(enter(framed, "W2", "A2"))
    visits.verify(visit=honest, at=timezone.now())
    visits.verify(visit=forged, at=timezone.now())

    assert Visit.objects.get(pk=forged.pk).doubt
    honest.run.refresh_from_db()
    forged.run.refresh_from_db()
    assert honest.run.is_counted
    assert not forged.run.is_counted


def test_a_forged_hand_over_after_the_end_costs_the_holder_nothing(framed: Listing) -> None:
    sent = finish(enter(framed, "W1", "A1"))
    enter(framed, "FORGED", "A1")
    sent.refresh_from_db()
    assert sent.state == Visit.State.CLOSED

    visits.verify(visit=sent, at=timezone.now())

    sent.refresh_from_db()
    sent.run.refresh_from_db()
    assert sent.state == Visit.State.ENDED
    assert sent.run.is_counted
    assert Visit.objects.exclude(pk=sent.pk).get().state == Visit.State.CLOSED


def test_whoever_declines_after_a_forged_hand_over_keeps_what_was_sent(framed: Listing) -> None:
    sent = finish(enter(framed, "W1", "A1"))
    enter(framed, "FORGED", "A1")

    launches.decline(listing=framed, launch=Launch("W1", "A1", "HIT1"))

    visits.verify(visit=sent, at=timezone.now())
    sent.refresh_from_db()
    sent.run.refresh_from_db()
    assert (sent.state, sent.outcome) == (Visit.State.ENDED, Outcome.COMPLETED)
    assert sent.run.is_counted


@pytest.mark.parametrize("remote_state", [Visit.Remote.RETURNED, Visit.Remote.TIMED_OUT])
def test_what_is_over_on_the_platform_is_not_declined(framed: Listing, remote_state) -> None:
    sent = finish(enter(framed, "W1", "A1"))
    visits.close(visit=sent)
    Visit.objects.update(remote_state=remote_state)

    with pytest.raises(AssignmentClosedError):
        launches.decline(listing=framed, launch=Launch("W1", "A1", "HIT1"))

    sent.refresh_from_db()
    assert (sent.state, sent.outcome) == (Visit.State.CLOSED, Outcome.COMPLETED)


def test_after_a_withdrawal_only_a_shown_one_takes_the_count(framed: Listing) -> None:
    first = finish(enter(framed, "W1", "A1"))
    visits.doubt(visit=first, reason="Never shown.")
    second = finish(enter(framed, "W2", "A2"))
    visits.verify(visit=second, at=timezone.now())

    visits.withdraw(visit=second)

    first.run.refresh_from_db()
    assert not first.run.is_counted


# -- the next phase -------------------------------------------------------------------------------


@pytest.fixture
def twice(clock: Clock) -> tuple[Listing, Listing]:
    study = rating.make_rating_study(phases=rating.TWICE, pairs=2)
    return make_listing(study), make_listing(study, phase_number=2)


def rate_all(entered: EnteredVisit) -> Visit:
    run = fresh(entered).run
    for question in run.questions.all():
        rating.rate(run.assignment, question, "3", run=run)
    visits.submit(visit=fresh(entered))
    return fresh(entered)


def test_the_first_phase_ends_its_sitting(twice: tuple[Listing, Listing]) -> None:
    entered = enter(twice[0])
    visit = rate_all(entered)

    assert visit.run.assignment.state == Assignment.State.WAITING
    assert "CODE-COMPLETED" in html(entered)
    assert get(entered, "s/1/")["Location"] == f"/a/{entered.key}/"
    assert post(entered, "submit/").status_code == 409


def test_the_last_page_of_the_first_phase_says_when_the_next_one_opens(
    twice: tuple[Listing, Listing], clock: Clock
) -> None:
    first, second = twice
    entered = enter(first)
    visit = rate_all(entered)
    next_run = visit.run.assignment.runs.get(phase__number=2)

    card = html(entered).split("data-next-part>")[1].split("</dl>")[0]
    moments = re.findall(r'datetime="([^"]+)"', card)
    assert [datetime.fromisoformat(moment) for moment in moments] == [
        next_run.opens_at,
        next_run.closes_at,
    ]
    # What the study says in the end would send people away for good.
    assert first.study.thanks
    assert 'class="prose"' not in html(entered)

    clock.move(hours=72)
    later = enter(second, "W1", "B1")
    rate_all(later)
    for finished in (entered, later):
        assert "data-next-part" not in html(finished)
        assert 'class="prose"' in html(finished)


def test_the_last_page_names_no_part_that_the_person_cannot_answer(
    twice: tuple[Listing, Listing], clock: Clock
) -> None:
    entered = enter(twice[0])
    rate_all(entered)
    clock.move(days=20)

    assert "data-next-part" not in html(entered)


def test_the_second_opens_to_the_second_by_the_clock_of_the_server(
    twice: tuple[Listing, Listing], clock: Clock
) -> None:
    first, second = twice
    rate_all(enter(first, "W1", "A1"))
    address = f"/p/{second.token}/?participant=W1&session=B1"

    clock.move(hours=71, minutes=59, seconds=59)
    early = Client().get(address)
    assert "CODE-TOO_EARLY" in early.content.decode()
    assert "<time" in early.content.decode()
    assert "<form" not in early.content.decode()
    with pytest.raises(PhaseNotOpenError):
        enter(second, "W1", "B1")
    assert Visit.objects.count() == 1

    clock.move(seconds=1)
    assert "I agree" in Client().get(address).content.decode()
    entered = enter(second, "W1", "B1")
    assert fresh(entered).run.phase.number == 2
    assert "The next part is open" in html(entered)
    visit = rate_all(entered)
    assert visit.outcome == Outcome.COMPLETED
    assert visit.run.assignment.state == Assignment.State.SUBMITTED
    assert enter(second, "W1", "B2").visit.outcome == Outcome.NOTHING_LEFT


def test_only_those_who_completed_the_first_come_to_the_second(
    twice: tuple[Listing, Listing], clock: Clock
) -> None:
    first, second = twice
    enter(first, "W1", "A1")
    clock.move(hours=80)

    for person in ("W1", "W2"):
        page = Client().get(f"/p/{second.token}/?participant={person}&session=B").content.decode()
        assert "CODE-NOTHING_LEFT" in page
        assert "This part is for people who completed the" in page
    assert Visit.objects.count() == 1


def test_the_second_phase_is_over_when_it_was_not_begun_in_time(
    twice: tuple[Listing, Listing], clock: Clock
) -> None:
    first, second = twice
    rate_all(enter(first, "W1", "A1"))
    clock.move(days=20)

    page = Client().get(f"/p/{second.token}/?participant=W1&session=B1").content.decode()

    assert "CODE-NOTHING_LEFT" in page


def test_a_key_of_the_first_phase_opens_nothing_of_the_second(
    twice: tuple[Listing, Listing], clock: Clock
) -> None:
    first, second = twice
    one = enter(first, "W1", "A1")
    rate_all(one)
    clock.move(hours=72)
    two = enter(second, "W1", "B1")
    assert get(two, "s/1/").status_code == 200

    assert get(one, "s/1/").status_code == 303
    assert post(one, "s/1/").status_code == 409
    assert "CODE-COMPLETED" in html(one)


def test_what_an_unproven_sitting_answered_in_the_second_phase_does_not_stand(
    twice: tuple[Listing, Listing], clock: Clock
) -> None:
    first, second = twice
    rate_all(enter(first, "W1", "A1"))
    clock.move(hours=72)
    forged = enter(second, "W1", "FORGED")
    run = fresh(forged).run
    rating.rate(run.assignment, run.questions.first(), "6", run=run)

    # Nobody can tell which of them it is: those who run the study decide it.
    with pytest.raises(LaunchError):
        enter(second, "W1", "B1", over=True)
    decisions.forget_key(visit=forged.visit, by=second.study.owner)
    mine = enter(second, "W1", "B1", over=True)

    of_phase = {"question__block__phase": run.phase_id}
    assert fresh(mine).run == run
    assert fresh(forged).state == Visit.State.CLOSED
    assert not run.assignment.judgments.current().filter(**of_phase).exists()
    assert run.assignment.judgments.filter(**of_phase).count() == 1
    assert rate_all(mine).run.is_counted


def test_normal_people_are_counted_and_submit_as_ever(framed: Listing) -> None:
    joined = join(framed.study)
    for question in joined.assignment.booklet.questions.all():
        answer_one(joined.assignment, question)

    assignments.submit(assignment=joined.assignment)

    assert joined.assignment.runs.get().is_counted
