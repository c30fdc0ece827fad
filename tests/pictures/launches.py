"""Coming by a platform, and the pages that somebody leaves by."""

from django.utils import timezone
from playwright.sync_api import Page

from annotation.crowds.services import listings
from annotation.models import Listing
from tests.pictures.cast import Cast
from tests.pictures.scenes import Scene, go
from tests.pictures.waiting import arrive


def address(cast: Cast, who: str, *, study: str = "open") -> str:
    """Of a panel's listing, as the panel would send somebody there."""
    of = cast.study(study)
    listing = of.listings.first()
    if listing is None:
        listing = listings.create(study=of, platform="panel", environment="")
        Listing.objects.filter(pk=listing.pk).update(
            state=Listing.State.PUBLISHED,
            published_at=timezone.now(),
            options={"person": "participant", "submission": "session"},
        )
    query = f"participant={who}&session={who}-1" if who else ""
    return f"{cast.url('launch', listing.token)}?{query}"


def _came(page: Page, cast: Cast) -> None:
    go(page, address(cast, "p1"))


def _incomplete(page: Page, cast: Cast) -> None:
    go(page, address(cast, ""))


def _declined(page: Page, cast: Cast) -> None:
    go(page, address(cast, "p2"))
    page.locator("button[value=decline]").click()
    arrive(page)


def _again(page: Page, cast: Cast) -> None:
    go(page, address(cast, "p3"))
    page.locator("button[value=agree]").click()
    arrive(page)
    go(page, address(cast, "p3"))


def _paused(page: Page, cast: Cast) -> None:
    go(page, address(cast, "p4", study="paused"))


SCENES = [
    Scene("launch", "way in", ("launch",), _came),
    Scene("launch-incomplete", "way in", ("launch",), _incomplete, 400),
    Scene("launch-again", "way in", ("launch",), _again),
    Scene("launch-declined", "way in", ("launch",), _declined),
    Scene("launch-paused", "way in", ("launch",), _paused),
]
