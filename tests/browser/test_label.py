"""Categories are chosen by mouse, finger or key, one or several; nothing is lost on the way."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.answering.services import phases
from annotation.models import Assignment, Draft, Judgment, Study
from tests.browser.arriving import arrive, until
from tests.browser.booklets import comment, ready, reload, wait_nothing_kept
from tests.browser.booklets import until as wait_in_page
from tests.browser.inspecting import WINDOWS, Inspector, Window
from tests.support import labelling, rating
from tests.support.clock import Clock

pytestmark = pytest.mark.django_db(transaction=True)


class Labeller:
    """Somebody past the instructions, in a browser."""

    def __init__(self, live_server: Any, study: Study) -> None:
        self.base = live_server.url
        self.joined = rating.join(study)

    def url(self, rest: str = "s/1/") -> str:
        return f"{self.base}/a/{self.joined.key}/{rest}"

    def open(self, page: Any, rest: str = "s/1/") -> Any:
        page.goto(self.url(rest))
        return ready(page)


def inspect(page: Any, *windows: Window) -> None:
    inspector = Inspector(*windows)
    inspector.look(page, "look")
    inspector.look_at_focus(page, "focus")
    assert inspector.found == []


def box(page: Any, place: int) -> Any:
    return page.locator("[data-role=categories]").nth(place)


def chosen(page: Any) -> list[str]:
    return page.evaluate(
        "[...document.querySelectorAll('[data-role=categories]:checked')].map(one => one.value)"
    )


def until_chosen(page: Any, names: list[str]) -> None:
    wait_in_page(page, lambda: chosen(page) == names)


def wait_saved(page: Any) -> None:
    expect(page.locator("[data-state]")).to_have_text("Saved")


def answers() -> list[list[str]]:
    # By question: a later one may be stored while the last change of an earlier one is on its way.
    stored = Judgment.objects.current().order_by(
        "question__block__phase__number", "question__screen", "question__position"
    )
    return [labelling.said(one) for one in stored]


@pytest.fixture
def labeller(live_server: Any) -> Labeller:
    return Labeller(live_server, labelling.make_label_study(pairs=2))


@pytest.fixture
def several(live_server: Any) -> Labeller:
    return Labeller(live_server, labelling.make_label_study(pairs=2, several=True))


@pytest.mark.slow
def test_a_click_chooses_another_one_instead_and_a_second_click_takes_back(
    page: Any, labeller: Labeller
) -> None:
    labeller.open(page)

    box(page, 0).click()
    box(page, 1).click()
    wait_saved(page)
    assert chosen(page) == ["related"]
    until(lambda: answers() == [["related"]])
    box(page, 1).click()

    expect(page.locator("[data-state]")).to_have_text("")
    assert chosen(page) == []
    until(Draft.objects.exists)


@pytest.mark.slow
def test_digits_choose_and_u_takes_back(page: Any, labeller: Labeller) -> None:
    labeller.open(page)

    page.keyboard.press("3")
    page.keyboard.press("1")
    assert chosen(page) == ["same meaning"]
    page.keyboard.press("9")  # no category has it
    page.keyboard.press("u")
    assert chosen(page) == ["nothing in common"]
    wait_saved(page)

    until(lambda: answers() == [["nothing in common"]])


@pytest.mark.slow
def test_several_are_ticked_and_the_page_waits_for_more(page: Any, live_server: Any) -> None:
    study = labelling.make_label_study(pairs=2, several=True, questions_per_screen=2)
    Labeller(live_server, study).open(page)
    first = page.locator("[data-question]").nth(0)

    page.keyboard.press("3")
    page.keyboard.press("1")

    expect(first.locator("[data-state]")).to_have_text("Saved")
    ticked = "section => [...section.querySelectorAll(':checked')].map(one => one.value)"
    assert first.evaluate(ticked) == ["same meaning", "nothing in common"]
    until(lambda: answers() == [["same meaning", "nothing in common"]])
    page.keyboard.press("3")
    until(lambda: answers() == [["same meaning"]])


@pytest.mark.slow
def test_enter_leads_from_a_question_of_several_to_the_next_and_complains_of_nothing(
    page: Any, live_server: Any
) -> None:
    study = labelling.make_label_study(pairs=2, several=True, questions_per_screen=2)
    Labeller(live_server, study).open(page)
    page.keyboard.press("3")
    page.keyboard.press("1")

    page.keyboard.press("Enter")
    expect(page.locator("[data-question]").nth(1)).to_be_focused()
    expect(page.locator("[data-problem]").nth(1)).to_be_hidden()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    arrive(page, "**/overview/")

    assert answers() == [["same meaning", "nothing in common"], ["related"]]


@pytest.mark.slow
def test_where_one_is_chosen_the_next_question_comes_by_itself(
    page: Any, live_server: Any
) -> None:
    study = labelling.make_label_study(pairs=2, questions_per_screen=2)
    Labeller(live_server, study).open(page)

    page.keyboard.press("2")
    page.keyboard.press("3")

    assert chosen(page) == ["related", "nothing in common"]
    expect(page.locator("[data-bar-state]")).to_have_text("All answered. Press Enter to continue.")


@pytest.mark.slow
def test_nothing_chosen_is_said_and_the_first_category_has_the_focus(
    page: Any, labeller: Labeller
) -> None:
    labeller.open(page)

    page.get_by_role("button", name="Next").click()

    expect(page.locator("[data-problem]")).to_have_text("Choose a category.")
    expect(box(page, 0)).to_be_focused()
    described = box(page, 1).get_attribute("aria-describedby").split()
    assert page.locator(f"#{described[0]}").inner_text() == "One says more, or something else."
    assert page.locator(f"#{described[1]}").inner_text() == "Choose a category."
    inspect(page)
    page.keyboard.press("2")

    expect(page.locator("[data-problem]")).to_be_hidden()
    assert box(page, 1).get_attribute("aria-describedby").split() == described[:1]


@pytest.mark.slow
def test_arrow_keys_choose_one_and_only_go_on_among_several(
    page: Any, live_server: Any, labeller: Labeller, several: Labeller
) -> None:
    labeller.open(page)
    box(page, 0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert chosen(page) == ["nothing in common"]
    page.keyboard.press(" ")
    assert chosen(page) == []

    several.open(page)
    box(page, 0).focus()
    page.keyboard.press("ArrowUp")
    assert chosen(page) == []
    page.keyboard.press(" ")
    page.keyboard.press("ArrowUp")
    page.keyboard.press(" ")

    assert chosen(page) == ["related", "nothing in common"]


@pytest.mark.slow
def test_what_was_chosen_is_there_again_after_a_reload(page: Any, several: Labeller) -> None:
    several.open(page)
    page.keyboard.press("1")
    page.keyboard.press("2")
    wait_saved(page)

    reload(page)

    assert chosen(page) == ["same meaning", "related"]
    page.keyboard.press("u")
    expect(page.locator("[data-bar-state]")).to_have_text(
        "There is nothing to undo on this screen."
    )


@pytest.mark.slow
def test_what_could_not_be_sent_is_kept_and_sent_by_the_next_page(
    page: Any, several: Labeller
) -> None:
    several.open(page)
    page.route("**/q/*/", lambda route: route.abort())
    page.keyboard.press("1")
    page.keyboard.press("3")
    expect(page.locator("[data-state]")).to_contain_text("Not saved yet")
    page.unroute("**/q/*/")
    assert not Judgment.objects.exists()

    reload(page)
    wait_saved(page)

    assert chosen(page) == ["same meaning", "nothing in common"]
    assert answers() == [["same meaning", "nothing in common"]]


@pytest.mark.slow
def test_two_devices_that_disagree_are_told_and_nothing_is_written_over(
    new_context: Any, several: Labeller
) -> None:
    here, there = new_context().new_page(), new_context().new_page()
    for page in (here, there):
        several.open(page)
    here.keyboard.press("2")
    wait_saved(here)
    box(there, 0).click()
    note = there.locator("[data-elsewhere]")
    expect(note).to_be_visible()

    expect(note).to_contain_text("same meaning")
    assert chosen(there) == ["related"]
    assert answers() == [["related"]]
    there.get_by_role("button", name="Use this instead").click()
    wait_saved(there)

    assert answers() == [["same meaning"]]
    assert chosen(there) == ["same meaning"]


@pytest.mark.slow
def test_what_is_ticked_in_one_tab_is_seen_in_the_other(page: Any, several: Labeller) -> None:
    other = several.open(page.context.new_page())
    several.open(page)
    box(page, 0).click()
    box(page, 2).click()

    until_chosen(other, ["same meaning", "nothing in common"])
    box(other, 0).click()
    until_chosen(page, ["nothing in common"])

    until(lambda: answers() == [["nothing in common"]])
    assert not Draft.objects.exists()
    for tab in (page, other):
        expect(tab.locator("[data-elsewhere]")).to_be_hidden()
        wait_nothing_kept(tab)


@pytest.mark.slow
def test_what_a_form_of_another_place_had_ticked_is_all_offered_to_the_script(
    new_context: Any, several: Labeller
) -> None:
    """A stale form is sent without a script; the page that answers it has one again."""
    here = new_context().new_page()
    several.open(here)
    there = new_context().new_page()
    several.open(there)
    box(there, 1).click()
    wait_saved(there)
    here.evaluate(
        """() => {
          for (const box of document.querySelectorAll("[data-role=categories]")) {
            box.checked = box.value !== "related";
          }
          document.getElementById("screen").submit();
        }"""
    )
    ready(here)

    expect(here.locator("[data-elsewhere]")).to_contain_text("same meaning, nothing in common")
    assert chosen(here) == ["related"]
    here.get_by_role("button", name="Use this instead").click()
    wait_saved(here)

    assert chosen(here) == ["same meaning", "nothing in common"]
    until(lambda: answers() == [["same meaning", "nothing in common"]])


@pytest.mark.slow
def test_a_comment_alone_says_that_the_category_is_missing(page: Any, labeller: Labeller) -> None:
    labeller.open(page)

    comment(page).type("Neither.")
    page.keyboard.press("Tab")

    expect(page.locator("[data-state]")).to_have_text("Comment saved. Please choose a category.")


def tab_to(page: Any, control: Any) -> None:
    for _ in range(40):
        if control.evaluate("control => control === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("the Tab key does not come to it")


def enter_phase(page: Any) -> None:
    """Two pairs with keys, the overview, send."""
    for keys, following in (("2", "**/s/2/"), ("13", "**/overview/")):
        for key in keys:
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        arrive(page, following)
    tab_to(page, page.get_by_role("button", name="Send my answers"))
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "overview" not in url)
    arrive(page)


@pytest.mark.slow
def test_a_booklet_of_two_phases_with_the_keyboard_alone(
    page: Any, live_server: Any, clock: Clock
) -> None:
    study = labelling.make_label_study(pairs=2, several=True, phases=rating.TWICE)
    labeller = Labeller(live_server, study)
    labeller.open(page)
    enter_phase(page)

    expect(page.get_by_role("heading", level=1)).to_have_text("We have received your answers")
    clock.move(hours=72)
    page.goto(labeller.url(""))
    tab_to(page, page.get_by_role("link", name="Begin the next part"))
    page.keyboard.press("Enter")
    arrive(page, "**/s/1/")
    assert page.locator(".rated-sentence").count() == 2
    inspect(page)
    enter_phase(page)

    expect(page.get_by_role("heading", level=1)).to_have_text("We have received your answers")
    assert answers() == [["related"], ["same meaning", "nothing in common"]] * 2
    assert labeller.joined.annotator.assignments.get().state == Assignment.State.SUBMITTED


@pytest.mark.slow
def test_enter_on_a_ticked_box_goes_on(page: Any, several: Labeller) -> None:
    several.open(page)
    box(page, 1).click()

    box(page, 1).press("Enter")

    arrive(page, "**/s/2/")


@pytest.mark.slow
@pytest.mark.parametrize("is_several", [False, True])
def test_a_booklet_without_a_script(new_context: Any, live_server: Any, is_several: bool) -> None:
    labeller = Labeller(live_server, labelling.make_label_study(pairs=2, several=is_several))
    page = new_context(java_script_enabled=False).new_page()
    page.goto(labeller.url("s/1/"))
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".missing")).to_contain_text("category.")
    for button in ("Next", "Finish"):
        box(page, 1).check()
        if is_several:
            box(page, 2).check()
        page.get_by_role("button", name=button).click()
    page.get_by_role("button", name="Send my answers").click()

    expected = ["related", "nothing in common"] if is_several else ["related"]
    assert answers() == [expected, expected]
    assert phases.latest(labeller.joined.assignment).completed_at is not None


@pytest.mark.slow
@pytest.mark.parametrize("n", [3, 30])
@pytest.mark.parametrize("is_several", [False, True])
def test_axe_finds_nothing_and_nothing_sticks_out(
    page: Any, live_server: Any, n: int, is_several: bool
) -> None:
    names = [f"Kraftfahrzeughaftpflichtversicherung {number}" for number in range(1, n + 1)]
    study = labelling.make_label_study(
        pairs=1, names=names, several=is_several, explanations={names[1]: "With these words. " * 9}
    )
    Labeller(live_server, study).open(page)

    inspect(page, *WINDOWS)
    page.keyboard.press("2")
    if n == 30 and is_several:
        page.keyboard.press("z")
    wait_saved(page)
    inspect(page, *WINDOWS)


@pytest.mark.slow
@pytest.mark.parametrize("looks", [{"color_scheme": "dark"}, {"forced_colors": "active"}])
def test_axe_finds_nothing_in_other_colours(
    new_context: Any, several: Labeller, looks: dict[str, str]
) -> None:
    page = new_context(**looks).new_page()
    several.open(page).keyboard.press("2")
    wait_saved(page)

    inspect(page)
    marks = "one => getComputedStyle(one.querySelector('.mark'), '::before').content"
    signs = [one.evaluate(marks) for one in page.locator(".choice").all()]
    assert "✓" in signs[1]
    assert "✓" not in signs[0] + signs[2]
