"""Every page says everything in its language: nothing is left in English."""

import errno
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client, override_settings
from django.urls import reverse

from annotation.answering.services import assignments, rosters, withdrawal
from annotation.answering.services.rosters import RosterEntry
from annotation.basics import keys
from annotation.core.services import jobs
from annotation.models import Annotator, Job, Study
from annotation.people.services import exclusions
from annotation.studies.services import studies
from tests.support.annotating import Participant, read
from tests.support.factories import join, make_open_study, make_study, make_user
from tests.support.rating import TWICE, make_rating_study
from tests.support.reading import english_of, same_in, texts
from tests.support.researcher_pages import finish_booklet, signed_in, simulate, url

pytestmark = pytest.mark.django_db

# Pages of all languages write moments alike.
MOMENT = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d [A-Z]+)?")
COMPREHENSION = {"prompt": "Candidate 1?", "options": ["Candidate 1", "Candidate 2"], "right": 1}


def left_in_english(page: set[str], english: set[str], language: str) -> list[str]:
    """What a page says like the English one, or as an English sentence of ours."""
    same, ours = same_in(language), english_of(language)
    return sorted(
        text
        for text in page
        if text not in same and (text in english or text in ours) and not MOMENT.fullmatch(text)
    )


def _study(**columns: Any) -> Study:
    study = make_open_study(comprehension=COMPREHENSION, instructions="", thanks="", **columns)
    study.worked_example = {
        "turns": [{"speaker": "A", "text": "Turn 1."}],
        "candidates": ["Candidate 1", "Candidate 2", "Candidate 3"],
        "best": 1,
        "worst": 2,
        "explanation": "",
    }
    study.most_question, study.least_question = "Candidate 1?", "Candidate 2?"
    study.save()
    study.consent_texts.update(text="")
    return study


Page = Callable[[Client, Study, Participant], Any]


def _join(client: Client, study: Study, data: dict[str, str] | None = None) -> Any:
    address = f"/j/{study.join_token}/"
    return client.get(address) if data is None else client.post(address, data)


def _in_state(state: str) -> Page:
    def page(client: Client, study: Study, one: Participant) -> Any:
        Study.objects.filter(pk=study.pk).update(state=state)
        response = _join(client, study)
        Study.objects.filter(pk=study.pk).update(state="open")
        return response

    return page


def _own_in_state(state: str, rest: str, method: str = "get") -> Page:
    def page(client: Client, study: Study, one: Participant) -> Any:
        Study.objects.filter(pk=study.pk).update(state=state)
        response = getattr(one, method)(rest)
        Study.objects.filter(pk=study.pk).update(state="open")
        return response

    return page


def _consent_ticket(client: Client, study: Study) -> dict[str, str]:
    return read(_join(client, study)).forms[f"/j/{study.join_token}/"]


def _code(typed: str) -> Page:
    return lambda client, study, one: client.post(
        f"/j/{study.join_token}/return/", {"code": typed}
    )


def _one_choice(client: Client, study: Study, one: Participant) -> Any:
    filled = {name: value for name, value in one.filled().items() if not name.endswith("-worst")}
    return one.post("s/1/", {**filled, "go": "next"})


def _twice_the_same(client: Client, study: Study, one: Participant) -> Any:
    return one.post("s/1/", {**one.filled(best=0, worst=0), "go": "next"})


def _personal(client: Client, study: Study, one: Participant) -> Any:
    number = study.annotators.count()
    (made,) = rosters.add_roster(study=study, entries=[RosterEntry(f"Study {number}")])
    return client.get(f"/a/{made.key}/")


def _uninstructed(data: dict[str, str] | None) -> Page:
    def page(client: Client, study: Study, one: Participant) -> Any:
        consent = studies.current_consent(study)
        joined = assignments.join(study=study, nonce=keys.new_nonce(), consent=consent)
        address = f"/a/{joined.key}/instructions/"
        return client.get(address) if data is None else client.post(address, data)

    return page


def _finished(rest: str, method: str = "get") -> Page:
    def page(client: Client, study: Study, one: Participant) -> Any:
        other = Participant(study)
        other.answer_everything()
        if rest != "overview/":
            other.post("submit/")
        return getattr(other, method)(rest)

    return page


def _withdrawn(rest: str, method: str = "get") -> Page:
    def page(client: Client, study: Study, one: Participant) -> Any:
        other = Participant(study)
        withdrawal.withdraw(annotator=Annotator.objects.get(pk=other.annotator.pk))
        return getattr(other, method)(rest)

    return page


def _none_left(client: Client, study: Study, one: Participant) -> Any:
    Study.objects.filter(pk=study.pk).update(max_booklets=1)
    return _finished("more/", "post")(client, study, one)


PAGES: dict[str, Page] = {
    "consent": lambda client, study, one: _join(client, study),
    "consent refused": lambda client, study, one: _join(
        client, study, _consent_ticket(client, study)
    ),
    "consent too late": lambda client, study, one: _join(client, study, {"ticket": "x"}),
    "consent by personal link": _personal,
    "joining a paused study": _in_state("paused"),
    "joining a closed study": _in_state("closed"),
    "joining a finished study": _in_state("finished"),
    "code": lambda client, study, one: client.get(f"/j/{study.join_token}/return/"),
    "no code": _code(""),
    "short code": _code("ABC"),
    "code with U": _code("UUUUUUUUUUUU"),
    "unknown code": _code("000000000000"),
    "instructions": _uninstructed(None),
    "no answer to the comprehension question": _uninstructed({}),
    "wrong answer to the comprehension question": _uninstructed({"answer": "2"}),
    "instructions once more": lambda client, study, one: one.get("instructions/"),
    "screen": lambda client, study, one: one.get("s/1/"),
    "last screen": lambda client, study, one: one.get(f"s/{one.assignment.booklet.n_screens}/"),
    "screen with nothing chosen": lambda client, study, one: one.post("s/1/", {"go": "next"}),
    "screen with one choice": _one_choice,
    "screen with one item chosen twice": _twice_the_same,
    "screen that is not there": lambda client, study, one: one.get("s/999/"),
    "question of somebody else": lambda client, study, one: one.post("q/999999/"),
    "overview": lambda client, study, one: one.get("overview/"),
    "overview, all answered": _finished("overview/"),
    "sent too early": lambda client, study, one: one.post("submit/"),
    "thanks": _finished(""),
    "sent twice": _finished("submit/", "post"),
    "screen of what was sent": _finished("s/1/", "post"),
    "one more": _none_left,
    "withdraw": lambda client, study, one: one.get("withdraw/"),
    "withdraw without a tick": lambda client, study, one: one.post("withdraw/"),
    "withdrawn": _withdrawn(""),
    "answering after withdrawing": _withdrawn("s/1/", "post"),
    "finished study": _own_in_state("finished", ""),
    "answering a finished study": _own_in_state("finished", "s/1/", "post"),
    "wrong method": lambda client, study, one: client.put(f"/a/{one.key}/overview/"),
    "too much": lambda client, study, one: one.post("withdraw/", {"confirm": "x" * 140_000}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_an_annotators_page_says_nothing_in_english(name: str) -> None:
    study = _study(parameters={"annotations_per_tuple": 40, "screens_per_booklet": 2})
    found = {}
    for spoken in ("en", "cs", "de"):
        study.language = spoken
        study.save()
        found[spoken] = PAGES[name](Client(), study, Participant(study))

    english = found.pop("en")
    for language, response in found.items():
        assert f'<html lang="{language}"' in response.content.decode()
        assert response.status_code == english.status_code
        assert len(texts(response)) > 1
        assert left_in_english(texts(response), texts(english), language) == []


@pytest.mark.parametrize("language", ["cs", "de"])
@pytest.mark.parametrize(
    "address", ["/", "/a/unknown/", "/j/unknown/", "/j/un/known/", "/nowhere/"]
)
def test_a_page_of_no_study_speaks_the_browsers_language(address: str, language: str) -> None:
    english = Client().get(address)
    other = Client().get(address, headers={"Accept-Language": language})

    assert f'<html lang="{language}"' in other.content.decode()
    assert left_in_english(texts(other), texts(english), language) == []


@pytest.mark.parametrize("language", ["cs", "de"])
@pytest.mark.parametrize("status", [400, 403, 404, 500, 503])
def test_an_error_page_speaks_the_browsers_language(
    status: int, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.core.exceptions import PermissionDenied, SuspiciousOperation
    from django.http import Http404

    from annotation.answering.pages import public

    raised = {
        400: SuspiciousOperation(),
        403: PermissionDenied(),
        404: Http404(),
        500: RuntimeError(),
        503: OSError(errno.ENOSPC, "no space"),
    }

    def fail(*_arguments: object) -> None:
        raise raised[status]

    monkeypatch.setattr(public, "page", fail)
    client = Client(raise_request_exception=False)

    english = client.get("/")
    other = client.get("/", headers={"Accept-Language": language})

    assert (english.status_code, other.status_code) == (status, status)
    assert f'<html lang="{language}"' in other.content.decode()
    assert left_in_english(texts(other), texts(english), language) == []


@pytest.mark.parametrize("language", ["cs", "de"])
def test_the_walk_through_speaks_the_studys_language(language: str) -> None:
    study = _study(language="en")
    paused = make_rating_study(phases=TWICE, n_repeats=2, repeat_distance=1)
    # Its title is the researcher's own, and in the language that they wrote it in.
    Study.objects.filter(pk=paused.pk).update(owner=study.owner, title=study.title)
    client = signed_in(study.owner)
    for address in (
        *(url(study, page) for page in ("try", "try_instructions", "try_thanks")),
        url(study, "try_screen", 1, 1),
        url(paused, "try_pause", 1, 1),
    ):
        Study.objects.update(language="en")
        english = client.get(address, headers={"Accept-Language": "de"})
        Study.objects.update(language=language)
        other = client.get(address, headers={"Accept-Language": "en"})

        assert '<html lang="en"' in english.content.decode()
        assert f'<html lang="{language}"' in other.content.decode()
        assert left_in_english(texts(other), texts(english), language) == []


# -- researchers ----------------------------------------------------------------------------------


def _draft() -> Study:
    return make_study(owner=make_user("ada"), instructions="", thanks="")


def _collected() -> Study:
    study = make_open_study(
        owner=make_user("ada"),
        parameters={"annotations_per_tuple": 3, "screens_per_booklet": 4},
        instructions="",
        thanks="",
    )
    rosters.add_roster(study=study, entries=[RosterEntry("Study 1"), RosterEntry("Study 2")])
    first = finish_booklet(study)
    finish_booklet(study)
    join(study)
    simulate(study)
    assert study.owner
    exclusions.exclude(annotator=first, reason="Study 1", by=study.owner)
    jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"n_splits": 3})
    exclusions.include_again(annotator=first, reason="seen again", by=study.owner)
    return study


def _finished_study() -> Study:
    return studies.finish(study=_collected())


DESK = (
    "change",
    "describe",
    "items",
    "design",
    "collect",
    "booklets",
    "roster",
    "people",
    "results",
    "result_items",
    "download",
    "share",
    "history",
    "delete",
    "make_design",
    *("open", "pause", "resume", "close", "finish"),
)
STATES = {"draft": _draft, "collected": _collected, "finished": _finished_study}
# Django's German for Home; and an invitation code.
_NAMES = re.compile(r"Start|Label Studio|[0-9A-Z]{4}-[0-9A-Z]{4}")


def _german_problems(english: Any, german: Any) -> list[str]:
    assert english.status_code == german.status_code
    left = left_in_english(texts(german), texts(english), "de")
    return [text for text in left if not _NAMES.fullmatch(text)]


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
def test_a_researchers_page_says_nothing_in_english_where_the_browser_asks_for_german(
    state: str,
) -> None:
    study = STATES[state]()
    client = signed_in(study.owner)
    study.consent_texts.update(text="")

    problems = {}
    for page in DESK:
        english = client.get(url(study, page))
        german = client.get(url(study, page), headers={"Accept-Language": "de"})
        if left := _german_problems(english, german):
            problems[page] = left
    assert problems == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "address", ["admin:index", "admin:annotation_study_add", "admin:api_token", "admin:login"]
)
def test_the_pages_of_no_study_say_nothing_in_english(address: str) -> None:
    study = _collected()
    client = Client() if address == "admin:login" else signed_in(study.owner)

    english = client.get(reverse(address))
    german = client.get(reverse(address), headers={"Accept-Language": "de"})

    assert _german_problems(english, german) == []


@override_settings(LOGIN_TRIES_PER_ADDRESS=0)
def test_a_throttled_login_says_so_in_german() -> None:
    client, german = Client(), {"Accept-Language": "de"}
    data = {"username": "ada", "password": "wrong"}
    client.post("/admin/login/", data)

    english = client.post("/admin/login/", data)
    other = client.post("/admin/login/", data, headers=german)

    assert english.status_code == 429
    assert _german_problems(english, other) == []


@pytest.mark.parametrize(
    ("page", "data"),
    [
        ("describe", {"title": "", "check_options": "Study 1", "example_candidates": "Study 1"}),
        ("design", {"tuple_size": "9", "factor": "", "make": "1"}),
        ("design", {"tuple_size": "6", "factor": "2", "annotations_per_tuple": "5"}),
        ("share", {"username": "ada"}),
        ("share", {"username": "nobody"}),
        ("roster", {"entries": "x@y, z\n"}),
        ("roster", {"entries": ""}),
        ("roster", {"entries": "id,name\n1\n1,2\n1,3\n"}),
        ("upload", {}),
    ],
)
def test_what_a_researcher_sent_wrongly_is_said_in_german(page: str, data: dict[str, str]) -> None:
    study = _draft()
    client = signed_in(study.owner)

    english = client.post(url(study, page), data)
    german = client.post(url(study, page), data, headers={"Accept-Language": "de"})

    assert english.status_code == 400
    assert _german_problems(english, german) == []


def test_a_refusal_and_what_was_done_are_said_in_the_language_of_who_reads_them() -> None:
    study = make_open_study(owner=make_user("ada"))
    client = signed_in(study.owner)

    client.post(url(study, "pause"), headers={"Accept-Language": "en"})
    german = client.get(url(study, "history"), headers={"Accept-Language": "de"})
    english = client.get(url(study, "history"))

    assert "Die Studie ist pausiert." in texts(german)
    assert "The study is paused." in texts(english)


@pytest.mark.slow
def test_a_service_says_in_german_why_it_refuses() -> None:
    study = make_open_study(language="de", max_booklets=1)
    one = Participant(study)
    one.answer_everything()
    assignments.submit(assignment=one.assignment)

    response = one.post("more/")

    assert "Für Sie gibt es nichts weiter zu tun. Vielen Dank." in texts(response)
