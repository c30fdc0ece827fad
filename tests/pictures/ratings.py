"""Rating questions, and the pause between two phases."""

from django.conf import settings
from playwright.sync_api import Page

from tests.pictures.cast import Cast
from tests.pictures.scenes import Scene, go, post, send


def _screen(page: Page, cast: Cast, study: str = "ratings") -> str:
    key = cast.rater(study)
    go(page, cast.url("screen", key, 1))
    return key


def _empty(page: Page, cast: Cast) -> None:
    _screen(page, cast)


def _choose(page: Page, question: int = 0, key: str = "2") -> None:
    page.locator("[data-question]").nth(question).locator("[data-range]").focus()
    page.keyboard.press(key)


def _chosen(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    for question in range(2):
        _choose(page, question)
    page.wait_for_function("() => !document.querySelector('[data-state]:empty')")


def _missing(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    _choose(page)
    page.locator(".bar button.primary").click()
    page.locator("[data-problem]:not([hidden])").first.wait_for()


def _in_context(page: Page, cast: Cast) -> None:
    _screen(page, cast, "ratings in context")


def _words(page: Page, cast: Cast) -> None:
    _screen(page, cast, "ratings with words")
    page.locator("[data-role=rating]").nth(1).click()


def _fine(page: Page, cast: Cast) -> None:
    _screen(page, cast, "fine ratings")
    _choose(page)


def _elsewhere(page: Page, cast: Cast) -> None:
    """Another tab of another browser answers between the showing and the choice here."""
    key = _screen(page, cast)
    cast.rate_first(key)
    _choose(page, key="0")
    page.locator("[data-elsewhere]:not([hidden])").first.wait_for()


def _plain(page: Page, cast: Cast) -> None:
    page.goto(cast.url("screen", cast.rater("ratings"), 1))


def _plain_missing(page: Page, cast: Cast) -> None:
    _plain(page, cast)
    page.locator("select").first.select_option("3")
    page.locator(".bar button.primary").click()
    page.locator("#problems").wait_for()


def _instructions(page: Page, cast: Cast) -> None:
    go(page, cast.url("instructions", cast.rater("ratings")))


def _pause(page: Page, cast: Cast) -> str:
    key = cast.rater("ratings twice", phases_sent=1)
    settings.EMAIL_HOST = "mail.example.org"  # so that a reminder is offered; nothing is sent
    go(page, cast.url("own", key))
    return key


def _with_reminder(page: Page, cast: Cast) -> None:
    _pause(page, cast)


def _pause_without_mail(page: Page, cast: Cast) -> None:
    key = cast.rater("ratings twice", phases_sent=1)
    settings.EMAIL_HOST = ""
    go(page, cast.url("own", key))


def _reminded(page: Page, cast: Cast) -> None:
    _pause(page, cast)
    page.locator("#email").fill("ada@example.org")
    send(page, "form.card")
    page.locator("form.card button[name=email]").wait_for()


def _wrong_address(page: Page, cast: Cast) -> None:
    _pause(page, cast)
    page.locator("#email").fill("ada at example")
    send(page, "form.card")
    page.locator("#email-error").wait_for()


def _too_early(page: Page, cast: Cast) -> None:
    go(page, cast.url("screen", cast.rater("ratings twice", phases_sent=1), 1))


def _sent_too_early(page: Page, cast: Cast) -> None:
    key = _pause(page, cast)
    post(page, cast.url("screen", key, 1), [("go", "next")])


def _opened(page: Page, cast: Cast) -> None:
    key = cast.rater("ratings twice", phases_sent=1)
    cast.move_phase(key, hours=1)
    go(page, cast.url("own", key))


def _over(page: Page, cast: Cast) -> None:
    key = cast.rater("ratings twice", phases_sent=1)
    cast.move_phase(key, hours=24 * 15)
    go(page, cast.url("own", key))


SCENES: tuple[Scene[Cast], ...] = (
    Scene("rating-empty", "rating", ("screen",), _empty),
    Scene("rating-saved", "rating", ("screen", "save"), _chosen),
    Scene("rating-missing", "rating", ("screen",), _missing),
    Scene("rating-in-context", "rating", ("screen",), _in_context),
    Scene("rating-words", "rating", ("screen",), _words),
    Scene("rating-fine", "rating", ("screen",), _fine),
    Scene("rating-elsewhere", "rating", ("screen", "save"), _elsewhere),
    Scene("rating-plain", "rating", ("screen",), _plain, has_scripts=False),
    Scene("rating-plain-missing", "rating", ("screen",), _plain_missing, 400, has_scripts=False),
    Scene("rating-instructions", "rating", ("instructions",), _instructions),
    Scene("pause", "pause", ("own", "calendar"), _with_reminder),
    Scene("pause-without-mail", "pause", ("own",), _pause_without_mail),
    Scene("pause-reminded", "pause", ("remind",), _reminded),
    Scene("pause-wrong-address", "pause", ("remind",), _wrong_address, 400),
    Scene("pause-too-early", "pause", ("screen",), _too_early, 403),
    Scene("pause-sent-too-early", "pause", ("screen",), _sent_too_early, 403),
    Scene("pause-opened", "pause", ("own",), _opened),
    Scene("pause-over", "pause", ("own",), _over),
)
