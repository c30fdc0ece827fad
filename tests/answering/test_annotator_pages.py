"""Headers, instructions, withdrawal, unknown addresses, language, preview."""

import logging
from uuid import uuid4

import pytest
from django.db import OperationalError
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.test import Client

from annotation.answering.queries.screens import preview_screen
from annotation.answering.services import rosters
from annotation.basics.markdown import render_markdown
from annotation.models import Annotator, Draft, Item, Judgment
from config.logs import masked
from tests.support import factories
from tests.support.annotating import Participant, read

pytestmark = pytest.mark.django_db

COMPREHENSION = {
    "prompt": "Which one?",
    "options": ["this", "that"],
    "right": 2,
    "feedback": "Not quite.",
}


@pytest.fixture
def mine() -> Participant:
    return Participant(factories.make_open_study())


def assert_secret(response) -> None:
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["Cache-Control"] == "no-store"
    assert "noindex" in response["X-Robots-Tag"]
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert "unsafe" not in response["Content-Security-Policy"]
    assert response["X-Frame-Options"] == "DENY"
    assert not response.cookies
    assert "Cookie" not in response.get("Vary", "")


def test_every_page_and_every_error_is_sent_as_a_secret(mine: Participant, client: Client) -> None:
    question = mine.questions()[0]
    token = mine.study.join_token
    responses = [
        mine.get(rest)
        for rest in ("", "instructions/", "s/1/", "s/99/", "overview/", "withdraw/", "nothing/")
    ]
    responses += [
        mine.post("s/1/", {"go": "next"}),
        mine.post("submit/"),
        mine.save(question, mine.choice(question)),
        mine.save(question, {}),
        mine.get("submit/"),
        client.get(f"/j/{token}/"),
        client.post(f"/j/{token}/"),
        client.get(f"/j/{token}/return/"),
        client.get("/j/unknown/"),
        client.get("/a/unknown/"),
        client.get("/a/unknown/and/more"),
        client.get("/a/"),
    ]

    for response in responses[:-1]:
        assert_secret(response)
    assert {r.status_code for r in responses} == {200, 302, 303, 400, 404, 405}


def test_no_page_is_touched_by_a_researchers_session(mine: Participant) -> None:
    user = factories.make_user()
    mine.client.force_login(user)

    response = mine.get("s/1/")

    assert_secret(response)
    assert user.username not in response.content.decode()


def test_an_unexpected_error_is_a_page_with_the_same_headers(
    mine: Participant, monkeypatch, caplog
) -> None:
    def broken(*arguments: object) -> None:
        raise OperationalError("the disk is full")

    monkeypatch.setattr("annotation.answering.queries.screen_contents.of_screen", broken)
    mine.client.raise_request_exception = False

    response = mine.get("s/1/")

    assert response.status_code == 500
    assert "Something went wrong here" in response.content.decode()
    assert_secret(response)


def test_the_key_stays_out_of_the_logs(mine: Participant, caplog, monkeypatch) -> None:
    from config.logs import MaskKeys

    record = logging.LogRecord("x", logging.ERROR, "", 1, "Error: %s", (mine.url("s/1/"),), None)
    MaskKeys().filter(record)

    assert mine.key not in record.getMessage()
    assert mine.key not in masked(f"GET {mine.url('q/1/')} HTTP/1.1")


def test_a_database_that_does_not_answer_is_not_healthy(client: Client) -> None:
    assert client.get("/healthz/").content == b"ok\n"
    assert b"Disallow: /" in client.get("/robots.txt").content
    assert "/admin/" in client.get("/").content.decode()


def test_an_unknown_key_is_not_found(client: Client) -> None:
    for method in (client.get, client.post):
        response = method("/a/0123456789ab-unknown/")
        assert response.status_code == 404
        assert "We do not know this link." in response.content.decode()


def test_a_link_that_lost_its_last_slash_still_works(mine: Participant) -> None:
    assert mine.client.get(f"/a/{mine.key}")["Location"] == mine.url()
    assert mine.client.post(f"/a/{mine.key}").status_code == 404


# -- instructions -----------------------------------------------------------------------------


def newcomer(**columns) -> Participant:
    mine = Participant(factories.make_open_study(**columns))
    Annotator.objects.update(instructed_at=None)
    return mine


def test_the_instructions_come_first_and_once() -> None:
    mine = newcomer()

    assert mine.get()["Location"] == mine.url("instructions/")
    assert mine.get("s/1/")["Location"] == mine.url("instructions/")
    assert mine.get("overview/")["Location"] == mine.url("instructions/")
    assert mine.post("instructions/").status_code == 303
    assert mine.get()["Location"] == mine.url("s/1/")
    assert mine.url("instructions/") not in read(mine.get("instructions/")).forms


def test_the_worked_example_marks_its_right_answers_in_words() -> None:
    page = newcomer().get("instructions/").content.decode()

    assert page.index("Would you mind getting it down for me?") < page.index("Most similar")
    assert page.index("It has been raining since noon.") < page.index("Least similar")
    assert "Nadia is politely asking for help" in page


def test_a_wrong_answer_to_the_comprehension_question_is_explained_and_tried_again() -> None:
    mine = newcomer(comprehension=COMPREHENSION)

    missing = mine.post("instructions/")
    wrong = mine.post("instructions/", {"answer": "1"})
    assert mine.annotator.instructed_at is None
    right = mine.post("instructions/", {"answer": "2"})

    assert missing.status_code == 400
    assert "Choose an answer." in missing.content.decode()
    assert wrong.status_code == 400
    assert "Not quite." in wrong.content.decode()
    assert right.status_code == 303
    assert mine.annotator.instructed_at is not None
    assert mine.annotator.comprehension_tries == 2


# -- withdrawal -------------------------------------------------------------------------------


def test_withdrawing_needs_a_tick(mine: Participant) -> None:
    response = mine.post("withdraw/")

    assert response.status_code == 400
    assert "Tick the box if you want to withdraw." in response.content.decode()
    assert mine.annotator.withdrawn_at is None


def test_withdrawing_empties_the_answers_and_closes_the_page(mine: Participant) -> None:
    mine.post("s/1/", mine.filled(1))

    left = mine.post("withdraw/", {"confirm": "1"})
    shown = mine.get()

    assert left.status_code == 303
    assert shown.status_code == 200
    assert "You have withdrawn" in shown.content.decode()
    assert not Judgment.objects.current().exists()
    for rest in ("s/1/", "overview/", "instructions/", "withdraw/"):
        assert mine.get(rest)["Location"] == mine.url()
    for rest in ("", "s/1/", "submit/", "more/", "instructions/"):
        response = mine.post(rest, {"go": "next"})
        assert response.status_code == 409, rest
        assert "You have withdrawn from this study." in response.content.decode()


def test_a_personal_link_may_be_given_back_before_it_was_used(client: Client) -> None:
    study = factories.make_open_study()
    key = rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1")])[0].key

    client.post(f"/a/{key}/withdraw/", {"confirm": "1"})

    assert "You have withdrawn" in client.get(f"/a/{key}/").content.decode()


# -- shapes of questions ----------------------------------------------------------------------


def test_the_target_is_marked_in_words_and_once_a_question(mine: Participant) -> None:
    page = mine.get("s/1/").content.decode().split('<form id="screen"')[1]

    assert page.count("Compare with this") == len(mine.questions())


def test_pairs_show_both_texts_on_the_card_and_words_only_themselves() -> None:
    pairs, words = (
        factories.make_open_study(preset="best-worst", dialogues=1, candidates=8) for _ in range(2)
    )
    for item in Item.objects.filter(study=pairs):
        Item.objects.filter(pk=item.pk).update(target_turn=None, target_text=f"First {item.pk}.")
    Item.objects.filter(study=words).update(target_turn=None)
    for study in (pairs, words):
        study.pools.update(context=None)

    pair_page = Participant(pairs).get("s/1/").content.decode()
    word_page = Participant(words).get("s/1/").content.decode()

    assert pair_page.count("pair-target") == 4
    assert "Most similar" in pair_page
    assert "pair-target" not in word_page
    assert "Compare with this" not in word_page.split('<form id="screen"')[1]
    assert "Choose one as most and one as least." in word_page


def test_the_preview_shows_a_screen_and_can_save_nothing() -> None:
    study = factories.make_open_study(dialogues=4)

    html = render_to_string("answering/screen.html", preview_screen(study, 1))

    assert "Try everything: nothing is saved." in html
    assert "/q/" not in html
    assert 'method="post"' not in html
    assert 'href="?screen=2"' in html
    with pytest.raises(LookupError, match="has no screen 99"):
        preview_screen(study, 99)


def test_markdown_lets_nothing_in_that_runs_or_loads() -> None:
    html = render_markdown(
        "# Title\n<img src=x onerror=alert(1)>\n![](https://elsewhere.example/x.png)\n"
        "[a](javascript:alert(1)) [b](https://example.org) **b**"
    )

    assert "<h2>Title</h2>" in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert 'target="_blank"' in html
    assert 'rel="noopener noreferrer"' in html
    assert "<strong>b</strong>" in html


def test_a_long_wish_of_a_browser_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Django would take quadratic time: 1.8 s for 32 KiB."""
    read = []
    monkeypatch.setattr(
        HttpRequest, "get_preferred_type", lambda self, types: read.append(self) or types[1]
    )
    client = Client()

    short = client.get("/a/nobody/", headers={"Accept": "application/json"})
    long = client.get("/a/nobody/", headers={"Accept": 'a/b;x="' + "\\;" * 1000})

    assert (short.status_code, long.status_code) == (404, 404)
    assert short["Content-Type"] == "application/json"
    assert long["Content-Type"].startswith("text/html")
    assert len(read) == 1


def test_no_question_is_shown_and_no_answer_taken_before_the_instructions(
    mine: Participant,
) -> None:
    question = mine.questions()[0]
    seen = mine.filled()
    answer = {
        "shown": seen[f"q{question.pk}-shown"],
        "best": seen[f"q{question.pk}-best"],
        "worst": seen[f"q{question.pk}-worst"],
        "idempotency_key": str(uuid4()),
        "sequence": 1,
    }
    Annotator.objects.update(instructed_at=None)

    for sent in ({}, seen):
        screen = mine.post("s/1/", sent)
        assert (screen.status_code, screen["Location"]) == (303, mine.url("instructions/"))
    saved = mine.post(f"q/{question.pk}/", answer, headers={"Accept": "application/json"})
    submitted = mine.post("submit/", headers={"Accept": "application/json"})

    assert (saved.status_code, submitted.status_code) == (409, 409)
    assert saved.json()["closed"]
    assert not Judgment.objects.exists()
    assert not Draft.objects.exists()
    mine.post("instructions/")
    assert mine.post(f"q/{question.pk}/", answer).json()["state"] == "saved"
