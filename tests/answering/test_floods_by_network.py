"""What a stranger can do to a study from one network in ten minutes, and what others can then."""

from collections import Counter
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from annotation.answering.services import join_limits, open_places, visits, withdrawal
from annotation.models import (
    Annotator,
    Arrival,
    Assignment,
    Listing,
    Person,
    PhaseRun,
    Place,
    Study,
    Visit,
)
from annotation.models.kinds import CrowdPlatform, Outcome
from tests.support import crowds
from tests.support.annotating import read
from tests.support.answering import answer_one
from tests.support.clock import Clock
from tests.support.crowds import make_listing
from tests.support.factories import make_open_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

STRANGER, CLASSROOM = "203.0.113.66", "198.51.100.1"


def with_places(n: int) -> Study:
    """One booklet of two screens, so that each place is for one person."""
    parameters = {"annotations_per_tuple": n, "factor": 1.0, "questions_per_screen": 3}
    return make_open_study(dialogues=1, parameters=parameters)


def with_booklets() -> Study:
    """Five booklets of one screen with eight places each, so that one person can take several."""
    parameters = {
        "annotations_per_tuple": 8,
        "factor": 1.0,
        "questions_per_screen": 2,
        "screens_per_booklet": 1,
    }
    return make_open_study(dialogues=2, parameters=parameters)


class Joiner:
    """Whoever sends forms from one address, as fast as they can."""

    def __init__(self, study: Study, address: str) -> None:
        self.study, self.client = study, Client(REMOTE_ADDR=address)
        self.url = f"/j/{study.join_token}/"

    def join(self, **typed: str) -> str:
        """The address of one's own page; empty where nobody was let in."""
        forms = read(self.client.get(self.url)).forms
        form = {**forms.get(self.url, {}), "agree": "1", **typed}
        response = self.client.post(self.url, form)
        return response["Location"] if response.status_code == 303 else ""

    def answer_everything(self, own: str) -> None:
        """Click at random through the booklet, and send it."""
        self.client.post(f"{own}instructions/", {"go": "on"})
        screen = 1
        while (page := self.client.get(f"{own}s/{screen}/")).status_code == 200:
            found = read(page)
            data = found.forms[f"{own}s/{screen}/"]
            for name, options in found.options.items():
                data[name] = options[0 if name.endswith("-best") else 1]
            self.client.post(f"{own}s/{screen}/", {**data, "go": "next"})
            screen += 1
        self.client.post(f"{own}submit/")


def bound(study: Study) -> int:
    return Assignment.objects.holding().filter(annotator__study=study).count()


def test_in_ten_minutes_one_address_binds_a_tenth_of_the_places(clock: Clock) -> None:
    study = with_places(40)
    stranger = Joiner(study, STRANGER)

    came = []
    for n in range(20):
        if own := stranger.join(invitation=f"WRONG{n:03}"):
            came.append(own)
            if n % 2:
                stranger.answer_everything(own)
        clock.move(seconds=29)

    assert len(came) == bound(study) == 4


def test_one_booklet_after_another_takes_no_more_places_than_joining(clock: Clock) -> None:
    study = with_booklets()
    n_places = Place.objects.filter(booklet__design=study.design).count()
    n_booklets = study.design.booklets.count()
    assert (n_places, n_booklets) == (40, 5)
    stranger = Joiner(study, STRANGER)
    share = join_limits.limit_of(study)

    # Three join, and go on with further booklets as fast as a person might.
    came = [stranger.join() for _ in range(3)]
    answers = []
    for _ in range(n_booklets):
        for own in came:
            stranger.answer_everything(own)
            clock.move(seconds=20)
            answers.append(stranger.client.post(f"{own}more/").status_code)

    assert bound(study) == share < n_places // 5
    assert answers.count(303) == share - 3
    assert answers[-1] == 429
    # Whoever has the code is not counted, and everybody may go on after an hour.
    invited = Joiner(study, STRANGER)
    own = invited.join(invitation=join_limits.code_shown(study))
    invited.answer_everything(own)
    assert invited.client.post(f"{own}more/").status_code == 303
    clock.move(hours=1)
    stranger.answer_everything(came[0])
    assert stranger.client.post(f"{came[0]}more/").status_code == 303


def test_at_human_pace_one_address_binds_a_third_of_the_places_in_a_day(clock: Clock) -> None:
    study = with_places(30)
    stranger = Joiner(study, STRANGER)
    silent = [stranger.join() for _ in range(3)]
    clock.move(hours=1)
    # Who left without an answer binds nothing any more.
    Assignment.objects.update(state=Assignment.State.LAPSED)

    came = []
    for _hour in range(8):
        for _each in range(3):
            if own := stranger.join(invitation="WRONG"):
                came.append(own)
                stranger.answer_everything(own)
        clock.move(hours=1)

    assert all(silent)
    assert len(came) == bound(study) == 10
    page = stranger.client.get(stranger.url)
    refused = stranger.client.post(stranger.url, {**read(page).forms[stranger.url], "agree": "1"})
    assert refused.status_code == 429
    assert refused.context["asks_invitation"]
    assert 3600 < int(refused["Retry-After"]) <= 24 * 3600
    # The code mends it, for others behind the same address; and so does the next day.
    assert stranger.join(invitation=join_limits.code_shown(study))
    assert Joiner(study, CLASSROOM).join()
    clock.move(hours=17)
    assert stranger.join()


def test_a_small_group_at_one_address_fills_a_small_study_in_a_day(clock: Clock) -> None:
    study = with_places(9)
    lab = Joiner(study, CLASSROOM)

    for _hour in range(3):
        for own in [lab.join() for _each in range(3)]:
            lab.answer_everything(own)
        clock.move(hours=1, minutes=1)

    assert bound(study) == 9


def test_neither_other_studies_nor_other_networks_use_up_what_is_left(clock: Clock) -> None:
    study, other = with_places(40), with_places(40)
    for elsewhere in (Joiner(other, STRANGER), Joiner(study, CLASSROOM)):
        assert sum(bool(elsewhere.join()) for _ in range(6)) == 4
    stranger = Joiner(study, STRANGER)

    assert sum(bool(stranger.join()) for _ in range(6)) == 4


def test_nobody_cancels_what_was_announced_for_another_study(clock: Clock) -> None:
    study, other = with_places(4), with_places(4)
    announced = join_limits.announce(
        study=other, n_people=9, starts_at=clock.time, hours=1, by=other.owner
    )

    refused = signed_in(study.owner).post(url(study, "cancel_announcement", announced.pk))

    assert refused.status_code == 404
    assert other.announcements.get() == announced


@pytest.mark.parametrize("way", ["announced", "code"])
def test_a_whole_class_gets_in_beside_a_flood(clock: Clock, way: str) -> None:
    study = with_places(40)
    client = signed_in(study.owner)
    if way == "announced":
        announced = {"n_people": "30", "starts_at": f"{clock.time:%Y-%m-%dT%H:%M}", "hours": "1"}
        assert client.post(url(study, "announce"), announced).status_code == 302
    stranger, classroom = Joiner(study, STRANGER), Joiner(study, CLASSROOM)
    code = {"invitation": join_limits.code_shown(study)}
    if way == "announced":
        # By the link that the page shows for this class.
        (shown,) = client.get(url(study, "collect")).context["announcements"]
        code = {"invitation": shown[1].partition("?invitation=")[2]}
    assert join_limits.code_shown(study) in text(client.get(url(study, "collect")))

    # The stranger comes first, and again between two of them.
    counts: Counter[str] = Counter()
    for _ in range(30):
        counts["stranger"] += bool(stranger.join())
        counts["class"] += bool(classroom.join(**code))

    assert counts == {"stranger": 4, "class": 30}


def test_no_fingerprint_of_an_address_is_kept_longer_than_a_day(clock: Clock) -> None:
    study = with_places(40)
    for address in (STRANGER, CLASSROOM):
        for _ in range(2):
            Joiner(study, address).join()
    gone = Annotator.objects.latest("pk")
    before = {one.assignment.annotator_id: one.group for one in Arrival.objects.all()}
    withdrawal.withdraw(annotator=gone)
    clock.move(hours=2)
    join_limits.forget_networks()
    forgotten = Arrival.objects.get(assignment__annotator=gone)
    assert (forgotten.network, forgotten.group) == ("", "")

    clock.move(hours=21)
    assert Joiner(study, STRANGER).join()
    clock.move(hours=2)
    join_limits.forget_networks()
    after = {one.assignment.annotator_id: one for one in Arrival.objects.all()}

    # Only of the last one, who came two hours ago.
    first, second, third, _gone, last = sorted(after)
    assert [pk for pk, one in after.items() if one.network] == [last]
    # Who came together is still known, also with whoever came a day later.
    assert after[first].group == after[second].group == after[last].group == before[first]
    assert after[third].group == before[third] != before[first]


class Member:
    """Whoever comes by a panel's address from one network, under ids of their own choice."""

    def __init__(self, listing: Listing, address: str) -> None:
        self.client = Client(REMOTE_ADDR=address)
        self.url = f"/p/{listing.token}/"

    def agree(self, person: str, **typed: str) -> HttpResponse:
        page = self.client.get(self.url, {"participant": person, "session": f"of-{person}"})
        form = {**read(page).forms[self.url], "do": "agree", **typed}
        return self.client.post(self.url, form)

    def gets_in(self, person: str, **typed: str) -> bool:
        return self.agree(person, **typed).status_code == 303


def test_invented_ids_of_a_panel_bind_a_tenth_of_the_places(clock: Clock) -> None:
    study = with_places(40)
    listing = make_listing(study, n_places=40)
    stranger = Member(listing, STRANGER)

    came = [stranger.gets_in(f"m{n}", invitation=f"WRONG{n:03}") for n in range(20)]

    assert sum(came) == bound(study) == 4
    refused = stranger.agree("m20")
    assert refused.status_code == 429
    assert refused.context["asks_invitation"]
    assert not Person.objects.filter(platform_id="m20").exists()
    # Members elsewhere come in, and behind the same address whoever has the code.
    assert Member(listing, CLASSROOM).gets_in("m21")
    assert stranger.gets_in("m22", invitation=join_limits.code_shown(study))
    assert Arrival.objects.filter(has_code=True).count() == 1
    # Who is in goes on, and is not counted again.
    assert stranger.client.get(stranger.url, {"participant": "m1", "session": "of-m1"}).content
    clock.move(hours=1)
    assert stranger.gets_in("m23")


def test_a_laboratory_gets_a_panels_address_with_the_code_in_it() -> None:
    study = with_places(40)
    listing = make_listing(study, n_places=40)
    code = join_limits.code_shown(study)

    def came(n: int) -> int:
        client, url = Client(REMOTE_ADDR=CLASSROOM), f"/p/{listing.token}/"
        page = client.get(url, {"participant": f"m{n}", "session": f"s{n}", "invitation": code})
        return client.post(url, {**read(page).forms[url], "do": "agree"}).status_code

    assert [came(n) for n in range(12)] == [303] * 12


def test_one_member_takes_no_more_booklets_than_a_network_may(clock: Clock) -> None:
    study = with_booklets()
    listing = make_listing(study, n_places=80)
    member = Joiner(study, STRANGER)
    member.url = f"/p/{listing.token}/"

    statuses = []
    for sitting in range(join_limits.limit_of(study) + 2):
        page = member.client.get(member.url, {"participant": "m1", "session": f"s{sitting}"})
        response = member.client.post(member.url, {**read(page).forms[member.url], "do": "agree"})
        statuses.append(response.status_code)
        if response.status_code == 303:
            member.answer_everything(response["Location"])
        clock.move(seconds=20)

    assert statuses == [303] * join_limits.limit_of(study) + [429] * 2
    assert bound(study) == join_limits.limit_of(study)


def answer_one_screen(client: Client, own: str) -> None:
    client.post(f"{own}instructions/", {"go": "on"})
    found = read(client.get(f"{own}s/1/"))
    data = found.forms[f"{own}s/1/"]
    for name, options in found.options.items():
        data[name] = options[0 if name.endswith("-best") else 1]
    client.post(f"{own}s/1/", {**data, "go": "next"})


def test_known_ids_of_a_panel_take_no_more_places_than_invented_ones(clock: Clock) -> None:
    study = with_booklets()
    share = join_limits.limit_of(study)
    listing = make_listing(study, n_places=80)
    for n in range(6):
        member = Member(listing, f"198.51.100.{n + 1}")
        answer_one_screen(member.client, member.agree(f"m{n}")["Location"])
    before = bound(study)
    stranger = Member(listing, STRANGER)

    for n in range(6):
        for sitting in range(4):
            query = {"participant": f"m{n}", "session": f"forged{n}-{sitting}"}
            page = stranger.client.get(stranger.url, query)
            form = {**read(page).forms[stranger.url], "do": "take over"}
            response = stranger.client.post(stranger.url, form)
            if response.status_code == 303:
                answer_one_screen(stranger.client, response["Location"])
            clock.move(seconds=10)

    assert before == 6
    assert bound(study) - before <= share


def test_one_person_takes_no_more_booklets_in_a_day_than_a_network_may(clock: Clock) -> None:
    study = with_booklets()
    n_places = Place.objects.filter(booklet__design=study.design).count()
    share = join_limits.limit_of(study)
    stranger = Joiner(study, STRANGER)
    came = [stranger.join() for _ in range(share)]

    for _hour in range(5):
        for own in came:
            stranger.answer_everything(own)
            stranger.client.post(f"{own}more/")
        clock.move(hours=1)

    assert share < bound(study) == join_limits.limit_in_a_day(study) < n_places / 2
    refused = stranger.client.post(f"{came[0]}more/")
    assert refused.status_code == 429
    assert 3600 < int(refused["Retry-After"]) <= 24 * 3600
    # The code mends it at once, and so does the next day.
    assert stranger.join(invitation=join_limits.code_shown(study))
    clock.move(hours=24)
    assert stranger.join()


@pytest.mark.parametrize("way", ["link", "panel"])
def test_begun_one_after_the_other_and_gone_on_with_at_once_they_bind_a_tenth(
    way: str, clock: Clock
) -> None:
    study = with_places(30)
    listing = make_listing(study, n_places=30)
    stranger, member = Joiner(study, STRANGER), Member(listing, STRANGER)
    keys = []
    for hour in range(4):
        for n in range(3):
            if way == "link":
                keys.append(stranger.join())
            else:
                response = member.agree(f"m{hour}-{n}")
                keys.append(response.get("Location", ""))
        clock.move(hours=4)
        # Whoever has answered nothing for so long has given the place back.
        open_places.expire_overdue(study, clock.time)
        Assignment.objects.update(state=Assignment.State.LAPSED)
        join_limits.forget_networks()
    assert bound(study) == 0

    for own in filter(None, keys):
        stranger.answer_everything(own)

    # More than may come in a day, since each gave the place back.
    assert len([*filter(None, keys)]) == 12 > join_limits.limit_in_a_day(study)
    counted = PhaseRun.objects.filter(is_counted=True).count()
    assert max(bound(study), counted) == join_limits.limit_of(study) == 3
    # The others finish all the same, and count for nothing yet.
    assert Assignment.objects.filter(is_surplus=True).exists()
    assert Joiner(study, CLASSROOM).join()


def test_on_a_paid_platform_the_network_with_most_forgeries_gives_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    crowds.use_framed(monkeypatch)
    study = with_places(40)
    listing = make_listing(study, platform=CrowdPlatform.MTURK, environment="sandbox")
    crowds.make_ticket(listing)

    def launch(address: str, worker: str) -> HttpResponse:
        client, url_ = Client(REMOTE_ADDR=address), f"/p/{listing.token}/"
        page = client.get(url_, {"worker": worker, "sitting": f"S{worker}", "hit": "HIT1"})
        return client.post(url_, {**read(page).forms[url_], "do": "agree"})

    for n in range(12):
        answer_one_screen(Client(REMOTE_ADDR=STRANGER), launch(STRANGER, f"W{n}")["Location"])
    for n in range(4):
        own = launch(f"198.51.100.{n}", f"H{n}")["Location"]
        answer_one_screen(Client(REMOTE_ADDR=f"198.51.100.{n}"), own)

    assert {one.annotator.person.platform_id for one in Assignment.objects.holding()} == {
        *(f"W{n}" for n in range(4, 12)),
        *(f"H{n}" for n in range(4)),
    }


def test_refusing_again_and_again_keeps_nobody_elsewhere_out(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.JOINS_PER_TICKET_PLACE_PER_HOUR = 1
    crowds.use_framed(monkeypatch)
    listing = make_listing(with_places(40), platform=CrowdPlatform.MTURK, environment="sandbox")
    crowds.make_ticket(listing, n_places=3)

    def send(address: str, worker: str, do: str) -> int:
        client, url_ = Client(REMOTE_ADDR=address), f"/p/{listing.token}/"
        page = client.get(url_, {"worker": worker, "sitting": f"S{worker}", "hit": "HIT1"})
        return client.post(url_, {**read(page).forms[url_], "do": do}).status_code

    assert [send(STRANGER, f"W{n}", "decline") for n in range(4)] == [303, 303, 303, 429]
    assert send(CLASSROOM, "H1", "agree") == 303


def test_a_sitting_of_a_panel_is_not_closed_by_its_id_alone() -> None:
    study = with_places(40)
    listing = make_listing(study, n_places=40)
    victim, stranger = Member(listing, CLASSROOM), Member(listing, STRANGER)
    own = victim.agree("m1")["Location"]
    answer_one_screen(victim.client, own)

    page = stranger.client.get(stranger.url, {"participant": "eve", "session": "of-m1"})
    form = {**read(page).forms[stranger.url], "do": "agree"}

    assert stranger.client.post(stranger.url, form).status_code == 400
    assert victim.client.get(f"{own}s/1/").status_code == 200
    assert Visit.objects.get(submission_id="of-m1").state == Visit.State.WORKING


@pytest.mark.parametrize("sends", [False, True], ids=["answers a screen", "sends everything"])
def test_forgeries_on_a_paid_platform_take_no_study_from_people_elsewhere(
    sends: bool, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    crowds.use_framed(monkeypatch)
    study = with_places(12)
    listing = make_listing(study, platform=CrowdPlatform.MTURK, environment="sandbox", n_places=12)
    crowds.make_ticket(listing, n_places=9)
    crowds.make_ticket(listing, "HIT2", n_places=3)

    def launch(address: str, worker: str, hit: str) -> str:
        client, url_ = Client(REMOTE_ADDR=address), f"/p/{listing.token}/"
        page = client.get(url_, {"worker": worker, "sitting": f"S{worker}", "hit": hit})
        return client.post(url_, {**read(page).forms[url_], "do": "agree"})["Location"]

    forger = Joiner(study, STRANGER)
    for n in range(12):
        own = launch(STRANGER, f"W{n}", "HIT1" if n < 9 else "HIT2")
        if sends:
            forger.answer_everything(own)
        else:
            answer_one_screen(forger.client, own)
        clock.move(minutes=1)
    assert bound(study) == 12

    # For one more of the same network nobody gives way.
    crowds.make_ticket(listing, "HIT3", n_places=9)
    launch(STRANGER, "W99", "HIT3")
    assert Visit.objects.get(submission_id="SW99").outcome == Outcome.NOTHING_LEFT
    assert not Assignment.objects.exclude(pk__in=Assignment.objects.holding()).exists()

    honest = launch(CLASSROOM, "H1", "HIT2")
    newcomer = Joiner(study, "198.51.100.9").join()

    assert Client(REMOTE_ADDR=CLASSROOM).get(honest).status_code == 303
    assert newcomer
    assert bound(study) == 12
    assert Assignment.objects.holding().filter(annotator__person__platform_id="H1").exists()


@pytest.mark.parametrize("n_tasks", [1, 2], ids=["one task", "a study that is full"])
def test_forgeries_from_several_networks_keep_nobody_out(
    n_tasks: int, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    crowds.use_framed(monkeypatch)
    study = with_places(30 if n_tasks == 1 else 12)
    listing = make_listing(study, platform=CrowdPlatform.MTURK, environment="sandbox", n_places=99)
    for n in range(n_tasks):
        crowds.make_ticket(listing, f"HIT{n}", n_places=9)
    url_ = f"/p/{listing.token}/"

    def launch(address: str, worker: str, hit: str = "HIT0") -> HttpResponse:
        client = Client(REMOTE_ADDR=address)
        page = client.get(url_, {"worker": worker, "sitting": f"S{worker}", "hit": hit})
        clock.move(seconds=30)
        return client.post(url_, {**read(page).forms[url_], "do": "agree"})

    def holders() -> set[str]:
        holding = Assignment.objects.holding()
        return set(holding.values_list("annotator__person__platform_id", flat=True))

    def answer(worker: str, n: int) -> None:
        for assignment in Assignment.objects.filter(annotator__person__platform_id=worker):
            for question in assignment.booklet.questions.order_by("pk")[:n]:
                answer_one(assignment, question)

    for n in range(12):
        launch(f"203.0.{n % 4}.1", f"W{n}", f"HIT{n % n_tasks}")
        answer(f"W{n}", 1)
    assert len(holders()) == 12
    # Of the same networks nobody more gets a place.
    launch("203.0.1.1", "AGAIN")
    assert "AGAIN" not in holders()

    launch(CLASSROOM, "H1")
    assert "H1" in holders()
    answer("H1", 2)
    # Whoever has more answers than the forgeries is not put out by the next of them.
    for n in range(6):
        launch(f"203.0.113.{n}", f"X{n}")
        answer(f"X{n}", 1)
        assert {"H1", f"X{n}"} <= holders()
        assert len(holders()) == 12


def test_a_fresh_sitting_of_a_panel_that_is_gone_on_with_counts_for_who_does() -> None:
    study = with_places(40)
    listing = make_listing(study, n_places=40, options={"person": "participant"})
    url_ = f"/p/{listing.token}/"

    def agree(address: str, person: str) -> HttpResponse:
        client = Client(REMOTE_ADDR=address)
        page = client.get(url_, {"participant": person})
        return client.post(url_, {**read(page).forms[url_], "do": "agree"})

    for n in range(10):
        assert agree(f"198.51.100.{n}", f"m{n}").status_code == 303

    stolen = [agree(STRANGER, f"m{n}").status_code for n in range(10)]

    assert stolen == [303] * 4 + [429] * 6
    theirs = Arrival.objects.filter(assignment__annotator__study=study).values_list("group")
    assert sorted(Counter(theirs).values()) == [1] * 6 + [4]


@pytest.mark.parametrize("is_held", [True, False], ids=["held for review", "sent"])
def test_a_forged_sitting_keeps_nobody_out_whose_name_it_used(
    is_held: bool, monkeypatch: pytest.MonkeyPatch, settings: Any, clock: Clock
) -> None:
    crowds.use_framed(monkeypatch)
    settings.SCREEN_SECONDS = 5 if is_held else 0
    study = make_open_study(dialogues=8, parameters={"annotations_per_tuple": 3})
    Study.objects.update(max_booklets=1)
    listing = make_listing(study, platform=CrowdPlatform.MTURK, environment="sandbox")
    crowds.make_ticket(listing)
    url_ = f"/p/{listing.token}/"

    def launch(address: str, sitting: str) -> HttpResponse:
        client = Client(REMOTE_ADDR=address)
        page = client.get(url_, {"worker": "W1", "sitting": sitting, "hit": "HIT1"})
        return client.post(url_, {**read(page).forms[url_], "do": "agree"})

    def state(sitting: str) -> str:
        return Visit.objects.get(submission_id=sitting).state

    Joiner(study, STRANGER).answer_everything(launch(STRANGER, "FORGED")["Location"])
    assert PhaseRun.objects.get().is_held == is_held
    # Whoever comes once more from where it was sent has done everything.
    launch(STRANGER, "AGAIN")
    assert state("AGAIN") == Visit.State.ENDED

    launch(CLASSROOM, "REAL")

    assert state("REAL") == Visit.State.WORKING


@pytest.mark.parametrize("comes_by", ["unsigned", "signed"])
@pytest.mark.parametrize("is_sent", [True, False], ids=["sent", "at work"])
def test_a_forged_sitting_uses_up_no_booklet(
    is_sent: bool, comes_by: str, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """Of a study of one booklet; the answers of one person to it count once."""
    crowds.use_framed(monkeypatch)
    settings.SCREEN_SECONDS = 0
    study = with_places(6)
    Study.objects.update(max_booklets=1)
    listing = make_listing(study, platform=CrowdPlatform.MTURK, environment="sandbox")
    crowds.make_ticket(listing)
    url_ = f"/p/{listing.token}/"

    def launch(address: str, sitting: str, signed: str = "") -> str:
        client = Client(REMOTE_ADDR=address)
        query = {"worker": "W1", "sitting": sitting, "hit": "HIT1", "signed": signed}
        page = client.get(url_, query)
        form = {**read(page).forms[url_], "do": "agree"}
        response = client.post(url_, form)
        if response.status_code == 409:
            response = client.post(url_, {**form, "do": "take over"})
        return response["Location"]

    def sitting(name: str) -> Visit:
        return Visit.objects.get(submission_id=name)

    forged = launch(STRANGER, "FORGED")
    if is_sent:
        Joiner(study, STRANGER).answer_everything(forged)
    else:
        answer_one_screen(Client(REMOTE_ADDR=STRANGER), forged)

    real = launch(CLASSROOM, "REAL", "yes" if comes_by == "signed" else "")
    assert sitting("REAL").state == Visit.State.WORKING
    assert sitting("FORGED").run != sitting("REAL").run
    Joiner(study, CLASSROOM).answer_everything(real)
    visits.verify(visit=sitting("REAL"), at=timezone.now())
    visits.verify(visit=sitting("FORGED"), at=timezone.now())

    counted = PhaseRun.objects.filter(is_counted=True)
    assert [run.visits.get().submission_id for run in counted] == ["REAL"]


def test_who_came_first_counts_although_a_forged_sitting_came_later(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    crowds.use_framed(monkeypatch)
    settings.SCREEN_SECONDS = 0
    study = with_places(6)
    listing = make_listing(study, platform=CrowdPlatform.MTURK, environment="sandbox")
    crowds.make_ticket(listing)
    url_ = f"/p/{listing.token}/"
    for address, sitting in ((CLASSROOM, "REAL"), (STRANGER, "FORGED")):
        client = Client(REMOTE_ADDR=address)
        page = client.get(url_, {"worker": "W1", "sitting": sitting, "hit": "HIT1"})
        own = client.post(url_, {**read(page).forms[url_], "do": "agree"})["Location"]
        Joiner(study, address).answer_everything(own)
    real, forged = Visit.objects.order_by("pk")
    assert real.run.assignment.booklet == forged.run.assignment.booklet

    visits.verify(visit=real, at=timezone.now())
    visits.doubt(visit=forged, reason="Never seen.")

    counted = PhaseRun.objects.filter(is_counted=True)
    assert [run.visits.get() for run in counted] == [real]
    assert list(Assignment.objects.filter(is_disputed=True)) == [forged.run.assignment]
