"""What an attacker tries: filling all places, guessing without end, reading logs and files."""

from typing import Any

import pytest
from django.test import Client, RequestFactory

from annotation.answering.services import assignments, giving_way, judgments, rosters, withdrawal
from annotation.basics import keys
from annotation.basics.errors import NothingLeftError, StateError, TooManyError
from annotation.core.pages.addresses import address_bucket
from annotation.core.services import throttle
from annotation.designs.services import designs
from annotation.kinds.design_parameters import BestWorstParameters
from annotation.models import Assignment, Draft, Job, Study
from annotation.people.services import exclusions
from annotation.studies.services import researchers, studies
from config.logs import masked
from tests.support.annotating import watched, writes
from tests.support.answering import answer_one, draft_one
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study, make_study, make_user

pytestmark = pytest.mark.django_db


def with_places(n: int) -> Study:
    """One booklet, so that each place is for one person."""
    return make_open_study(dialogues=1, parameters={"annotations_per_tuple": n})


def draft_first(assignment: Assignment, **said: Any) -> Draft:
    """Choose the best of the first question, and nothing else."""
    question = assignment.booklet.questions.order_by("pk")[0]
    return draft_one(assignment, question, best=judgments.members(question)[0], **said)


def test_a_stranger_who_is_silent_for_long_makes_room_for_whoever_comes(clock: Clock) -> None:
    study = with_places(3)
    working = join(study).assignment
    silent = [join(study).assignment for _ in range(2)]
    answer_one(working, working.booklet.questions.first())
    draft_first(silent[0])
    clock.move(minutes=29)
    # A draft is no answer: it takes one click, and renews nothing.
    draft_first(silent[0], sequence=2)
    with pytest.raises(NothingLeftError):
        join(study)
    clock.move(minutes=2)

    comes = join(study).assignment

    # Only as many as come, the one who came first before the others.
    assert comes.place == silent[0].place
    assert states(working, *silent) == ["active", "lapsed", "active"]
    join(study)
    assert states(working, *silent) == ["active", "lapsed", "lapsed"]
    with pytest.raises(NothingLeftError):
        join(study)


def test_who_reads_for_long_keeps_the_place_while_there_are_others(clock: Clock) -> None:
    study = with_places(2)
    reading = join(study).assignment
    clock.move(hours=1)

    join(study)

    assert states(reading) == ["active"]


def test_strangers_without_an_answer_keep_nobody_out_who_has_a_personal_link(
    clock: Clock,
) -> None:
    study = with_places(2)
    strangers = [join(study).assignment for _ in range(2)]
    made = rosters.add_roster(
        study=study, entries=[rosters.RosterEntry(f"s{n}") for n in range(3)]
    )
    consent = studies.current_consent(study)

    for one in made[:2]:
        assignments.start(annotator=one.annotator, consent=consent)

    assert states(*strangers) == ["lapsed", "lapsed"]
    # Known people give way to nobody.
    with pytest.raises(NothingLeftError):
        assignments.start(annotator=made[2].annotator, consent=consent)


def states(*held: Assignment) -> list[str]:
    return [Assignment.objects.get(pk=one.pk).state for one in held]


def test_those_who_wait_for_the_next_phase_are_not_silent(clock: Clock) -> None:
    study = with_places(2)
    waiting, silent = [join(study).assignment for _ in range(2)]
    Assignment.objects.filter(pk=waiting.pk).update(state=Assignment.State.WAITING)
    clock.move(minutes=31)

    join(study)

    assert states(waiting, silent) == ["waiting", "lapsed"]


@pytest.mark.slow
@pytest.mark.parametrize("places", [4, 22])
def test_drafts_hold_no_place_however_often_they_are_renewed(clock: Clock, places: int) -> None:
    study = with_places(places)
    flood = [join(study).assignment for _ in range(places)]
    for sequence in (1, 2):
        clock.move(minutes=20)
        for assignment in flood:
            draft_first(assignment, sequence=sequence)

    for _ in range(places):
        join(study)

    assert set(states(*flood)) == {"lapsed"}


def test_who_began_with_a_draft_goes_on_with_it_after_losing_the_place(clock: Clock) -> None:
    study = with_places(4)
    honest, *_others = [join(study).assignment for _ in range(4)]
    kept = draft_first(honest, comment="not sure yet")
    clock.move(minutes=31)
    newcomer = join(study).assignment
    honest.refresh_from_db()
    assert honest.state == Assignment.State.LAPSED

    withdrawal.withdraw(annotator=newcomer.annotator)
    assert Draft.objects.get().payload == kept.payload
    answer_one(honest, honest.booklet.questions.order_by("pk")[1])

    honest.refresh_from_db()
    assert (honest.state, honest.is_surplus) == (Assignment.State.ACTIVE, False)
    assert Draft.objects.get().payload == kept.payload


def test_whether_there_is_room_is_what_the_claim_would_say_and_writes_nothing(
    clock: Clock,
) -> None:
    study = with_places(2)
    seen = [giving_way.has_room(study)]
    for _ in range(2):
        join(study)
    seen.append(giving_way.has_room(study))
    clock.move(minutes=31)
    with watched() as queries:
        seen.append(giving_way.has_room(study))

    assert seen == [True, False, True]
    assert writes(queries) == []
    answering = [join(study).assignment for _ in range(2)]
    for assignment in answering:
        answer_one(assignment, assignment.booklet.questions.first())
    clock.move(minutes=study.idle_minutes - 1)
    seen = [giving_way.has_room(study)]
    clock.move(minutes=2)

    assert [*seen, giving_way.has_room(study)] == [False, True]
    join(study)


def test_passwords_cannot_be_tried_without_end(client: Client, settings) -> None:
    settings.LOGIN_TRIES_PER_ADDRESS = 3
    make_user("ada", password="right")

    def log_in(password: str):
        return client.post("/admin/login/", {"username": "ada", "password": password})

    wrong = [log_in("wrong").status_code for _ in range(4)]

    assert wrong == [200, 200, 200, 429]
    refused = log_in("right")
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 600


def test_a_class_comes_back_by_code_from_one_address(client: Client, settings) -> None:
    settings.CODE_TRIES_PER_ADDRESS = 2
    study = make_open_study(parameters={"annotations_per_tuple": 20})
    codes = [keys.code_of(join(study).key) for _ in range(6)]
    address = f"/j/{study.join_token}/return/"

    statuses = [client.post(address, {"code": code}).status_code for code in codes]

    assert set(statuses) == {303}
    wrong = [client.post(address, {"code": "0000-0000-0000"}).status_code for _ in range(3)]
    assert wrong == [404, 404, 429]


def test_wrong_codes_lock_nobody_out_who_has_a_right_one(settings) -> None:
    settings.CODE_TRIES_PER_ADDRESS = 2
    settings.CODE_TRIES_PER_STUDY = 3
    study = with_places(3)
    code = keys.code_of(join(study).key)

    def try_code(code: str, address: str) -> int:
        client = Client(REMOTE_ADDR=address)
        return client.post(f"/j/{study.join_token}/return/", {"code": code}).status_code

    wrong = [try_code("0000-0000-0000", f"203.0.113.{n // 2}") for n in range(8)]

    assert wrong == [404, 404, 404, 429, 429, 429, 429, 429]
    assert try_code(code, "198.51.100.1") == 303
    assert try_code(code, "203.0.113.0") == 303
    assert try_code("0000-0000-0000", "198.51.100.1") == 429


def test_tries_are_counted_per_window(time_machine) -> None:
    time_machine.move_to("2026-11-20T12:00:00Z", tick=False)
    for _ in range(2):
        throttle.count_try(bucket="b", limit=2, minutes=10)
    with pytest.raises(TooManyError, match="wait 10 minutes"):
        throttle.count_try(bucket="b", limit=2, minutes=10)

    time_machine.move_to("2026-11-20T12:10:00Z", tick=False)

    throttle.count_try(bucket="b", limit=2, minutes=10)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("::ffff:1.2.3.4", "::ffff:5.6.7.8", False),
        ("::ffff:1.2.3.4", "1.2.3.4", True),
        ("1.2.3.4:5000", "1.2.3.4:6000", True),
        ("[2001:db8::1]:5000", "2001:db8::2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", True),
        ("2001:db8:0:1::1", "2001:db8:0:101::1", False),
        ("1.2.3.4", "1.2.3.5", False),
    ],
)
def test_an_address_is_one_however_it_is_written(one: str, other: str, same: bool) -> None:
    buckets = {
        address_bucket(RequestFactory().get("/", REMOTE_ADDR=address)) for address in (one, other)
    }

    assert (len(buckets) == 1) is same


@pytest.mark.parametrize("around", ["/a/{}/", "/a/%20{}/", "/a/ {}", "/a//{}/", "/A/{}", "<{}>"])
def test_no_log_shows_a_key_not_even_of_a_damaged_link(around: str) -> None:
    key = keys.new_key(study_id=1, nonce="n")

    line = masked(f"Not Found: {around.format(key)}")

    assert key not in line
    assert key[13:] not in line


def test_a_signed_launch_is_masked_and_the_rest_of_its_address_is_not() -> None:
    line = "GET /p/abc/?PROLIFIC_PID=p1&prolific_token=eyJh.eyJz.c2ln-_&STUDY_ID=s1 HTTP/1.1"

    assert masked(line) == "GET /p/abc/?PROLIFIC_PID=p1&prolific_token=…&STUDY_ID=s1 HTTP/1.1"


def test_part_of_a_key_is_masked_in_a_path() -> None:
    assert masked("GET /a/E6N8HZ6S877K/s/1/ HTTP/1.1") == "GET /a/…/s/1/ HTTP/1.1"
    assert masked("GET /a/E6N8HZ6S877K%2Dabc~d/s/1/ HTTP/1.1") == "GET /a/…/s/1/ HTTP/1.1"
    assert masked("GET /a/E6N8HZ%2Dabc/s/1/ HTTP/1.1") == "GET /a/…/s/1/ HTTP/1.1"
    assert masked("GET /admin/annotation/study/12/") == "GET /admin/annotation/study/12/"


def test_the_seed_cannot_be_changed_while_the_design_is_being_made() -> None:
    study = make_study()
    Job.objects.create(study=study, kind=Job.Kind.MAKE_DESIGN, state=Job.State.RUNNING)

    with pytest.raises(StateError, match="The design is being made"):
        designs.set_parameters(
            study=study, parameters=BestWorstParameters.of(study.design), seed=99
        )


def test_a_design_is_not_stored_under_a_seed_that_did_not_make_it() -> None:
    study = make_study()
    design = study.design

    def change_the_seed(share: float, message: object) -> None:
        type(design).objects.filter(pk=design.pk).update(seed=99)

    with pytest.raises(StateError, match="changed in the meantime"):
        designs.make(design=design, progress=change_the_seed)

    assert not study.design.is_made


def test_a_draft_can_be_deleted_also_when_somebody_was_excluded() -> None:
    study = make_study()
    [made] = rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1")])
    exclusions.exclude(annotator=made.annotator, reason="Left the course.", by=study.owner)

    researchers.delete_draft(study=study)

    assert not rosters.Person.objects.exists()


def test_the_secret_key_is_readable_by_its_owner_alone(tmp_path) -> None:
    from config.environment import secret_key

    folder = tmp_path / "new"
    first = secret_key(folder)

    assert secret_key(folder) == first
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "secret_key").stat().st_mode & 0o077 == 0
    assert len(first) >= 48
