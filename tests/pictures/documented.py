"""The pictures of the documentation: what each shows, and how much of the page."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.urls import reverse
from playwright.sync_api import Browser, FloatRect, Page

from annotation.answering.services import assignments, instructions
from annotation.basics import keys
from annotation.models import Listing, Study
from annotation.studies.services import studies as study_services
from tests.pictures.paid import PaidStudies
from tests.pictures.questioned import ask
from tests.pictures.scenes import go, send
from tests.pictures.waiting import arrive, settled

WIDTH = 1140
# Above what is shown; the page's navigation stays out.
_MARGIN = 16
_HEAD = ".head"
_MTURK_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"


@dataclass(frozen=True)
class DocumentedPicture:
    """One file of docs/pictures.

    Parameters
    ----------
    name : str
        Without `.png`.
    show : callable
        Leads to the page.
    part : str
        Selector of what the picture begins with; empty: the top of the window.
    height : int
        At most, in pixels; 0: to the end of the page.
    is_part_alone : bool
        Nothing but the part is shown.
    width : int
        Of the window.
    """

    name: str
    show: Callable[[Page, PaidStudies], None]
    part: str = _HEAD
    height: int = 0
    is_part_alone: bool = False
    width: int = WIDTH


def take(browser: Browser, picture: DocumentedPicture, studies: PaidStudies, folder: Path) -> Path:
    """Take one picture, in the light colours."""
    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height or 860},
        locale=studies.desk.language,
        color_scheme="light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    picture.show(page, studies)
    settled(page)
    path = folder / f"{picture.name}.png"
    if picture.is_part_alone:
        page.locator(picture.part).first.screenshot(path=path)
    elif picture.part:
        _take_from(page, picture, path)
    else:
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=path)
    context.close()
    return path


def _take_from(page: Page, picture: DocumentedPicture, path: Path) -> None:
    box = page.locator(picture.part).first.bounding_box()
    assert box is not None  # it is shown
    top = max(0.0, box["y"] - _MARGIN)
    end: float = page.evaluate(
        "Math.max(...[...document.querySelectorAll('main *, #content *')]"
        ".map(e => e.getBoundingClientRect().bottom + scrollY))"
    )
    height = min(picture.height or end, end + _MARGIN - top)
    clip = FloatRect(x=0, y=top, width=picture.width, height=height)
    page.screenshot(path=path, full_page=True, clip=clip)


def _at(
    which: Callable[[PaidStudies], Study], name: str, query: str = ""
) -> Callable[[Page, PaidStudies], None]:
    def show(page: Page, studies: PaidStudies) -> None:
        desk = studies.desk
        desk.go(page, desk.of(which(studies), name) + query)

    return show


def _listing(
    which: Callable[[PaidStudies], Study], number: int, name: str = "listing", query: str = ""
) -> Callable[[Page, PaidStudies], None]:
    def show(page: Page, studies: PaidStudies) -> None:
        study = which(studies)
        listing = study.listings.get(number=number)
        studies.desk.go(page, studies.desk.of(study, name, listing.pk) + query)

    return show


def _planned(studies: PaidStudies) -> Study:
    return studies.planned


def _ready(studies: PaidStudies) -> Study:
    return studies.ready


def _running(studies: PaidStudies) -> Study:
    return studies.running


def _demo(studies: PaidStudies) -> Study:
    return studies.demo


def _publish(page: Page, studies: PaidStudies) -> None:
    _listing(_ready, 1, "listing_publish")(page, studies)
    page.locator("main input[type=text]").first.fill("21.00")


def _approve(page: Page, studies: PaidStudies) -> None:
    _at(_running, "visits")(page, studies)
    send(page, "form[action$='/decide/']")
    arrive(page)


def _ask_to_return(page: Page, studies: PaidStudies) -> None:
    _at(_running, "visits")(page, studies)
    for box in page.locator("input[name=visit]").all():
        box.uncheck()
    visit = studies.visit_without_consent(studies.running)
    page.locator(f"input[name=visit][value='{visit.pk}']").check()
    page.locator("input[name=action][value=ask_return]").check()
    send(page, "form[action$='/decide/']")
    page.locator("#id_reason").fill(
        "You did not agree, so there was nothing to do. Please return the submission."
    )


def _visit(page: Page, studies: PaidStudies) -> None:
    visit = studies.excluded_visit(studies.running)
    studies.desk.go(page, studies.desk.of(studies.running, "visit", visit.pk))


def _settle(page: Page, studies: PaidStudies) -> None:
    intent = studies.unsettled(studies.running)
    studies.desk.go(page, f"{studies.desk.of(studies.running, 'ledger')}{intent.pk}/")


def _launched(studies: PaidStudies, listing: Listing, query: str) -> str:
    return f"{studies.desk.base}{reverse('annotator:launch', args=[listing.token])}?{query}"


def _consent(page: Page, studies: PaidStudies) -> None:
    listing = studies.running.listings.get(platform="panel")
    go(page, _launched(studies, listing, "participantId=P17&assignmentId=S17"))


def _preview(page: Page, studies: PaidStudies) -> None:
    listing = studies.running.listings.get(platform="mturk")
    query = f"assignmentId={_MTURK_PREVIEW}&hitId={studies.ticket_id(listing)}"
    go(page, _launched(studies, listing, query))


def _screen(page: Page, studies: PaidStudies) -> None:
    joined = assignments.join(
        study=studies.demo,
        nonce=keys.new_nonce(),
        consent=study_services.current_consent(studies.demo),
    )
    instructions.begin(annotator=joined.annotator)
    path = reverse("annotator:screen", args=[joined.key, 1])
    go(page, studies.desk.base + path)
    page.locator("[data-question] [data-role=best]").first.click()
    page.locator("[data-state]:not(:empty)").first.wait_for()


def _questionnaire(page: Page, studies: PaidStudies) -> None:
    study = studies.planned
    ask(study, studies.desk.language)
    joined = assignments.join(
        study=study,
        nonce=keys.new_nonce(),
        consent=study_services.current_consent(study),
    )
    go(page, studies.desk.base + reverse("annotator:own", args=[joined.key]))
    page.locator("input[value=yes_and]").check()


# The overview comes before somebody joins, and then in the order of the documentation.
PICTURES = (
    DocumentedPicture("desk", _at(_demo, "change"), part="", height=860),
    DocumentedPicture("annotator", _screen, part="", height=700, width=900),
    DocumentedPicture("platforms-dry-run", _listing(_planned, 1, "listing_publish")),
    DocumentedPicture("platforms-publish", _publish),
    DocumentedPicture("platforms-platforms", _at(_running, "platforms"), height=720),
    DocumentedPicture("platforms-listing", _listing(_ready, 1), height=820),
    DocumentedPicture(
        "platforms-panel",
        _listing(_planned, 2),
        part="[aria-labelledby=settings-title]",
        height=940,
    ),
    DocumentedPicture(
        "platforms-codes",
        _listing(_running, 3),
        part="[aria-labelledby=way-title]",
        is_part_alone=True,
    ),
    DocumentedPicture("platforms-preview", _preview, part="", height=760),
    DocumentedPicture("platforms-consent", _consent, part="", height=760),
    DocumentedPicture("platforms-review", _at(_running, "visits"), height=640),
    DocumentedPicture("platforms-approve", _approve),
    DocumentedPicture("platforms-ask-to-return", _ask_to_return),
    DocumentedPicture("platforms-visit", _visit, height=720),
    DocumentedPicture("platforms-wage", _listing(_running, 2, "listing_wage", "?floor=12")),
    DocumentedPicture("platforms-ledger", _at(_running, "ledger"), height=800),
    DocumentedPicture("platforms-settle", _settle),
    DocumentedPicture("questionnaire", _questionnaire, part="", height=1180, width=760),
)
