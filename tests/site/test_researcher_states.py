"""Opening, pausing, finishing on the pages; the overview, the desk, the token."""

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.answering.services import assignments
from annotation.basics.sentences import read
from annotation.core.services import jobs
from annotation.designs.services import designs
from annotation.models import Study
from annotation.studies import presets
from annotation.studies.services import studies
from tests.site.test_api_desk import Caller
from tests.support.answering import answer_all
from tests.support.factories import join, make_open_study, make_study, make_user
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
    assert "Anybody who has the open link may take a place." in page
    assert study.state == "open"
    assert study.design.is_frozen
    assert said(response) == ["The study is open."]
    assert read(LogEntry.objects.get().change_message) == "The study is open."


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
    reason = "The design has not been made yet: make it and read its certificate."
    assert reason in text(page)
    assert said(response) == [reason]
    assert study.state == "draft"


def test_resuming_never_opens_a_draft() -> None:
    study = make_study()
    designs.make(design=study.design)

    response = signed_in(study.owner).post(url(study, "resume"), follow=True)

    study.refresh_from_db()
    assert study.state == "draft"
    assert said(response) == ["The study is draft: this step is not possible now."]


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
    assert LogEntry.objects.count() == 5


def test_a_double_click_is_one_step() -> None:
    study = make_open_study()
    client = signed_in(study.owner)

    client.post(url(study, "pause"))
    response = client.post(url(study, "pause"), follow=True)

    assert said(response) == ["The study is paused."]
    assert LogEntry.objects.count() == 1


def test_finishing_says_how_many_are_at_work() -> None:
    study = make_open_study()
    join(study)

    page = text(signed_in(study.owner).get(url(study, "finish")))

    assert "1 person is at work now." in page
    assert "This is final" in page


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
        "Nobody is let in before the study is open.",
        "Nobody has completed a booklet yet.",
        "There is nothing to download before the study is open.",
        "There is nothing to release before somebody has completed a booklet.",
    ]


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
    assert (step.title, step.state, step.summary) == ("Score", "later", "Nothing is scored yet.")

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
    assert "No worker is running." in page
    assert "No design yet: make it and read its certificate." in page
    assert cards[open_study.pk].places.in_work == 1
    assert cards[open_study.pk].n_judgments == open_study.design.booklets.first().questions.count()


def test_the_overview_needs_no_more_queries_for_more_studies(
    django_assert_max_num_queries,
) -> None:
    user = make_user()
    for _ in range(5):
        make_open_study(owner=user)
    client = signed_in(user)

    with django_assert_max_num_queries(21):  # one asks PostgreSQL for its time
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
    # Brackets of somebody's own hinder nobody.
    studies.edit(study=study, changes={"consent": "I agree [as far as I can]."})
    client.post(url(study, "open"))
    study.refresh_from_db()
    assert study.state == "open"


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

    with pytest.raises(CommandError, match="no place in square brackets"):
        call_command("open_study", study.slug, "--contact", "Ada Example")
    with pytest.raises(CommandError, match="Name whom people can ask"):
        call_command("open_study", unfilled_draft().slug, "--contact", " ")

    study.refresh_from_db()
    assert study.is_draft
