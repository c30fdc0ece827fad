"""A changed consent text before the next question, and what to do without agreeing to it."""

from playwright.sync_api import Page

from annotation.answering.services import assignments, consents
from annotation.basics import keys
from annotation.designs.services import designs
from annotation.kinds.described import EVERYBODY
from annotation.models import Study
from annotation.studies import presets
from annotation.studies.services import studies
from tests.pictures import launches
from tests.pictures.cast import Cast
from tests.pictures.research import Desk
from tests.pictures.scenes import Scene, go, post, send
from tests.pictures.waiting import arrive

# What is new, in the languages of the pictures.
NEWS = {
    "en": ("We also keep **how long** each answer took.", "How long each answer took is new."),
    "de": (
        "Wir speichern auch, **wie lange** jede Antwort dauerte.",
        "Neu ist, dass die Dauer jeder Antwort gespeichert wird.",
    ),
    "cs": (
        "Ukládáme také, **jak dlouho** každá odpověď trvala.",
        "Nově se ukládá, jak dlouho každá odpověď trvala.",
    ),
}


def publish(study: Study, language: str) -> None:
    """A text with one more paragraph, which everybody in the middle is asked about."""
    more, changes = NEWS[language]
    text = f"{presets.texts(language)['consent']}\n\n{more}"
    studies.edit(
        study=study,
        changes={
            "consent": text,
            "consent_asks": EVERYBODY,
            "consent_changes": changes,
        },
    )


def _asked(cast: Cast) -> str:
    """The key of somebody at work who is asked anew."""
    name = cast.another()
    key = cast.beginner(name, answered=1)
    publish(cast.study(name), cast.language)
    return key


def _consent(page: Page, cast: Cast) -> None:
    go(page, cast.url("screen", _asked(cast), 2))


def _text_before(page: Page, cast: Cast) -> None:
    _consent(page, cast)
    page.locator("main details summary").click()


def _undecided(page: Page, cast: Cast) -> None:
    key = _asked(cast)
    go(page, cast.url("consent", key))
    post(page, cast.url("consent", key))


def _stop(page: Page, cast: Cast) -> None:
    go(page, cast.url("stop", _asked(cast)))


def _stopped(page: Page, cast: Cast) -> None:
    _stop(page, cast)
    send(page)
    page.wait_for_url("**/a/*/")
    arrive(page)


def _data(page: Page, cast: Cast) -> None:
    key = _asked(cast)
    go(page, cast.url("stop", key))
    send(page)
    page.wait_for_url("**/a/*/")
    go(page, cast.url("data", key))
    for summary in page.locator("main details summary").all():
        summary.click()


def _sitting_stopped(page: Page, cast: Cast) -> None:
    name = cast.another()
    go(page, launches.address(cast, "p5", study=name))
    page.locator("button[value=agree]").click()
    arrive(page)
    publish(cast.study(name), cast.language)
    page.reload()
    page.locator("form[action$='/consent/'] a.button").click()
    page.wait_for_url("**/stop/")
    send(page)
    page.wait_for_url("**/a/*/")
    arrive(page)


def _who_was_asked(page: Page, desk: Desk) -> None:
    study = desk.add_items(desk.create("Replies, with another consent text"))
    designs.make(design=study.design)
    study = studies.open_study(study=study)
    joined = [
        assignments.join(
            study=study, nonce=keys.new_nonce(), consent=studies.current_consent(study)
        ).annotator
        for _ in range(4)
    ]
    publish(study, desk.language)
    consents.agree(annotator=joined[0], version=2)
    consents.stop(annotator=joined[1], visit=None)
    desk.go(page, desk.of(study, "privacy"))


DESK_SCENES = (Scene("privacy-asked", "results", ("annotation_study_privacy",), _who_was_asked),)
SCENES = (
    Scene("consent-anew", "way out", ("consent", "screen"), _consent),
    Scene("consent-anew-before", "way out", ("consent",), _text_before),
    Scene("consent-anew-undecided", "way out", ("consent",), _undecided, 400),
    Scene("consent-stop", "way out", ("stop",), _stop),
    Scene("consent-stopped", "way out", ("stop", "own"), _stopped),
    Scene("consent-data", "way out", ("data",), _data),
    Scene("launch-stopped", "way out", ("launch", "stop"), _sitting_stopped),
)
