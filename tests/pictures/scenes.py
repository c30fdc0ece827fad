"""What a list of pages is made of."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from playwright.sync_api import Page

from tests.pictures.waiting import arrive

Who = TypeVar("Who")


@dataclass(frozen=True)
class Scene(Generic[Who]):
    """A page in one state, and how somebody comes there.

    `covers` names the addresses that are seen or used on the way, as in the URL configuration.
    """

    name: str
    group: str
    covers: tuple[str, ...]
    show: Callable[[Page, Who], None]
    status: int = 200
    has_scripts: bool = True
    # The part of the page that fills the window, and not all of it: where something is pinned.
    is_window: bool = False


def go(page: Page, url: str) -> None:
    page.goto(url)
    arrive(page)


def tick_all(page: Page) -> None:
    for box in page.locator("main input[type=checkbox]").all():
        box.check()


def send(page: Page, form: str = "main form") -> None:
    """Send a form as its own button would, past what the browser itself would complain of."""
    page.locator(form).first.evaluate(
        """form => {
          form.noValidate = true;
          const button = form.querySelector("button[type=submit], button:not([type])");
          if (button) button.click(); else form.submit();
        }"""
    )


def post(page: Page, url: str, fields: Iterable[tuple[str, str]] = ()) -> None:
    """Send a form that the page itself does not have: as an outdated page would."""
    with page.expect_navigation():
        page.evaluate(
            """([url, fields]) => {
              const form = document.createElement("form");
              Object.assign(form, { method: "post", action: url });
              for (const [name, value] of fields) {
                const input = document.createElement("input");
                Object.assign(input, { type: "hidden", name, value });
                form.append(input);
              }
              document.body.append(form);
              form.submit();
            }""",
            [url, [list(field) for field in fields]],
        )
    arrive(page)
