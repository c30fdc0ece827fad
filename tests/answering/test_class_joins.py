"""A class that joins together gets in, a flood stays bounded, and a 429 says when to come back."""

import math
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from annotation.answering import launch
from annotation.answering.services import join_limits
from annotation.basics import keys
from annotation.crowds.services import launch_room
from annotation.models import Assignment, Study
from annotation.monitoring.services import alert_channels
from annotation.studies.services import studies
from tests.crowds.test_launches import TINY, come, crowd, panel
from tests.support import crowds
from tests.support.annotating import Participant, read, watched
from tests.support.answering import answer_one
from tests.support.api import address, by_token
from tests.support.clock import Clock
from tests.support.crowds import make_listing, make_ticket
from tests.support.factories import join, make_open_study, make_user
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

CAMPUS, ELSEWHERE = "198.51.100.1", "203.0.113.7"


def make_study_with(places: int) -> Study:
    """One booklet, so that each place is for one person."""
    return make_open_study(dialogues=1, parameters={"annotations_per_tuple": places})


def send_consent(study: Study, client: Client, form: dict[str, str]) -> HttpResponse:
    return client.post(f"/j/{study.join_token}/", form)


def newcomer(study: Study, *, at: str = CAMPUS) -> tuple[Client, dict[str, str]]:
    """Somebody who has the consent page before them."""
    client, url = Client(REMOTE_ADDR=at), f"/j/{study.join_token}/"
    return client, {**read(client.get(url)).forms[url], "agree": "1"}


def arrive(study: Study, *, at: str = CAMPUS, code: str = "") -> HttpResponse:
    """Agree on a page that was opened while there were places."""
    form = {
        "ticket": launch.consent_ticket(study, studies.current_consent(study)),
        "agree": "1",
        "invitation": code,
    }
    return send_consent(study, Client(REMOTE_ADDR=at), form)


def statuses(answers: list[HttpResponse]) -> dict[int, int]:
    return dict(Counter(answer.status_code for answer in answers))


def wait_of(answer: HttpResponse) -> int:
    """The seconds that a refusal names."""
    assert answer.status_code == 429
    return int(answer["Retry-After"])


# -- A class --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_lecture_that_was_announced_takes_all_places_from_one_address(clock: Clock) -> None:
    study = make_study_with(40)
    announced = join_limits.announce(
        study=study, n_people=40, starts_at=clock.time, hours=1, by=study.owner
    )

    answers = [arrive(study, code=announced.code) for _ in range(40)]

    assert statuses(answers) == {303: 40}
    assert Assignment.objects.values("place").distinct().count() == 40


def test_a_class_is_let_in_while_it_is_announced_and_no_longer(
    settings: Any, clock: Clock
) -> None:
    settings.JOINS_PER_ADDRESS_PER_HOUR = 1
    study = make_study_with(9)
    announced = join_limits.announce(
        study=study,
        n_people=2,
        starts_at=clock.time + timedelta(minutes=10),
        hours=2,
        by=study.owner,
    )

    before = [arrive(study, code=announced.code).status_code for _ in range(2)]
    clock.move(minutes=10)
    during = [arrive(study, code=announced.code).status_code for _ in range(3)]
    later = join_limits.announce(
        study=study, n_people=9, starts_at=clock.time, hours=1, by=study.owner
    )
    clock.move(minutes=61)
    after = [arrive(study, code=later.code).status_code for _ in range(2)]

    # One by their own right, and two who were announced; nobody by what is over.
    assert (before, during, after) == ([303, 429], [303, 303, 429], [303, 429])


def test_whoever_comes_too_early_by_the_link_of_a_class_is_told_when_it_begins(
    settings: Any, clock: Clock
) -> None:
    settings.JOINS_PER_ADDRESS_PER_HOUR = 0
    study = make_study_with(9)
    starts_at = clock.time + timedelta(hours=5)
    announced = join_limits.announce(
        study=study, n_people=1, starts_at=starts_at, hours=1, by=study.owner
    )

    early = arrive(study, code=announced.code).context["error"]
    clock.move(hours=5)
    on_time = arrive(study, code=announced.code)
    full = arrive(study, code=announced.code).context["error"]
    clock.move(hours=1)
    late = arrive(study, code=announced.code).context["error"]

    assert f"{starts_at:%H:%M} UTC" in early
    assert on_time.status_code == 303
    wrong = arrive(study, code="ABCDEFGH").context["error"]
    assert len({early, full, late, wrong}) == 4


@pytest.mark.slow
def test_people_of_a_panel_are_not_sent_by_the_open_link() -> None:
    study = make_study_with(9)
    page = signed_in(study.owner).get(url(study, "collect"))
    assert "data-panels" not in page.content.decode()
    listing = make_listing(study)

    page = signed_in(study.owner).get(url(study, "collect"))
    of_listing = signed_in(study.owner).get(url(study, "listing", listing.pk))

    assert list(page.context["panels"]) == [listing]
    assert "data-panels" in page.content.decode()
    address = of_listing.context["shared_network"]["address"]
    assert address.endswith(
        f"?participant={{participant}}&session={{session}}&invitation={study.invitation_code}"
    )
    assert of_listing.context["address"] in address


def test_whoever_has_the_code_joins_however_many_have(settings: Any) -> None:
    settings.JOINS_PER_ADDRESS_PER_HOUR = 0
    study = make_study_with(9)
    refused = arrive(study)
    url = f"/j/{study.join_token}/"
    form = {**read(refused).forms[url], "agree": "1"}
    client = Client(REMOTE_ADDR=CAMPUS)

    wrong = client.post(url, {**form, "invitation": "ABCD-EFGH"})
    right = client.post(url, {**form, "invitation": join_limits.code_shown(study).lower()})
    by_link = client.get(f"{url}?invitation={study.invitation_code}")
    again = client.post(url, {**read(by_link).forms[url], "agree": "1"})

    assert [one.status_code for one in (refused, wrong, right, again)] == [429, 429, 303, 303]
    assert refused.context["asks_invitation"]
    assert Assignment.objects.count() == 2
    old = client.get(f"{url}?invitation={study.invitation_code}")
    join_limits.renew_code(study=study)
    assert client.post(url, {**read(old).forms[url], "agree": "1"}).status_code == 429


def test_a_double_click_counts_once(settings: Any) -> None:
    settings.JOINS_PER_ADDRESS_PER_HOUR = 2
    study = make_study_with(5)
    everybody = [newcomer(study) for _ in range(2)]

    answers = [send_consent(study, *one) for one in everybody for _ in range(2)]

    assert statuses(answers) == {303: 4}
    assert Assignment.objects.count() == 2


# -- No place is free -----------------------------------------------------------------------------


def test_nobody_is_told_to_wait_for_the_address_while_no_place_is_free(settings: Any) -> None:
    settings.JOINS_PER_ADDRESS_PER_HOUR = 2
    study = make_study_with(2)

    answers = [arrive(study) for _ in range(6)]

    assert [answer.status_code for answer in answers] == [303, 303, 409, 409, 409, 409]


@pytest.mark.slow
def test_looking_for_a_place_takes_as_many_queries_in_a_larger_study() -> None:
    counts = []
    for places in (3, 15):
        study = make_study_with(places)
        client, url = Client(), f"/j/{study.join_token}/"
        for n in range(places):
            assignment = join(study).assignment
            if n % 3 == 0:
                answer_one(assignment, assignment.booklet.questions.first())
        with watched() as shown:
            assert client.get(url).context["no_place"]
        with watched() as refused:
            assert arrive(study).status_code == 409
        counts.append((len(shown), len(refused)))

    assert counts[0] == counts[1]
    assert max(counts[0]) <= 17


# -- When to come back ----------------------------------------------------------------------------


def too_many_joins(settings: Any, monkeypatch: pytest.MonkeyPatch) -> HttpResponse:
    settings.JOINS_PER_ADDRESS_PER_HOUR = 0
    return arrive(make_study_with(1))


def too_many_codes(settings: Any, monkeypatch: pytest.MonkeyPatch) -> HttpResponse:
    settings.CODE_TRIES_PER_ADDRESS = 1
    study, client = make_open_study(), Client()
    for _ in range(2):
        answer = client.post(f"/j/{study.join_token}/return/", {"code": "0000-0000-0000"})
    return answer


def too_many_downloads(settings: Any, monkeypatch: pytest.MonkeyPatch) -> HttpResponse:
    monkeypatch.setattr("annotation.answering.pages.stored.DOWNLOADS_PER_HOUR", 0)
    somebody = Participant(make_open_study())
    return somebody.post("data/download/", {"file": "tsv"})


def too_many_sign_ins(settings: Any, monkeypatch: pytest.MonkeyPatch) -> HttpResponse:
    settings.LOGIN_TRIES_PER_ADDRESS = 0
    client, data = Client(), {"username": "ada", "password": "wrong"}
    client.post("/admin/login/", data)
    return client.post("/admin/login/", data)


def too_many_launches(settings: Any, monkeypatch: pytest.MonkeyPatch) -> HttpResponse:
    settings.LAUNCHES_PER_ADDRESS_PER_HOUR = 0
    return come(make_listing(make_open_study()), **panel())


def a_crowded_task(settings: Any, monkeypatch: pytest.MonkeyPatch) -> HttpResponse:
    crowds.use_framed(monkeypatch)
    listing = make_listing(
        make_open_study(dialogues=1, parameters=TINY), platform="mturk", environment="sandbox"
    )
    make_ticket(listing, n_places=1)
    for n in range(launch_room.SLACK + 1):
        come(listing, **crowd(f"W{n}", f"A{n}"))
    for assignment in Assignment.objects.all():
        answer_one(assignment, assignment.booklet.questions.first())
    return come(listing, **crowd("WX", "AX"))


def too_many_api_requests(settings: Any, monkeypatch: pytest.MonkeyPatch) -> HttpResponse:
    settings.API_REQUESTS_PER_MINUTE = 1
    client = by_token(make_user())
    client.get("/api/v1/studies/")
    return client.get("/api/v1/studies/")


def too_many_test_messages(settings: Any, monkeypatch: pytest.MonkeyPatch) -> HttpResponse:
    monkeypatch.setattr(alert_channels, "TESTS_PER_HOUR", 0)
    study = make_open_study()
    channel = alert_channels.add_webhook(
        study=study, url="https://alerts.example.org/", language="en", by=study.owner
    )
    path = address(study, f"alerts/channels/{channel.pk}/test/")
    return by_token(study.owner).post(path, content_type="application/json")


@pytest.mark.slow
@pytest.mark.parametrize(
    "refuse",
    [
        too_many_joins,
        too_many_codes,
        too_many_downloads,
        too_many_sign_ins,
        too_many_launches,
        a_crowded_task,
        too_many_api_requests,
        too_many_test_messages,
    ],
)
def test_every_429_says_when_to_come_back(
    refuse: Callable[..., HttpResponse], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 1 <= wait_of(refuse(settings, monkeypatch)) <= 3600


def test_the_wait_ends_an_hour_after_the_one_who_came_first(settings: Any, clock: Clock) -> None:
    """Not with the hour of the clock on the wall: nobody takes two tenths around noon."""
    settings.JOINS_PER_ADDRESS_PER_HOUR = 2
    study = make_study_with(9)
    arrive(study)
    clock.move(minutes=20)
    arrive(study)
    clock.move(minutes=22, seconds=30)

    refused = arrive(study)

    left = timedelta(minutes=17, seconds=30).total_seconds()
    assert wait_of(refused) == left
    page = refused.content.decode()
    assert f" {math.ceil(left / 60)} " in page
    # What to do: the code, in a form that can be sent again.
    assert "data-what-to-do" in page
    assert f"/j/{study.join_token}/" in read(refused).forms
    clock.move(seconds=left)
    assert [arrive(study).status_code for _ in range(2)] == [303, 429]


def test_after_wrong_codes_the_way_leads_back_to_the_code(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not to the consent page, where one would begin anew."""
    refused = too_many_codes(settings, monkeypatch)

    study = Study.objects.get()
    assert f'href="/j/{study.join_token}/return/"' in refused.content.decode()


def test_who_may_not_save_a_file_yet_keeps_the_way_to_their_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("annotation.answering.pages.stored.DOWNLOADS_PER_HOUR", 0)
    somebody = Participant(make_open_study())

    page = somebody.post("data/download/", {"file": "tsv"}).content.decode()

    assert "data-what-to-do" in page
    assert f'href="{somebody.url()}"' in page
    assert keys.code_of(somebody.key) in page


def test_the_desk_says_how_many_can_join_from_one_network() -> None:
    study = make_study_with(30)
    client = signed_in(study.owner)

    page = client.get(url(study, "change"))

    (step,) = [one for one in page.context["steps"] if one.link]
    assert step.joins == join_limits.limit_of(study)
    assert f'data-joins="{step.joins}"' in page.content.decode()
    assert f"{url(study, 'collect')}#class" in page.content.decode()
    assert 'id="class"' in client.get(url(study, "collect")).content.decode()
