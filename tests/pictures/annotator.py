"""The annotator's pages in every state that looks different: the way in, and the way out."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.views.defaults import bad_request, server_error
from playwright.sync_api import Page, Route

from annotation.answering.services import rosters
from annotation.basics.languages import BrowserLanguage
from annotation.studies.services import studies
from tests.pictures import (
    checked,
    consenting,
    labels,
    launches,
    questioned,
    rankings,
    ratings,
    screens,
    selections,
)
from tests.pictures.cast import Cast
from tests.pictures.scenes import Scene, go, post, send
from tests.pictures.waiting import arrive

WRONG_CODE = "0000-0000-0000"


def _home(page: Page, cast: Cast) -> None:
    go(page, cast.url("home"))


def _nowhere(page: Page, cast: Cast) -> None:
    go(page, f"{cast.base}/nothing/")


def _lost_below_a(page: Page, cast: Cast) -> None:
    go(page, f"{cast.base}/a/no/such/page/")


def _unknown_key(page: Page, cast: Cast) -> None:
    go(page, cast.url("own", "0" * 20))


def _broken(page: Page, cast: Cast) -> None:
    _as_if(page, f"{cast.base}/broken/", server_error)


def _malformed(page: Page, cast: Cast) -> None:
    _as_if(page, f"{cast.base}/malformed/", lambda request: bad_request(request, ValueError()))


def _as_if(page: Page, url: str, view: Callable[[HttpRequest], HttpResponse]) -> None:
    """No address fails by itself: the browser is given what the site would answer."""

    def answer(route: Route) -> None:
        request = HttpRequest()
        request.META["HTTP_ACCEPT_LANGUAGE"] = route.request.headers.get("accept-language", "")
        response = BrowserLanguage(view)(request)
        route.fulfill(status=response.status_code, content_type="text/html", body=response.content)

    page.route(url, answer)
    go(page, url)


def _wrong_method(page: Page, cast: Cast) -> None:
    go(page, cast.url("submit", cast.beginner()))


# -- the way in ---------------------------------------------------------------------------------


def _consent(page: Page, cast: Cast) -> None:
    go(page, cast.link())


def _consent_code(page: Page, cast: Cast) -> None:
    go(page, cast.link())
    page.locator("details summary").click()


def _consent_begun(page: Page, cast: Cast) -> None:
    go(page, cast.url("own", cast.beginner()))
    go(page, cast.link())
    page.locator("[data-begun]:not([hidden])").wait_for()


def _consent_begun_gone(page: Page, cast: Cast) -> None:
    key = cast.beginner()
    go(page, cast.url("own", key))
    rosters.reissue_key(annotator=cast.of(key))
    go(page, cast.link())
    page.locator("[data-go-on]").click()
    page.locator("[data-begun-gone]:not([hidden])").wait_for()


def _consent_not_given(page: Page, cast: Cast) -> None:
    go(page, cast.link())
    send(page, "main form:has([name=agree])")
    page.locator(".error").wait_for()


def _personal_consent(page: Page, cast: Cast) -> None:
    go(page, cast.url("own", cast.newcomer()))


def _join_paused(page: Page, cast: Cast) -> None:
    go(page, cast.link("paused"))


def _join_closed(page: Page, cast: Cast) -> None:
    go(page, cast.link("closed"))


def _join_finished(page: Page, cast: Cast) -> None:
    go(page, cast.link("finished"))


def _join_full(page: Page, cast: Cast) -> None:
    go(page, cast.link("full"))
    page.locator("[data-no-place]").wait_for()
    arrive(page)


def _return(page: Page, cast: Cast) -> None:
    go(page, cast.link(name="return"))


def _wrong_code(page: Page, cast: Cast) -> None:
    go(page, cast.link(name="return"))
    page.locator("#code").fill(WRONG_CODE)
    send(page)
    page.locator(".error").wait_for()


def _too_many_codes(page: Page, cast: Cast) -> None:
    # In a study of its own, where nobody else types codes.
    address = cast.link("closed", "return")
    go(page, address)
    for _ in range(10):
        page.request.post(address, form={"code": WRONG_CODE})
    page.locator("#code").fill(WRONG_CODE)
    send(page)
    arrive(page)


def _instructions(page: Page, cast: Cast) -> None:
    go(page, cast.url("instructions", cast.reader()))


def _instructions_unanswered(page: Page, cast: Cast) -> None:
    _instructions(page, cast)
    send(page)
    page.locator(".error").wait_for()


def _instructions_wrong(page: Page, cast: Cast) -> None:
    _instructions(page, cast)
    right = cast.study().comprehension["right"]
    page.locator("main input[type=radio]").nth(right % 2).check()
    send(page)
    page.locator(".error").wait_for()


def _instructions_again(page: Page, cast: Cast) -> None:
    go(page, cast.url("instructions", cast.beginner()))


# -- the way out --------------------------------------------------------------------------------


def _overview_open(page: Page, cast: Cast) -> None:
    go(page, cast.url("overview", cast.beginner(answered=3)))


def _overview_complete(page: Page, cast: Cast) -> None:
    go(page, cast.url("overview", cast.ready()))


def _sent_too_early(page: Page, cast: Cast) -> None:
    key = cast.beginner(answered=3)
    go(page, cast.url("overview", key))
    post(page, cast.url("submit", key))


def _thanks(page: Page, cast: Cast) -> None:
    go(page, cast.url("own", cast.done()))


def _another_set(page: Page, cast: Cast) -> None:
    key = cast.done()
    go(page, cast.url("own", key))
    send(page, "form[action$='/more/']")
    arrive(page, cast.url("screen", key, 1))


def _sent_before(page: Page, cast: Cast) -> None:
    """A screen that was left open is sent after the booklet was."""
    key = cast.done()
    go(page, cast.url("own", key))
    post(page, cast.url("screen", key, 1))


def _finished(page: Page, cast: Cast) -> None:
    name = cast.another()
    key = cast.beginner(name, answered=2)
    studies.finish(study=cast.study(name))
    go(page, cast.url("own", key))


def _new_link(page: Page, cast: Cast) -> None:
    go(page, cast.url("new-link", cast.beginner(answered=2)))


def _withdraw(page: Page, cast: Cast) -> None:
    go(page, cast.url("withdraw", cast.beginner(answered=2)))


def _withdraw_unconfirmed(page: Page, cast: Cast) -> None:
    _withdraw(page, cast)
    send(page)
    page.locator(".error").wait_for()


def _data(page: Page, cast: Cast) -> None:
    go(page, cast.url("data", cast.beginner(answered=2)))


def _data_withdrawn(page: Page, cast: Cast) -> None:
    go(page, cast.url("data", cast.withdrawn()))


def _data_unknown_file(page: Page, cast: Cast) -> None:
    key = cast.beginner(answered=2)
    go(page, cast.url("data", key))
    post(page, cast.url("download", key))


def _withdrawn(page: Page, cast: Cast) -> None:
    go(page, cast.url("own", cast.withdrawn()))


def _withdrawn_before(page: Page, cast: Cast) -> None:
    key = cast.withdrawn()
    go(page, cast.url("own", key))
    post(page, cast.url("more", key))


WAY_IN: tuple[Scene[Cast], ...] = (
    Scene("home", "way in", ("home",), _home),
    Scene("not-found", "way in", (), _nowhere, 404),
    Scene("no-such-page", "way in", (), _lost_below_a, 404),
    Scene("unknown-key", "way in", ("own",), _unknown_key, 404),
    Scene("wrong-method", "way in", ("submit",), _wrong_method, 405),
    Scene("our-mistake", "way in", (), _broken, 500),
    Scene("malformed", "way in", (), _malformed, 400),
    Scene("consent", "way in", ("join",), _consent),
    Scene("consent-been-here", "way in", ("join",), _consent_code),
    Scene("consent-begun", "way in", ("join",), _consent_begun),
    Scene("consent-begun-gone", "way in", ("join",), _consent_begun_gone),
    Scene("consent-not-given", "way in", ("join",), _consent_not_given, 400),
    Scene("consent-personal", "way in", ("own",), _personal_consent),
    Scene("join-paused", "way in", ("join",), _join_paused),
    Scene("join-closed", "way in", ("join",), _join_closed),
    Scene("join-finished", "way in", ("join",), _join_finished),
    Scene("join-full", "way in", ("join",), _join_full),
    Scene("return", "way in", ("return",), _return),
    Scene("return-wrong-code", "way in", ("return",), _wrong_code, 404),
    Scene("return-too-many", "way in", ("return",), _too_many_codes, 429),
    Scene("instructions", "way in", ("instructions",), _instructions),
    Scene("instructions-missing", "way in", ("instructions",), _instructions_unanswered, 400),
    Scene("instructions-wrong", "way in", ("instructions",), _instructions_wrong, 400),
    Scene("instructions-again", "way in", ("instructions",), _instructions_again),
)
WAY_OUT: tuple[Scene[Cast], ...] = (
    Scene("overview-open", "way out", ("overview",), _overview_open),
    Scene("overview-complete", "way out", ("overview",), _overview_complete),
    Scene("overview-too-early", "way out", ("overview", "submit"), _sent_too_early, 400),
    Scene("thanks", "way out", ("own",), _thanks),
    Scene("thanks-another-set", "way out", ("more",), _another_set),
    Scene("sent-before", "way out", ("screen",), _sent_before, 409),
    Scene("finished", "way out", ("own",), _finished),
    Scene("data", "way out", ("data",), _data),
    Scene("data-withdrawn", "way out", ("data",), _data_withdrawn),
    Scene("data-unknown-file", "way out", ("download",), _data_unknown_file, 404),
    Scene("new-link", "way out", ("new-link",), _new_link),
    Scene("withdraw", "way out", ("withdraw",), _withdraw),
    Scene("withdraw-unconfirmed", "way out", ("withdraw",), _withdraw_unconfirmed, 400),
    Scene("withdrawn", "way out", ("own",), _withdrawn),
    Scene("withdrawn-before", "way out", ("more",), _withdrawn_before, 409),
)
SCENES = (
    *WAY_IN,
    *screens.SCENES,
    *launches.SCENES,
    *ratings.SCENES,
    *labels.SCENES,
    *rankings.SCENES,
    *selections.SCENES,
    *checked.SCENES,
    *consenting.SCENES,
    *questioned.SCENES,
    *WAY_OUT,
)
