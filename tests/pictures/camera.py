"""A browser that goes through scenes, takes pictures, and notes what must not happen."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Response

from tests.pictures.scenes import Scene
from tests.pictures.waiting import settled

SCHEMES = ("light", "dark")
PATIENCE_MS = 30_000
HIGHEST = 8_000  # of a window; what is longer is drawn beyond it
# A phone has a finger, a window half covered by its own bars, and a keyboard nowhere.
WINDOWS: dict[int, dict[str, Any]] = {
    1280: {"viewport": {"width": 1280, "height": 900}},
    360: {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
}
# What the browser itself writes into its console when an answer is no 200, or does not come.
_EXPECTED = ("the server responded with a status of 4", "the server responded with a status of 5")
_OFFLINE = "net::ERR_"


@dataclass
class Heard:
    """What a page said and how it answered while a scene was played."""

    complaints: list[str] = field(default_factory=list)
    status: int = 0

    def listen(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"threw {error}"))
        page.on("response", self._response)
        page.on("dialog", lambda dialog: dialog.accept())

    def _console(self, message: ConsoleMessage) -> None:
        expected = (*_EXPECTED, _OFFLINE)
        if message.type in {"error", "warning"} and not any(
            text in message.text for text in expected
        ):
            self.complaints.append(f"console: {message.text}")

    def _response(self, response: Response) -> None:
        if response.request.is_navigation_request() and response.status not in {301, 302, 303}:
            self.status = response.status
        if "/static/" in response.url and response.status >= 400:
            self.complaints.append(f"answered {response.status}: {response.url}")


@dataclass(frozen=True)
class Picture:
    """One file, and what it shows."""

    scene: str
    group: str
    side: str
    language: str
    width: int
    scheme: str
    path: str


@contextmanager
def played(context: BrowserContext, scene: Scene[Any], who: Any) -> Iterator[tuple[Page, Heard]]:
    """The page as the scene leaves it; with what was heard on the way."""
    heard = Heard()
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    # Nobody was here before: what a page remembers in the browser belongs to another scene.
    session = context.new_cdp_session(page)
    kept = {"origin": who.base, "storageTypes": "local_storage"}
    session.send("Storage.clearDataForOrigin", kept)
    session.detach()
    heard.listen(page)
    try:
        scene.show(page, who)
        yield page, heard
    finally:
        context.set_offline(False)
        page.close(run_before_unload=False)


def problems(page: Page, scene: Scene[Any], heard: Heard) -> list[str]:
    found = list(heard.complaints)
    if heard.status != scene.status:
        found.append(f"answered {heard.status}, not {scene.status}")
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    if width > window:
        found.append(f"{width} px wide in a window of {window} px")
    return found


def take(page: Page, path: Path, *, is_window: bool) -> None:
    """The window, or all of the page in a window as high as it is: bars then stand at its end."""
    size = page.viewport_size
    assert size is not None  # every context has one
    height: int = page.evaluate("document.documentElement.scrollHeight")
    if not is_window and height > size["height"]:
        page.set_viewport_size({"width": size["width"], "height": min(height, HIGHEST)})
    page.screenshot(path=path, full_page=not is_window)
    if page.viewport_size != size:
        page.set_viewport_size(size)


@dataclass
class Camera:
    """Takes the pictures of one list of scenes, for one language."""

    browser: Browser
    folder: Path
    side: str
    language: str
    cookies: list[Any] = field(default_factory=list)

    def shoot(
        self, scenes: list[Scene[Any]], who: Any, *, width: int, schemes: tuple[str, ...]
    ) -> Iterator[tuple[list[Picture], list[str]]]:
        """The pictures of each scene, and what is wrong with it."""
        contexts = {
            has_scripts: self._context(width, has_scripts=has_scripts)
            for has_scripts in {scene.has_scripts for scene in scenes}
        }
        for scene in scenes:
            yield self._shoot(contexts[scene.has_scripts], scene, who, width, schemes)
        for context in contexts.values():
            context.close()

    def _context(self, width: int, *, has_scripts: bool) -> BrowserContext:
        context = self.browser.new_context(
            **WINDOWS[width], locale=self.language, java_script_enabled=has_scripts
        )
        context.add_cookies(self.cookies)
        return context

    def _shoot(
        self,
        context: BrowserContext,
        scene: Scene[Any],
        who: Any,
        width: int,
        schemes: tuple[str, ...],
    ) -> tuple[list[Picture], list[str]]:
        pictures = []
        name = f"{self.side}/{self.language}/{scene.name}-{width}"
        try:
            with played(context, scene, who) as (page, heard):
                for scheme in schemes:
                    # Colours that fade from one scheme to the other would be taken half-way.
                    page.emulate_media(
                        color_scheme="dark" if scheme == "dark" else "light",
                        reduced_motion="reduce",
                    )
                    if scene.has_scripts:
                        settled(page)
                    path = f"{name}-{scheme}.png"
                    take(page, self.folder / path, is_window=scene.is_window)
                    pictures.append(
                        Picture(
                            scene.name,
                            scene.group,
                            self.side,
                            self.language,
                            width,
                            scheme,
                            path,
                        )
                    )
                found = problems(page, scene, heard)
        except Exception as error:  # noqa: BLE001 - one scene that fails must not hide the others
            found = [str(error).strip().partition("\n")[0]]
        return pictures, [f"{name}: {problem}" for problem in found]
