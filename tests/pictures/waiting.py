"""Waiting until a page can be used, and until nothing on it moves any more."""

import re
from collections.abc import Callable

from playwright.sync_api import Page

Address = str | re.Pattern[str] | Callable[[str], bool]


def arrive(page: Page, address: Address | None = None, *, has_scripts: bool = True) -> None:
    """Wait for the page of this address, its style sheets and, on a screen, its keys.

    A click that leads elsewhere returns when the new document begins. Keys that are pressed before
    its scripts have run are lost, and whoever looks at it too soon sees half a page.
    """
    if address is not None:
        page.wait_for_url(address)
    page.wait_for_load_state("load")
    if has_scripts:
        page.locator("html[data-ready], body:not(.screen)").first.wait_for(state="attached")


def settled(page: Page) -> None:
    """Wait until nothing on the page moves or changes colour any more."""
    page.evaluate(
        "Promise.allSettled(document.getAnimations()"
        ".filter(a => a.effect.getComputedTiming().endTime !== Infinity).map(a => a.finished))"
    )
    page.evaluate(
        """() => new Promise(done => {
          let last = [NaN, NaN], calm = 0;
          const look = () => {
            const now = [scrollX, scrollY];
            calm = now.every((value, i) => value === last[i]) ? calm + 1 : 0;
            last = now;
            if (calm < 6) requestAnimationFrame(look); else done();
          };
          look();
        })"""
    )
