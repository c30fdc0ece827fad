"""The words at the ends of a slider stand there, and a track that waits does not look dead."""

from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.browser.booklets import ready
from tests.browser.test_rating import Rater, is_thumb_shown, slider, value
from tests.browser.test_selection import Selector
from tests.support import rating, selecting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

SCALES = {
    "left to right": {"0": "nichts gemeinsam", "6": "dieselbe Bedeutung"},
    "right to left": {"0": "لا شيء مشترك", "6": "المعنى نفسه"},
}
WINDOWS = [(1280, 900), (360, 740)]

# How far the visible words are from the ends of the track: of the left one, of the right one.
_GAPS = """slider => {
  const box = element => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  };
  const track = slider.querySelector("[data-range]").getBoundingClientRect();
  const [low, high] = [...slider.querySelectorAll(".slider-end")].map(box);
  return [Math.abs(low.left - track.left), Math.abs(high.right - track.right)];
}"""


@pytest.mark.parametrize("size", WINDOWS)
@pytest.mark.parametrize("labels", SCALES.values(), ids=SCALES)
def test_the_words_stand_at_the_ends_of_the_track(
    new_context: Any, live_server: Any, labels: dict[str, str], size: tuple[int, int]
) -> None:
    scale = {"low": "0", "high": "6", "step": "1", "labels": labels}
    page = new_context(viewport={"width": size[0], "height": size[1]}).new_page()
    Rater(live_server, rating.make_rating_study(pairs=1, scale=scale)).open(page)

    gaps = page.locator("[data-slider]").first.evaluate(_GAPS)

    assert max(gaps) <= 2, gaps


def test_so_they_do_at_each_scale_of_a_selection(page: Any, live_server: Any) -> None:
    Selector(live_server, selecting.make_selection_study()).open(page)

    gaps = page.locator("[data-slider]").evaluate_all(f"all => all.map({_GAPS})")

    assert len(gaps) == 3
    assert max(map(max, gaps)) <= 2, gaps


def colours(control: Any) -> set[Any]:
    """The two that most of a control has: of its ground and of what it is filled with."""
    picture = Image.open(BytesIO(control.screenshot())).convert("RGB")
    counts = sorted(picture.getcolors(maxcolors=picture.width * picture.height), reverse=True)
    return {colour for _n, colour in counts[:2]}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_untouched_track_looks_neither_switched_off_nor_set(
    new_context: Any, live_server: Any, scheme: str
) -> None:
    page = new_context(color_scheme=scheme).new_page()
    Rater(live_server, rating.make_rating_study(pairs=1)).open(page)
    untouched = colours(slider(page))
    slider(page).evaluate("range => { range.disabled = true; }")
    switched_off = colours(slider(page))

    # The ground is the same, and the track is not.
    assert len(untouched & switched_off) == 1
    assert not is_thumb_shown(page)
    assert value(page).inner_text() == "–"


PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize(
    ("options", "is_shown"),
    [({}, True), (PHONE, False), ({"java_script_enabled": False}, False)],
    ids=["with keys", "phone", "no script"],
)
def test_keys_are_described_to_those_who_can_press_them(
    new_context: Any, live_server: Any, options: dict[str, Any], is_shown: bool
) -> None:
    page = new_context(**options).new_page()
    rater = Rater(live_server, rating.make_rating_study(pairs=1))
    for rest in ("instructions/", "s/1/"):
        page.goto(rater.url(rest))
        if rest == "s/1/":
            if options.get("java_script_enabled", True):
                ready(page)
            page.locator("summary").first.click()

        assert page.locator(".key-list").is_visible() == is_shown
        assert page.locator(".keys h2").is_visible() == is_shown
