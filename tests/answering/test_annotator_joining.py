"""The open link, the personal link, and the way back by code."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.answering import launch
from annotation.answering.services import rosters
from annotation.basics import keys
from annotation.kinds.services.design_rows import add_places
from annotation.models import Annotator, Arrival, Assignment, Consent, Person, Study
from annotation.models.kinds import Source
from annotation.studies.services import studies
from tests.support import factories
from tests.support.annotating import Participant, read, watched, writes

pytestmark = pytest.mark.django_db


def consent_form(client: Client, study: Study) -> dict[str, str]:
    url = f"/j/{study.join_token}/"
    return {**read(client.get(url)).forms[url], "agree": "1"}


def test_agreeing_takes_one_place_and_leads_to_the_persons_own_page(client: Client) -> None:
    study = factories.make_open_study()

    response = client.post(f"/j/{study.join_token}/", consent_form(client, study))

    annotator = Annotator.objects.get()
    key = response["Location"].split("/")[2]
    assert response.status_code == 303
    assert keys.key_hash(key) == annotator.key_hash
    assert annotator.source == Source.REAL
    assert Consent.objects.get().text.version == 1


def test_a_double_click_joins_once(client: Client) -> None:
    study = factories.make_open_study()
    form = consent_form(client, study)

    first = client.post(f"/j/{study.join_token}/", form)
    second = client.post(f"/j/{study.join_token}/", form)

    assert first["Location"] == second["Location"]
    assert Annotator.objects.count() == Assignment.objects.count() == 1


def test_looking_at_the_consent_page_writes_nothing(client: Client) -> None:
    study = factories.make_open_study()

    with watched() as queries:
        client.get(f"/j/{study.join_token}/")
        client.get(f"/j/{study.join_token}/return/")

    assert writes(queries) == []


def test_without_agreement_nobody_joins(client: Client) -> None:
    study = factories.make_open_study()
    form = consent_form(client, study)
    del form["agree"]

    response = client.post(f"/j/{study.join_token}/", form)

    assert response.status_code == 400
    assert "Tick the box if you agree." in response.content.decode()
    assert not Annotator.objects.exists()


@pytest.mark.parametrize("ticket", ["", "forged", "e30:1vXXXX:abc"])
def test_a_forged_form_is_answered_with_a_fresh_one(client: Client, ticket: str) -> None:
    study = factories.make_open_study()

    response = client.post(f"/j/{study.join_token}/", {"ticket": ticket, "agree": "1"})

    assert response.status_code == 400
    assert "This form was open for too long." in response.content.decode()
    assert read(response).forms[f"/j/{study.join_token}/"]["ticket"]
    assert not Annotator.objects.exists()


def test_a_form_older_than_a_day_is_answered_with_a_fresh_one(
    client: Client, time_machine
) -> None:
    study = factories.make_open_study()
    time_machine.move_to("2026-01-01 10:00", tick=False)
    form = consent_form(client, study)
    time_machine.move_to("2026-01-02 10:01", tick=False)

    response = client.post(f"/j/{study.join_token}/", form)

    assert response.status_code == 400
    assert not Annotator.objects.exists()


def test_the_form_of_another_study_does_not_fit(client: Client) -> None:
    study, other = factories.make_open_study(), factories.make_open_study()

    response = client.post(f"/j/{study.join_token}/", consent_form(client, other))

    assert response.status_code == 400
    assert not Annotator.objects.exists()


def test_a_consent_text_changed_meanwhile_is_shown_before_anybody_agrees(client: Client) -> None:
    study = factories.make_open_study()
    form = consent_form(client, study)
    studies.edit(study=study, changes={"consent": "Now we also ask for your **age**."})

    response = client.post(f"/j/{study.join_token}/", form)

    page = response.content.decode()
    assert response.status_code == 400
    assert "The text has changed since you opened it." in page
    assert "<strong>age</strong>" in page
    assert not Annotator.objects.exists()


def test_when_all_places_are_taken_the_answer_is_polite(client: Client) -> None:
    study = factories.make_open_study(parameters={"annotations_per_tuple": 1})
    form = consent_form(client, study)
    for _ in range(study.design.booklets.count()):
        factories.join(study)

    response = client.post(f"/j/{study.join_token}/", form)

    assert response.status_code == 409
    assert response.context["no_place"]


@pytest.mark.slow
def test_a_full_study_says_so_before_anybody_agrees_and_keeps_the_way_back(
    client: Client,
) -> None:
    study = with_places(1)
    url = f"/j/{study.join_token}/"
    joined = factories.join(study)

    with watched() as queries:
        full = client.get(url)

    assert full.status_code == 200
    assert "data-no-place" in full.content.decode()
    assert url not in read(full).forms
    assert f"{url}return/" in read(full).forms
    assert writes(queries) == []
    back = client.post(f"{url}return/", {"code": keys.code_of(joined.key)})
    assert back["Location"] == f"/a/{joined.key}/"
    # As soon as a place could be given back the form is there again.
    Assignment.objects.update(last_active_at=timezone.now() - timedelta(hours=3))
    assert url in read(client.get(url)).forms
    assert client.post(url, consent_form(client, study)).status_code == 303


def test_only_a_full_study_is_called_full(client: Client) -> None:
    study = factories.make_open_study()
    form = consent_form(client, study)
    studies.pause(study=study)

    shown = client.get(f"/j/{study.join_token}/")
    sent = client.post(f"/j/{study.join_token}/", form)

    assert not shown.context["no_place"]
    assert (sent.status_code, sent.context["no_place"]) == (409, False)


def test_whoever_joined_before_the_link_was_closed_comes_back_by_code(client: Client) -> None:
    study = factories.make_open_study()
    joined = factories.join(study)
    study.link_open = False
    study.save()

    code = keys.code_of(joined.key)
    response = client.post(f"/j/{study.join_token}/return/", {"code": code})

    assert response.status_code == 303
    assert response["Location"] == f"/a/{joined.key}/"


def test_unknown_draft_and_closed_links_are_not_found(client: Client) -> None:
    draft = factories.make_study()
    roster_only = factories.make_open_study(link_open=False)

    for token in ("nosuchtoken", draft.join_token, roster_only.join_token):
        response = client.get(f"/j/{token}/")
        assert response.status_code == 404
        assert "This link does not lead to a study." in response.content.decode()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (studies.pause, "This study is paused."),
        (studies.close, "This study is no longer taking new participants."),
        (studies.finish, "This study is finished."),
    ],
)
def test_a_study_that_takes_nobody_says_so(client: Client, change, sentence: str) -> None:
    study = factories.make_open_study()
    form = consent_form(client, study)
    change(study=study)

    shown = client.get(f"/j/{study.join_token}/")
    sent = client.post(f"/j/{study.join_token}/", form)

    assert shown.status_code == 200
    assert sentence in shown.content.decode()
    assert f"/j/{study.join_token}/" not in read(shown).forms
    assert sent.status_code == 409
    assert sentence in sent.content.decode()
    assert not Annotator.objects.exists()


def with_places(n: int) -> Study:
    return factories.make_open_study(dialogues=1, parameters={"annotations_per_tuple": n})


def test_joins_are_limited_per_address_and_the_address_is_not_stored(
    client: Client, settings
) -> None:
    settings.JOINS_PER_ADDRESS_PER_HOUR = 2
    study = with_places(9)

    statuses = []
    for _ in range(3):
        form = consent_form(client, study)
        statuses.append(client.post(f"/j/{study.join_token}/", form).status_code)

    assert statuses == [303, 303, 429]
    assert Annotator.objects.count() == 2
    assert all("127.0.0.1" not in row.network for row in Arrival.objects.all())


@pytest.mark.parametrize(
    ("proxies", "forwarded", "statuses"),
    [
        (0, ["9.9.9.1", "9.9.9.2"], [303, 429]),  # nobody in front: the header is not believed
        (1, ["9.9.9.1", "9.9.9.2"], [303, 303]),
        (1, ["1.1.1.1, 9.9.9.9", "2.2.2.2, 9.9.9.9"], [303, 429]),  # the left part is invented
        (1, ["2001:db8::1", "2001:db8::2"], [303, 429]),  # one household has many IPv6 addresses
    ],
)
def test_the_address_is_the_one_the_outermost_trusted_proxy_saw(
    client: Client, settings, proxies: int, forwarded: list[str], statuses: list[int]
) -> None:
    settings.JOINS_PER_ADDRESS_PER_HOUR = 1
    settings.TRUSTED_PROXIES = proxies
    study = with_places(9)

    answers = []
    for address in forwarded:
        response = client.post(
            f"/j/{study.join_token}/",
            consent_form(client, study),
            headers={"x-forwarded-for": address},
        )
        answers.append(response.status_code)

    assert answers == statuses


def test_a_simulation_token_lets_one_simulated_person_in_however_often_it_is_sent(
    client: Client, settings
) -> None:
    settings.JOINS_PER_ADDRESS_PER_HOUR = 0
    study = factories.make_open_study()
    add_places(booklets=study.design.booklets.all(), source=Source.SIMULATED, up_to=2)
    tokens = [launch.simulation_token(study, "run", n) for n in (1, 1, 2)]

    answers = [client.post(f"/j/{study.join_token}/", {"simulation": token}) for token in tokens]

    assert [answer.status_code for answer in answers] == [303, 303, 303]
    assert Annotator.objects.filter(source=Source.SIMULATED).count() == 2
    assert not Annotator.objects.filter(source=Source.REAL).exists()


def test_a_forged_simulation_token_is_refused(client: Client) -> None:
    study, other = factories.make_open_study(), factories.make_open_study()

    for token in ("forged", launch.simulation_token(other, "run", 1)):
        response = client.post(f"/j/{study.join_token}/", {"simulation": token})
        assert response.status_code == 400
    assert not Annotator.objects.exists()


# -- the way back by code ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed",
    [
        str,
        str.lower,
        lambda code: code.replace("-", " "),
        lambda code: code.replace("-", "").replace("0", "O").replace("1", "l"),
    ],
)
def test_the_code_leads_back_however_it_is_typed(client: Client, typed) -> None:
    mine = Participant(factories.make_open_study())
    code = typed(keys.code_of(mine.key))

    response = client.post(f"/j/{mine.study.join_token}/return/", {"code": code})

    assert response.status_code == 303
    assert response["Location"] == mine.url()


def test_every_page_shows_the_code_and_the_personal_link() -> None:
    mine = Participant(factories.make_open_study())

    for rest in ("instructions/", "s/1/", "overview/", "withdraw/"):
        page = mine.get(rest).content.decode()
        assert keys.code_of(mine.key) in page
        assert f"http://testserver{mine.url()}" in page


@pytest.mark.parametrize("code", ["0000-0000-0000", "short", "ÄÖÜ", "U" * 12, "\x00" * 12])
def test_an_unknown_code_is_not_found(client: Client, code: str) -> None:
    study = factories.make_open_study()

    response = client.post(f"/j/{study.join_token}/return/", {"code": code})

    assert response.status_code in {400, 404}
    assert read(response).forms  # to try again


@pytest.mark.parametrize("token", ["x", "x" * 16])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_mistyped_way_back_is_a_page_that_says_so(token: str, method: str) -> None:
    answer = getattr(Client(), method)(f"/j/{token}/return/", {"code": "AAAA-BBBB-CCCC"})

    assert answer.status_code == 404
    assert "<h1>" in answer.content.decode()


def test_a_code_of_another_study_is_not_found(client: Client) -> None:
    mine, other = Participant(factories.make_open_study()), factories.make_open_study()

    response = client.post(f"/j/{other.join_token}/return/", {"code": keys.code_of(mine.key)})

    assert response.status_code == 404
    assert "We do not know this code." in response.content.decode()


def test_guessing_codes_is_throttled_per_address_and_per_study(client: Client, settings) -> None:
    settings.CODE_TRIES_PER_ADDRESS = 2
    settings.CODE_TRIES_PER_STUDY = 3
    settings.TRUSTED_PROXIES = 1
    study = factories.make_open_study()

    def guess(address: str) -> int:
        return client.post(
            f"/j/{study.join_token}/return/",
            {"code": "0000-0000-0000"},
            headers={"x-forwarded-for": address},
        ).status_code

    assert [guess("9.9.9.1"), guess("9.9.9.1"), guess("9.9.9.1")] == [404, 404, 429]
    assert [guess("9.9.9.2"), guess("9.9.9.2")] == [404, 429]


# -- personal links -----------------------------------------------------------------------------


def invite(study: Study) -> rosters.PersonalKey:
    return rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1", "Ada")])[0]


def test_a_personal_link_shows_the_consent_and_takes_a_place_only_when_sent(
    client: Client,
) -> None:
    study = factories.make_open_study(link_open=False)
    url = f"/a/{invite(study).key}/"

    with watched() as queries:
        shown = client.get(url)
    assert writes(queries) == []
    form = {**read(shown).forms[url], "agree": "1"}
    first, second = client.post(url, form), client.post(url, form)

    assert (first.status_code, second.status_code) == (303, 303)
    assert Assignment.objects.count() == Consent.objects.count() == 1
    assert client.get(url)["Location"] == f"{url}instructions/"


def test_a_personal_link_asks_for_agreement_to_the_text_as_it_is_now(client: Client) -> None:
    study = factories.make_open_study(link_open=False)
    url = f"/a/{invite(study).key}/"

    without = client.post(url, {"consent": "1"})
    outdated = client.post(url, {"consent": "0", "agree": "1"})

    assert (without.status_code, outdated.status_code) == (400, 400)
    assert "The text has changed" in outdated.content.decode()
    assert not Assignment.objects.exists()


def test_a_personal_link_of_a_study_that_has_not_begun_says_so(client: Client) -> None:
    study = factories.make_study()

    response = client.get(f"/a/{invite(study).key}/")

    assert response.status_code == 200
    assert "This study has not begun yet." in response.content.decode()


def test_a_personal_link_of_a_paused_study_takes_no_place(client: Client) -> None:
    study = factories.make_open_study(link_open=False)
    key = invite(study).key
    studies.pause(study=study)

    shown = client.get(f"/a/{key}/")
    sent = client.post(f"/a/{key}/", {"consent": "1", "agree": "1"})

    assert shown.status_code == 200
    assert sent.status_code == 409
    assert "This study is paused." in sent.content.decode()
    assert not Assignment.objects.exists()


def test_nothing_but_the_consent_is_open_before_agreeing(client: Client) -> None:
    study = factories.make_open_study(link_open=False)
    url = f"/a/{invite(study).key}/"

    for rest in ("s/1/", "overview/", "instructions/"):
        assert client.get(url + rest)["Location"] == url
    assert client.post(f"{url}s/1/", {"go": "next"}).status_code == 404
    assert client.post(f"{url}submit/").status_code == 409
    assert Person.objects.count() == 1
