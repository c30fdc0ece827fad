"""Opening, pausing, finishing on the pages; the overview, the desk, the token."""

import contextlib

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.answering.services import assignments
from annotation.basics.errors import StateError
from annotation.basics.sentences import read
from annotation.core.services import jobs
from annotation.crowds.services import publishing
from annotation.designs.services import designs
from annotation.models import AuditEvent, Study
from annotation.studies import presets
from annotation.studies.queries.loose_ends import LooseEnds, loose_ends
from annotation.studies.services import studies
from tests.crowds.test_visits import enter
from tests.support.answering import answer_all
from tests.support.api import Caller
from tests.support.clock import Clock
from tests.support.crowds import make_listing, make_ticket, use_framed
from tests.support.factories import join, make_open_study, make_study, make_user
from tests.support.rating import TWICE, make_rating_study, rate_phase
from tests.support.rating import join as join_raters
from tests.support.researcher_pages import said, signed_in, text, url

pytestmark = pytest.mark.django_db


# -- States -------------------------------------------------------------------------------------


def test_opening_says_what_will_happen_and_then_does_it() -> None:
    study = make_study()
    designs.make(design=study.design)
    client = signed_in(study.owner)

    page = text(client.get(url(study, "open")))
    study.refresh_from_db()
    assert study.state == "draft"
    response = client.post(url(study, "open"), follow=True)

    study.refresh_from_db()
    assert "The design is frozen: 10 items, 20 tuples" in page
    assert "Anyone with the open link can join while places are free." in page
    assert study.state == "open"
    assert study.design.is_frozen
    assert said(response) == ["The study is open."]
    assert read(AuditEvent.objects.get().said) == "The study is open."


def test_items_without_tuples_and_pools_in_parts_are_warned_of_before_opening() -> None:
    study = make_study()
    design = study.design
    design.parameters = {**design.parameters, "factor": 0.2}
    design.save()
    designs.make(design=design)
    client = signed_in(study.owner)

    pages = [text(client.get(url(study, name))) for name in ("open", "change", "design")]
    client.post(url(study, "open"))

    study.refresh_from_db()
    for page in pages:
        assert "4 items appear in no tuple and will have no score." in page
        assert "In 2 pools not all items can be compared with one another." in page
    assert study.state == "open"


def test_a_study_without_a_design_cannot_be_opened() -> None:
    study = make_study()
    client = signed_in(study.owner)

    page = client.get(url(study, "open"))
    response = client.post(url(study, "open"), follow=True)

    study.refresh_from_db()
    reason = "There is no design yet. Make one and read its certificate."
    assert reason in text(page)
    assert said(response) == [reason]
    assert study.state == "draft"


@pytest.mark.parametrize("way", ["page", "api"])
@pytest.mark.slow
def test_a_design_that_was_made_again_is_not_frozen_unseen(way: str) -> None:
    study = make_study()
    designs.make(design=study.design)
    seen = dict(signed_in(study.owner).get(url(study, "open")).context["carried"])
    assert Caller(study).get("steps/").json()["design"] == seen["design"]
    designs.make(design=study.design)

    refusal = open_by(way, study, **seen)

    study.refresh_from_db()
    assert study.is_draft
    assert str(studies.OTHER_DESIGN) in refusal
    now = dict(signed_in(study.owner).get(url(study, "open")).context["carried"])
    open_by(way, study, **now)
    study.refresh_from_db()
    assert study.state == "open"


def test_resuming_never_opens_a_draft() -> None:
    study = make_study()
    designs.make(design=study.design)

    response = signed_in(study.owner).post(url(study, "resume"), follow=True)

    study.refresh_from_db()
    assert study.state == "draft"
    assert said(response) == ["You cannot do this now: the study is draft."]


def test_pause_resume_close_reopen_finish() -> None:
    study = make_open_study()
    client = signed_in(study.owner)
    states = []

    for step in ("pause", "resume", "close", "resume", "finish", "resume"):
        assert client.get(url(study, step)).status_code == 200
        client.post(url(study, step))
        study.refresh_from_db()
        states.append(study.state)

    assert states == ["paused", "open", "closed", "open", "finished", "finished"]
    assert AuditEvent.objects.count() == 5


def test_a_double_click_is_one_step() -> None:
    study = make_open_study()
    client = signed_in(study.owner)

    client.post(url(study, "pause"))
    response = client.post(url(study, "pause"), follow=True)

    assert said(response) == ["The study is paused."]
    assert AuditEvent.objects.count() == 1


def test_finishing_says_how_many_are_at_work() -> None:
    study = make_open_study()
    join(study)

    page = text(signed_in(study.owner).get(url(study, "finish")))

    assert "1 person has started and not finished yet." in page
    assert "This is final" in page


def test_finishing_says_whose_work_would_be_lost(clock: Clock) -> None:
    study = make_rating_study(phases=TWICE, pairs=2, ratings_per_item=6, items_per_booklet=2)
    waiting, unsent, at_work = (join_raters(study) for _ in range(3))
    rate_phase(waiting.assignment)
    rate_phase(unsent.assignment, send=False)
    assert at_work.assignment.runs.get().questions.exists()

    ends = loose_ends(study)
    shown = signed_in(study.owner).get(url(study, "finish")).context["confirmation"]

    assert ends == LooseEnds(n_unsent=1, n_waiting=1)
    assert [line.values["n"] for line in shown.consequences if line.values] == [3, 1, 1]


# -- Overview and desk --------------------------------------------------------------------------


def test_the_walk_is_ticked_until_the_design_is_made_anew() -> None:
    study = make_study()
    client = signed_in(study.owner)
    designs.make(design=study.design)

    def state() -> str:
        return str(client.get(url(study, "change")).context["steps"][3].state)

    client.post(url(study, "try_walked"))
    assert state() == "done"
    designs.make(design=study.design)
    assert state() != "done"


def test_a_step_that_is_not_possible_yet_says_what_it_waits_for() -> None:
    study = make_study(dialogues=0)

    steps = signed_in(study.owner).get(url(study, "change")).context["steps"]

    assert [str(step.waits_for) for step in steps] == [
        "",
        "",
        "Import the items first.",
        "Make the design first.",
        "Make the design first.",
        "Nobody can join before the study is open.",
        "Nobody has completed a booklet yet.",
        "There are no answers to download before the study is open.",
        "You can make a release once somebody has completed a booklet.",
    ]


def test_the_steps_that_need_the_design_say_that_it_is_being_made() -> None:
    study = make_study()
    jobs.start(study=study, kind="make_design")

    steps = signed_in(study.owner).get(url(study, "change")).context["steps"]

    assert steps[2].state == "running"
    assert [str(step.waits_for) for step in steps[3:5]] == ["The design is being made."] * 2


@pytest.mark.slow
def test_the_desk_emphasises_the_next_step() -> None:
    study = make_study()
    consent = presets.texts("en")["consent"]
    study.consent_texts.update(text=consent)
    client = signed_in(study.owner)

    def next_step() -> str:
        steps = client.get(url(study, "change")).context["steps"]
        (step,) = [step for step in steps if step.state == "next"]
        assert [action for action in step.actions if action[2]]
        return str(step.title)

    assert next_step() == "Describe"
    studies.edit(study=study, changes={"consent": "I agree."})
    assert next_step() == "Design"
    job = jobs.start(study=study, kind="make_design")
    jobs.run(job.pk)
    assert next_step() == "Try it"
    client.get(url(study, "try_thanks"))
    assert next_step() == "Try it"  # looking at the last page alone ticks nothing
    client.post(url(study, "try_walked"))
    assert next_step() == "Open"
    studies.open_study(study=study)
    assert next_step() == "Collect"
    while study.design.booklets.filter(places__assignments=None).exists():
        assignment = join(study).assignment
        answer_all(assignment)
        assignments.submit(assignment=assignment)
    assert next_step() == "Score"


@pytest.mark.slow
def test_scoring_without_answers_leaves_the_step_to_be_done() -> None:
    study = make_open_study()
    jobs.run(jobs.start(study=study, kind="score").pk)
    client = signed_in(study.owner)

    step = client.get(url(study, "change")).context["steps"][6]
    assert (step.title, step.state, step.summary) == ("Score", "later", "Not scored yet.")

    while study.design.booklets.filter(places__assignments=None).exists():
        assignment = join(study).assignment
        answer_all(assignment)
        assignments.submit(assignment=assignment)
    assert client.get(url(study, "change")).context["steps"][6].state == "next"
    jobs.run(jobs.start(study=study, kind="score").pk)
    assert client.get(url(study, "change")).context["steps"][6].state == "done"


def test_the_overview_says_what_needs_attention() -> None:
    user = make_user()
    make_study(owner=user)
    open_study = make_open_study(owner=user)
    answer_all(join(open_study).assignment)

    response = signed_in(user).get(reverse("admin:index"))

    page = text(response)
    cards = {card.study.pk: card for card in response.context["studies"]}
    assert "No background worker is running." in page
    assert "No design yet. Make one and read its certificate." in page
    assert cards[open_study.pk].places.in_work == 1
    assert cards[open_study.pk].n_judgments == open_study.design.booklets.first().questions.count()


def test_the_overview_needs_no_more_queries_for_more_studies(
    django_assert_max_num_queries,
) -> None:
    user = make_user()
    for _ in range(5):
        make_open_study(owner=user)
    client = signed_in(user)

    with django_assert_max_num_queries(22):  # one asks PostgreSQL for its time
        client.get(reverse("admin:index"))


def unfilled_draft() -> Study:
    """Ready to be opened, but for the place that the plan's consent text leaves for a name."""
    study = make_study()
    study.consent_texts.update(text=presets.texts("en")["consent"])
    designs.make(design=study.design)
    return study


def test_a_study_does_not_open_while_its_consent_text_names_nobody() -> None:
    study = unfilled_draft()
    client, api = signed_in(study.owner), Caller(study)

    page = client.get(url(study, "open"))
    client.post(url(study, "open"))
    by_api = api.post("steps/", step="open")
    with pytest.raises(CommandError, match=r"\[name of the researcher.* --contact"):
        call_command("open_study", study.slug)

    assert "[name of the researcher, e-mail]" in text(page)
    assert by_api.status_code == 409
    study.refresh_from_db()
    assert study.is_draft


@pytest.mark.parametrize("way", ["page", "command", "api"])
def test_a_study_does_not_open_with_any_placeholder_in_its_consent_text(way: str) -> None:
    study = unfilled_draft()
    studies.edit(study=study, changes={"consent": "Ask Ada. Approved as [IRB number]."})

    refusal = open_by(way, study)

    study.refresh_from_db()
    assert "[IRB number]" in refusal
    assert "--contact" not in refusal
    assert study.is_draft
    # Links and round brackets hinder nobody.
    studies.edit(study=study, changes={"consent": "See [here](https://example.org) (now)."})
    open_by(way, study)
    study.refresh_from_db()
    assert study.state == "open"


def open_by(way: str, study: Study, **confirmed: bool | str) -> str:
    """Open a study; returns what was said against it."""
    if way == "page":
        answer = signed_in(study.owner).post(url(study, "open"), confirmed, follow=True)
        return " ".join(said(answer))
    if way == "api":
        return str(Caller(study).post("steps/", step="open", **confirmed).json())
    try:
        call_command("open_study", study.slug, **confirmed)
    except CommandError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("way", ["page", "command", "api"])
def test_a_study_opens_without_a_consent_text_only_if_that_is_confirmed(way: str) -> None:
    study = unfilled_draft()
    studies.edit(study=study, changes={"consent": " "})

    page = signed_in(study.owner).get(url(study, "open"))
    refusal = open_by(way, study)

    study.refresh_from_db()
    assert page.context["box"]["is_required"]
    assert str(studies.NO_CONSENT) in refusal
    assert study.is_draft
    open_by(way, study, without_consent=True)
    study.refresh_from_db()
    assert study.state == "open"
    # What it never had is not asked for again.
    studies.edit(study=study, changes={"consent": ""})


@pytest.mark.parametrize("way", ["command", "api"])
def test_whom_people_can_ask_is_named_while_opening(way: str) -> None:
    study = unfilled_draft()

    if way == "command":
        call_command("open_study", study.slug, "--contact", "Ada  Example, ada@example.org")
    else:
        said = Caller(study).post("steps/", step="open", contact="Ada Example, ada@example.org")
        assert said.status_code == 200, said.json()

    study.refresh_from_db()
    assert study.state == "open"
    said = studies.current_consent(study).text
    assert "Ada Example, ada@example.org" in said
    assert presets.placeholders(said) == []


def test_nobody_is_named_where_there_is_no_place_for_it() -> None:
    study = make_study()
    designs.make(design=study.design)

    with pytest.raises(
        CommandError, match="The consent text has no square brackets left to put a name in"
    ):
        call_command("open_study", study.slug, "--contact", "Ada Example")
    with pytest.raises(
        CommandError, match="Give the name and e-mail address of a person whom annotators can"
    ):
        call_command("open_study", unfilled_draft().slug, "--contact", " ")

    study.refresh_from_db()
    assert study.is_draft


# -- Listings on platforms ----------------------------------------------------------------------


def finish_by(way: str, study: Study) -> None:
    if way == "page":
        signed_in(study.owner).post(url(study, "finish"))
    elif way == "api":
        Caller(study).post("steps/", step="finish")
    else:
        with contextlib.suppress(CommandError):
            call_command("finish_study", study.slug)
    study.refresh_from_db()


@pytest.mark.parametrize("way", ["page", "command", "api"])
def test_a_study_is_not_finished_while_a_listing_is_published(way: str) -> None:
    study = make_open_study()
    listing = make_listing(study)

    page = signed_in(study.owner).get(url(study, "finish"))
    finish_by(way, study)

    assert study.state == "open"
    assert page.context["confirmation"].obstacles
    assert page.context["confirmation"].links[0][0] == url(study, "listing", listing.pk)
    publishing.close(listing=listing, by=study.owner)
    finish_by(way, study)
    assert study.state == "finished"


def test_a_study_is_not_finished_while_people_of_a_paid_listing_are_at_work(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    use_framed(monkeypatch)
    study = make_open_study()
    listing = make_listing(study, platform="mturk", environment="sandbox")
    make_ticket(listing)
    enter(listing)
    publishing.close(listing=listing, by=study.owner)

    with pytest.raises(StateError) as refused:
        studies.finish(study=study)
    # Whoever has left holds nobody up.
    clock.move(minutes=study.idle_minutes + 1)
    studies.finish(study=study)

    assert refused.value.said[0].values == {"n": 1}


@pytest.mark.parametrize("step", ["pause", "close"])
def test_pausing_and_closing_name_the_listings_that_stay_out(
    step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_open_study()
    listing = make_listing(study)
    make_listing(study, state="closed")
    client = signed_in(study.owner)

    page = client.get(url(study, step))
    steps = {one["step"]: one for one in Caller(study).get("steps/").json()["steps"]}
    client.post(url(study, step))

    named = [str(line) for line in page.context["confirmation"].consequences]
    assert [line for line in named if "Listing 1" in line]
    assert [line for line in steps[step]["consequences"] if "Listing 1" in line]
    assert [address for address, _ in page.context["confirmation"].links] == [
        url(study, "listing", listing.pk)
    ]
    study.refresh_from_db()
    assert study.state in {"paused", "closed"}
    call_command(f"{step}_study", study.slug)
    assert "Listing 1" in capsys.readouterr().err
    # It goes on being said where the study stands.
    alert = client.get(url(study, "change")).context["head"].needs[0]
    assert alert.values == {"n": 1}
