"""Studies whose values were collected elsewhere: made from a draft, and a draft again."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.answering.services import rosters
from annotation.basics.errors import FrozenError, ImportProblemsError, StateError
from annotation.crowds.services import listings
from annotation.designs.services import designs
from annotation.items.services import imports
from annotation.items.services.imported_judgments import import_judgments
from annotation.kinds.design_parameters import RatingParameters
from annotation.models import Study
from annotation.results.services import adjudications, scoring
from annotation.studies.queries import overview
from annotation.studies.services import imported_studies, studies
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.researcher_pages import PAGES, signed_in, text, url

pytestmark = pytest.mark.django_db

NOBODY = "its values were collected elsewhere, and Likeness collects no answers"
FILES = ("archive", "label_studio")
ASKING = ("design", "try", "plan", "pilots", "collect", "live", "platforms", "alerts", "roster")
TABLE = "id\ttarget\tcandidate\tmean\np1\tA cat.\tA tomcat.\t3.5\np2\tRain.\tA shoe.\t0.25\n"
ANSWERS = "Item1,Item2,Item3,BestItem,WorstItem\na,b,c,a,c\n"


@pytest.fixture
def table(tmp_path: Path) -> Study:
    """A table of pairs with published means, marked as imported."""
    study = studies.create(owner=make_user("ada"), title="Published", preset="stss-131")
    (tmp_path / "pairs.tsv").write_text(TABLE)
    imports.import_items(study=study, path=tmp_path / "pairs.tsv", filename="pairs.tsv")
    return imported_studies.mark(study=study)


@pytest.fixture
def answered(tmp_path: Path) -> Study:
    """Finished answers to three items."""
    study = make_study(dialogues=0)
    (tmp_path / "answers.csv").write_text(ANSWERS)
    import_judgments(study=study, path=tmp_path / "answers.csv")
    return Study.objects.get(pk=study.pk)


def titles(client: Client, study: Study) -> list[str]:
    return [str(step.title) for step in client.get(url(study, "change")).context["steps"]]


def pages_of(client: Client, study: Study) -> set[str]:
    places = client.get(url(study, "change")).context["navigation"]
    return {page.address for place in places for page in place.pages}


def test_the_desk_of_a_table_leads_from_the_items_to_the_release(table: Study) -> None:
    client = signed_in(table.owner)

    page = client.get(url(table, "change"))

    assert titles(client, table) == ["Import items", "Baselines", "Download", "Release"]
    assert [step.number for step in page.context["steps"] if step.state == "next"] == [2]
    assert NOBODY in text(page)
    shown = pages_of(client, table)
    assert not shown & {url(table, name) for name in ASKING}
    assert not shown & {url(table, name) for name in ("people", "results", "privacy")}


def test_the_desk_of_answers_has_results_too(answered: Study) -> None:
    client = signed_in(answered.owner)

    assert titles(client, answered) == [
        *("Import items", "Score", "Baselines", "Download", "Release")
    ]
    assert {url(answered, name) for name in ("people", "results")} <= pages_of(client, answered)


@pytest.mark.parametrize("name", ASKING)
def test_pages_about_asking_lead_back_to_the_desk(table: Study, name: str) -> None:
    client = signed_in(table.owner)

    answer = client.get(url(table, name), follow=True)

    assert answer.redirect_chain == [(url(table, "change"), 302)]
    assert NOBODY in text(answer)


@pytest.mark.parametrize("step", ["open", "pause", "resume", "close", "finish"])
def test_it_can_neither_be_opened_nor_closed(table: Study, step: str) -> None:
    page = signed_in(table.owner).post(url(table, step), follow=True)

    table.refresh_from_db()
    assert table.is_imported
    assert NOBODY in text(page)


def test_nothing_that_asks_people_is_prepared(table: Study) -> None:
    design = table.design
    for act in (
        lambda: studies.open_study(study=table),
        lambda: designs.request(study=table, by=table.owner),
        lambda: designs.make(design=design),
        lambda: designs.set_parameters(study=table, parameters=RatingParameters(), seed=1),
        lambda: rosters.add_roster(study=table, entries=[rosters.RosterEntry("1", "Ada", "")]),
        lambda: listings.create(study=table, platform="panel", environment=""),
        lambda: studies.edit(study=table, changes={"consent": "I agree."}),
    ):
        with pytest.raises(StateError, match=NOBODY):
            act()
    assert not table.annotators.exists()


def test_a_link_to_it_leads_nowhere(table: Study, client: Client) -> None:
    assert client.get(reverse("annotator:join", args=[table.join_token])).status_code == 404


def test_it_becomes_a_draft_again_with_its_items_and_can_be_designed(table: Study) -> None:
    client = signed_in(table.owner)

    asked = client.get(url(table, "unmark_imported"))
    client.post(url(table, "unmark_imported"))

    table.refresh_from_db()
    assert "You can make a design, open it and collect answers here" in text(asked)
    assert (table.state, table.closed_at, table.items.count()) == ("draft", None, 2)
    assert studies.edit(study=table, changes={"consent": "I agree."}).is_draft


def test_a_page_marks_a_draft_and_drops_its_design() -> None:
    study = make_study(dialogues=2)
    designs.make(design=study.design)
    client = signed_in(study.owner)

    asked = client.get(url(study, "mark_imported"))
    client.post(url(study, "mark_imported"))
    client.post(url(study, "mark_imported"))  # a double click

    study.refresh_from_db()
    assert "The current design is deleted." in text(asked)
    assert (study.is_imported, study.opened_at) == (True, None)
    assert not study.design.is_made
    assert not study.design.tuples.exists()


def test_what_asks_people_cannot_be_marked() -> None:
    opened = make_open_study()
    with_roster = make_study(slug="roster")
    rosters.add_roster(study=with_roster, entries=[rosters.RosterEntry("1", "Ada", "")])
    selection = studies.create(owner=opened.owner, title="S", preset="czech-round-1")

    for study, why in (
        (opened, "Only a draft can be marked as imported, and this study has been opened"),
        (with_roster, "people on its roster"),
        (selection, "A selection study has no values"),
    ):
        with pytest.raises(StateError, match=why):
            imported_studies.mark(study=study)
        page = signed_in(study.owner).get(url(study, "mark_imported"))
        assert page.context["confirmation"].obstacles


def test_answers_keep_it_imported(answered: Study) -> None:
    client = signed_in(answered.owner)

    page = client.post(url(answered, "unmark_imported"), follow=True)

    assert "imported answers" in text(page)
    with pytest.raises(FrozenError, match="imported answers"):
        imported_studies.unmark(study=answered)
    with pytest.raises(FrozenError, match="imported answers"):
        studies.edit(study=answered, changes={"most_question": "Which?"})
    assert "Make it a draft again" not in text(client.get(url(answered, "change")))


def test_other_items_come_as_long_as_nothing_rests_on_these(table: Study, tmp_path: Path) -> None:
    (tmp_path / "one.tsv").write_text("id\ttarget\tcandidate\tmean\nq1\tA dog.\tA cat.\t1\n")

    imports.import_items(study=table, path=tmp_path / "one.tsv", filename="one.tsv")

    assert [item.key for item in table.items.all()] == ["q1"]
    page = signed_in(table.owner).get(url(table, "items"))
    assert page.context["values"] == ["mean"]
    assert page.context["takes_items"]


def test_published_values_may_be_of_the_same_pair_twice(table: Study, tmp_path: Path) -> None:
    file = tmp_path / "twice.tsv"
    file.write_text(TABLE + "p3\tA cat.\tA tomcat.\t3\n")

    imports.import_items(study=table, path=file, filename=file.name)
    made = ("--create", "--imported", "--preset", "stss-131", "--owner", "ada")
    call_command("import_items", "again", file, *made)

    assert table.items.count() == Study.objects.get(slug="again").items.count() == 3
    # People are asked for no pair twice.
    draft = studies.create(owner=table.owner, title="Asked", preset="stss-131")
    with pytest.raises(ImportProblemsError, match="the same pair as in line 2"):
        imports.import_items(study=draft, path=file, filename=file.name)


def test_the_database_knows_no_imported_study_that_was_opened(table: Study) -> None:
    for changes in ({"state": "open"}, {"opened_at": table.created_at}, {"closed_at": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Study.objects.filter(pk=table.pk).update(**changes)


def test_its_texts_are_the_question_and_the_scale(table: Study) -> None:
    client = signed_in(table.owner)

    page = client.get(url(table, "describe"))

    names = {field.name for group in page.context["groups"] for field in group["fields"]}
    assert {"title", "rating_question", "scale_low"} <= names
    assert not names & {"consent", "instructions", "thanks", "check_prompt"}
    assert "Consent" not in text(page)
    data = {field.html_name: field.value() or "" for field in page.context["form"]}
    sent = client.post(url(table, "describe"), {**data, "rating_question": "How alike?"})
    table.refresh_from_db()
    assert (sent.status_code, table.rating_question) == (302, "How alike?")


def test_a_stranger_marks_nothing(table: Study) -> None:
    stranger = signed_in(make_user("eve"))

    assert stranger.post(url(table, "unmark_imported")).status_code == 404
    table.refresh_from_db()
    assert table.is_imported


def test_the_page_for_new_studies_makes_an_imported_one() -> None:
    owner = make_user("ada")
    client = signed_in(owner)
    data = {"title": "Published", "language": "en", "preset": "stss-131", "imported": "on"}

    wrong = client.post(reverse("admin:annotation_study_add"), {**data, "preset": "czech-round-1"})
    right = client.post(reverse("admin:annotation_study_add"), data)

    assert (wrong.status_code, set(wrong.context["form"].errors)) == (400, {"preset"})
    study = Study.objects.get()
    assert right["Location"] == url(study, "change")
    assert study.is_imported
    desk = client.get(url(study, "change"))
    assert [step.number for step in desk.context["steps"] if step.state == "next"] == [1]


def test_the_api_makes_marks_and_unmarks(table: Study) -> None:
    client = APIClient()
    client.force_authenticate(table.owner)
    made = client.post(
        "/api/v1/studies/",
        {"title": "New", "preset": "stss-131", "imported": True},
        format="json",
    )
    path = f"/api/v1/studies/{made.json()['slug']}/"

    steps = client.get(f"{path}steps/").json()
    opened = client.post(f"{path}steps/", {"step": "open"}, format="json")
    undone = client.post(f"{path}steps/", {"step": "unmark_imported"}, format="json")

    assert (made.status_code, made.json()["state"]) == (201, "imported")
    assert [one["step"] for one in steps["steps"]] == ["unmark_imported"]
    assert (opened.status_code, NOBODY in opened.json()["detail"]) == (409, True)
    assert undone.json()["state"] == "draft"
    texts = client.patch(
        f"/api/v1/studies/{table.slug}/", {"rating_question": "How alike?"}, format="json"
    )
    assert texts.json()["texts"]["rating_question"] == "How alike?"
    refused = client.patch(f"/api/v1/studies/{table.slug}/", {"consent": "Yes."}, format="json")
    assert refused.status_code in {400, 409}


@pytest.mark.parametrize("name", ["results", "people", "adjudications"])
def test_a_table_has_no_pages_about_answers(table: Study, name: str) -> None:
    answer = signed_in(table.owner).get(url(table, name), follow=True)

    assert answer.redirect_chain == [(url(table, "change"), 302)]
    assert "This study has only imported values, not single answers" in text(answer)


def test_the_values_of_a_table_are_not_scored(table: Study) -> None:
    with pytest.raises(
        StateError, match="This study has only imported values, not single answers"
    ):
        scoring.request(study=table, population="people", by=table.owner)
    with pytest.raises(
        CommandError, match="This study has only imported values, not single answers"
    ):
        call_command("score", table.slug)
    assert "This study has only imported values, not single answers" in str(
        adjudications.refusal(table)
    )
    assert not table.jobs.exists()


def test_the_overview_says_what_an_imported_study_needs(table: Study, answered: Study) -> None:
    empty = imported_studies.mark(study=make_study(slug="empty", dialogues=0))
    needs = {
        card.study.pk: [str(need) for need in card.needs]
        for owner in {table.owner, answered.owner, empty.owner}
        for card in overview.studies(owner, page="1")
    }

    assert needs[table.pk] == []
    assert needs[answered.pk] == ["No result includes the imported answers yet. Score them."]
    assert needs[empty.pk] == ["No items yet. Import some."]


@pytest.mark.slow
@pytest.mark.parametrize("which", ["table", "answered"])
def test_every_page_answers(which: str, request: pytest.FixtureRequest) -> None:
    study = request.getfixturevalue(which)
    client = signed_in(study.owner)
    names = [name for name, (row, methods) in PAGES.items() if not row and "GET" in methods]

    # Files are sent piece by piece: they have tests of their own.
    statuses = {
        name: client.get(url(study, name)).status_code for name in names if name not in FILES
    }

    assert {name for name, status in statuses.items() if status not in {200, 302}} == set()


def test_a_discrepancy_review_begins_from_the_imported_values(table: Study) -> None:
    client = signed_in(table.owner)
    made = client.post(
        reverse("admin:annotation_study_add"),
        {
            "title": "Review",
            "language": "en",
            "preset": "discrepancy-review",
            "earlier_round": table.pk,
        },
    )
    review = Study.objects.exclude(pk=table.pk).get()

    client.post(
        made["Location"],
        {
            "people": "column:mean",
            "column": "",
            "table": "p1\t0.1\np2\t0.9",
            "name": "M",
            "rule": "largest",
            "n": 2,
            "by": "ranks",
        },
    )

    assert made["Location"] == url(review, "choose")
    assert set(review.items.values_list("key", flat=True)) == {"p1", "p2"}
    # Its items are those of the table, which stay as they are.
    with pytest.raises(FrozenError, match="Another study continues with the items of this one"):
        imported_studies.unmark(study=table)


def test_every_imported_study_has_the_same_seed_and_a_draft_one_of_its_own(table: Study) -> None:
    other = imported_studies.mark(study=make_study(dialogues=1))
    seed = imported_studies.SEED

    assert [one.designs.get().seed for one in (table, other)] == [seed, seed]
    imported_studies.unmark(study=other)
    assert other.designs.get().seed != seed
