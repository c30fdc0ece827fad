"""A study is copied: a draft of one's own with its texts, numbers and items, and nobody's data."""

import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.answering.services import rosters
from annotation.answering.services.rosters import RosterEntry
from annotation.basics.errors import StateError
from annotation.core.services import bounded_writes, jobs
from annotation.core.services.bounded_writes import BoundedWrites
from annotation.designs.services import designs
from annotation.items.services import imports
from annotation.kinds.rating.queries import later_tests
from annotation.models import Annotator, Check, Context, Item, Job, Relabelling, Study, Turn
from annotation.studies.services import contacts, copies, researchers, studies
from tests.baselines.test_held_out_pairs import next_round, selected
from tests.support import selecting
from tests.support.api import address, answered_study, by_token
from tests.support.at_once import at_once
from tests.support.checking import compared_texts, import_table, make_checked_ratings
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

TEXTS = (
    *("kind", "preset", "language", "instructions", "thanks", "most_question", "least_question"),
    *("rating_question", "scale", "categories", "worked_example", "comprehension"),
)
SETTINGS = ("idle_minutes", "max_booklets", "min_screen_seconds", "retention_days", "link_open")
OF_ITEMS = (
    *("number", "key", "pool__key", "pool__number", "pool__context__key", "target_text"),
    *("candidate_text", "target_turn__text", "target_turn__context__key", "candidate_turn__text"),
    *("expected", "earlier_rating", "intended_class", "metadata"),
)
OF_CHECKS = ("item__key", "pool__key", "style", "explanation", "tolerance", "categories")


@pytest.fixture(autouse=True)
def few_rows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_writes, "FIRST_ROWS", 4)
    monkeypatch.setattr(bounded_writes, "MAX_ROWS", 4)
    monkeypatch.setattr(bounded_writes, "PAUSE_SECONDS", 0)
    monkeypatch.setattr("annotation.core.services.jobs.run_job.delay", lambda job_id: None)


def copied(
    study: Study, *, by: User | None = None, title: str = "Copy", with_items: bool = True
) -> Study:
    """The copy, whose items are there."""
    draft = copies.begin(study=study, title=title, with_items=with_items, by=by or study.owner)
    for job in draft.jobs.all():
        jobs.run(job.pk)
        job.refresh_from_db()
        assert job.state == Job.State.DONE, job.problems
    return Study.objects.get(pk=draft.pk)


def material(study: Study) -> dict[str, list[Any]]:
    turns = Turn.objects.filter(context__study=study)
    return {
        "items": list(study.items.order_by("number").values(*OF_ITEMS)),
        "checks": list(study.checks.order_by("pk").values(*OF_CHECKS)),
        "contexts": list(
            study.contexts.order_by("pk").values(
                "key", "group__key", "source", "domain", "metadata", "n_turns"
            )
        ),
        "turns": list(
            turns.order_by("context", "position").values(
                "context__key", "position", "speaker", "text"
            )
        ),
    }


def columns(study: Study, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(study, name) for name in names}


# -- What comes along, and what does not --------------------------------------------------------


@pytest.mark.slow
def test_a_copy_has_texts_numbers_settings_and_items_and_nobodys_data() -> None:
    study = answered_study()
    values = {
        "idle_minutes": 77, "max_booklets": 3, "min_screen_seconds": 4.5, "retention_days": 9,
        "link_open": False, "instructions": "Read twice.", "dry_run": False,
        "comprehension": {"prompt": "?", "options": ["a", "b"], "right": 1, "feedback": ""},
    }  # fmt: skip
    Study.objects.filter(pk=study.pk).update(**values)
    study.refresh_from_db()
    study.shared_with.add(make_user())
    rosters.add_roster(study=study, entries=[RosterEntry("s1", "Ada")])
    studies.edit(study=study, changes={"consent": "The second version."})
    colleague = make_user()
    study.shared_with.add(colleague)

    draft = copied(study, by=colleague)

    assert columns(draft, TEXTS + SETTINGS) == columns(study, TEXTS + SETTINGS)
    assert material(draft) == material(study)
    assert material(draft)["items"]
    consent = draft.consent_texts.get()
    # Somebody else's contact is no contact of this study.
    assert (consent.version, consent.text.split("\n\n")[0]) == (1, "The second version.")
    assert contacts.unfilled(draft)
    design = draft.designs.get()
    assert design.parameters == study.design.parameters
    assert design.seed != study.design.seed
    assert not design.is_made
    assert not design.booklets.exists()
    assert not design.tuples.exists()
    assert (draft.state, draft.owner, draft.dry_run) == ("draft", colleague, True)
    assert (draft.opened_at, draft.pilot_of, draft.filling_job) == (None, None, None)
    assert not {draft.join_token, draft.invitation_code} & {
        study.join_token, study.invitation_code,
    }  # fmt: skip
    of_people = (
        draft.shared_with, draft.results, draft.releases, draft.listings, draft.relabellings,
        draft.annotators, draft.baselines, draft.budgets,
    )  # fmt: skip
    assert not any(rows.exists() for rows in of_people)
    # The copy can be designed and opened, and the study is as it was.
    designs.make(design=design)
    contacts.fill_in(study=draft, contact="Somebody, somebody@example.org")
    studies.open_study(study=draft)
    study.refresh_from_db()
    assert (study.state, study.jobs.filter(kind=Job.Kind.COPY).count()) == ("open", 0)


@pytest.mark.parametrize("preset", ["giccs", "stss-131", "labels"])
@pytest.mark.parametrize("language", ["en", "de", "cs"])
def test_only_ones_own_copy_keeps_the_contact(preset: str, language: str) -> None:
    owner, colleague = make_user(), make_user()
    study = studies.create(owner=owner, title="One", preset=preset, language=language, seed=1)
    asks = studies.current_consent(study).text
    contacts.fill_in(study=study, contact="Ada Example, ada@example.org")
    study.shared_with.add(colleague)

    own, other = (
        copies.make_draft(study=study, title="Two", with_items=False, by=by)
        for by in (owner, colleague)
    )

    assert "ada@example.org" in studies.current_consent(own).text
    assert not contacts.unfilled(own)
    assert studies.current_consent(other).text == asks


def with_checked_groups() -> Study:
    study = make_study(dialogues=0, preset="best-worst")
    import_table(study, compared_texts())
    assert Check.objects.filter(study=study, pool__isnull=False).exists()
    return study


@pytest.mark.parametrize("make", [
    lambda: make_checked_ratings(open_it=False),
    with_checked_groups,
    lambda: selecting.make_selection_study(incidents=2, incidents_per_booklet=1),
])  # fmt: skip
def test_checks_contexts_and_incidents_are_copied(make: Any) -> None:
    study = make()

    draft = copied(study)

    assert material(draft) == material(study)
    assert material(draft)["checks"] or material(draft)["turns"]
    assert draft.has_material


def test_without_items_the_numbers_stay_but_not_the_names_of_items() -> None:
    study = make_checked_ratings(open_it=False)
    design = study.design
    design.parameters = {**design.parameters, "calibration": ["p1"], "ratings_per_item": 7}
    design.save()

    draft = copied(study, with_items=False)

    assert not draft.jobs.exists()
    assert not draft.has_material
    assert not draft.contexts.exists()
    assert draft.design.parameters == {**design.parameters, "calibration": []}
    assert copied(study).design.parameters["calibration"] == ["p1"]


def test_a_copy_of_a_later_round_continues_the_same_round_only_for_those_who_see_it() -> None:
    first = selected()
    second = next_round(first, n_groups=2)
    design = second.design
    design.parameters = {**design.parameters, "repeat_from": "earlier_round"}
    design.save()
    colleague = make_user()
    second.shared_with.add(colleague)

    mine, theirs = copied(second), copied(second, by=colleague)

    assert (mine.earlier_round, theirs.earlier_round) == (first, None)
    assert not theirs.items.exclude(derived_from=None).exists()
    assert mine.items.count() == theirs.items.count() == 6
    assert theirs.design.parameters["repeat_from"] == "booklet"
    assert mine.design.parameters["repeat_from"] == "earlier_round"


def test_a_reader_of_the_earlier_round_continues_it_by_no_copy() -> None:
    first = selected()
    second = next_round(first, n_groups=2)
    colleague = make_user()
    for study, role in ((first, "reader"), (second, "editor")):
        researchers.share(study=study, username=colleague.username, role=role)

    assert copied(second, by=colleague).earlier_round is None

    researchers.share(study=first, username=colleague.username, role="editor")
    assert copied(second, by=colleague).earlier_round == first


def test_a_review_is_not_copied_by_somebody_who_does_not_see_what_it_is_about() -> None:
    scored = make_open_study()
    review = studies.create(
        owner=scored.owner, title="Check", preset="expert-check", earlier_round=scored
    )
    colleague = make_user()
    review.shared_with.add(colleague)

    with pytest.raises(StateError):
        copies.begin(study=review, title="Copy", with_items=True, by=colleague)
    assert copied(review).earlier_round == scored
    assert not Study.objects.filter(owner=colleague).exists()


def test_a_copied_round_tests_too_while_its_items_are_on_the_way() -> None:
    first = selected()
    second = next_round(first, n_groups=1)
    draft = copies.begin(study=second, title="Copy", with_items=True, by=second.owner)

    with pytest.raises(StateError):
        later_tests.tested_keys(first)
    jobs.run(draft.jobs.get().pk)
    assert len(later_tests.tested_keys(first)) == 3


# -- The job ------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_no_transaction_writes_more_than_some_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study(dialogues=6)
    draft = copies.begin(study=study, title="Copy", with_items=True, by=study.owner)
    transactions: list[int] = []
    one = BoundedWrites._timed

    def counted(self: BoundedWrites) -> Any:
        transactions.append(1)
        assert not connection.in_atomic_block
        return one(self)

    monkeypatch.setattr(BoundedWrites, "_timed", counted)
    jobs.run(draft.jobs.get().pk)

    assert material(draft) == material(study)
    n_rows = sum(map(len, material(study).values())) + study.pools.count()
    assert len(transactions) >= n_rows / 4


def change_while_copying(monkeypatch: pytest.MonkeyPatch, model: Any, change: Any) -> None:
    """Once, just before rows of a model are written."""
    insert, seen = BoundedWrites.insert, []

    def changing(self: BoundedWrites, of: Any, rows: Any) -> Any:
        if of is model and not seen:
            seen.append(of)
            change()
        return insert(self, of, rows)

    monkeypatch.setattr(BoundedWrites, "insert", changing)


@pytest.mark.parametrize("model", [Context, Item])
def test_items_that_are_replaced_meanwhile_are_copied_whole_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch, model: Any
) -> None:
    study = make_study()
    other = make_study(dialogues=3)
    draft = copies.begin(study=study, title="Copy", with_items=True, by=study.owner)

    def replace_items() -> None:
        imports.drop_items(study)
        for rows in (other.contexts, other.pools, other.items):
            rows.update(study=study)

    with monkeypatch.context() as patched:
        change_while_copying(patched, model, replace_items)
        jobs.run(draft.jobs.get().pk)

    job = draft.jobs.get()
    assert (job.state, draft.items.count(), draft.contexts.count()) == ("failed", 0, 0)
    # Whoever waits for it reads what to do, and does it.
    assert study.title in job.problems[0]
    response = signed_in(draft.owner).post(url(draft, "continue"))
    again = draft.jobs.latest("pk")
    assert response["Location"] == url(draft, "job", again.pk)
    jobs.run(again.pk)
    assert material(draft) == material(study)
    with pytest.raises(StateError):
        copies.repeat(job, draft.owner)


def test_a_study_that_is_being_filled_waits() -> None:
    study = make_study()
    job = Job.objects.create(study=study, kind=Job.Kind.IMPORT_ITEMS)
    Study.objects.filter(pk=study.pk).update(filling_job=job)
    study.refresh_from_db()

    with pytest.raises(StateError):
        copies.begin(study=study, title="Copy", with_items=True, by=study.owner)
    # Without items nothing is waited for.
    assert not copied(study, with_items=False).has_material


def test_a_failed_copying_is_not_repeated_by_whoever_lost_access() -> None:
    study, colleague = make_study(), make_user()
    study.shared_with.add(colleague)
    draft = copies.begin(study=study, title="Copy", with_items=True, by=colleague)
    jobs.cancel(job=draft.jobs.get(), by=colleague)
    study.shared_with.remove(colleague)

    with pytest.raises(StateError):
        copies.repeat(draft.jobs.get(), colleague)
    assert draft.jobs.count() == 1


def test_two_who_copy_at_once_get_a_copy_each() -> None:
    study, colleague = make_study(), make_user()
    study.shared_with.add(colleague)

    drafts = [
        copies.begin(study=study, title="Copy", with_items=True, by=by)
        for by in (study.owner, colleague)
    ]
    for draft in drafts:
        jobs.run(draft.jobs.get().pk)

    first, second = drafts
    assert first.slug != second.slug
    assert [one.owner for one in drafts] == [study.owner, colleague]
    assert material(first) == material(second) == material(study)
    assert [*Study.objects.seen_by(colleague).order_by("pk")] == [study, second]


@pytest.mark.django_db(transaction=True)
def test_copies_that_begin_in_one_moment_are_all_whole() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("DATABASE_URL names no PostgreSQL database: row locks are not tested")
    study = make_study()

    def copy() -> Study:
        draft = copies.begin(study=study, title="Copy", with_items=True, by=study.owner)
        jobs.run(draft.jobs.get().pk)
        return draft

    made = at_once([copy] * 4)

    assert len({draft.slug for draft in made}) == 4
    assert all(material(draft) == material(study) for draft in made)


# -- Page, API and command ----------------------------------------------------------------------


def test_the_page_proposes_a_title_and_makes_the_copy() -> None:
    study, colleague = make_open_study(), make_user()
    study.shared_with.add(colleague)
    client = signed_in(colleague)
    page = client.get(url(study, "copy"))
    assert page.context["form"].initial["title"].startswith(study.title)
    assert page.context["is_mine"] is False
    assert url(study, "copy") in client.get(url(study, "change")).content.decode()

    response = client.post(url(study, "copy"), {"title": "Mine", "with_items": "on"})

    draft = Study.objects.get(title="Mine")
    assert response["Location"] == url(draft, "job", draft.jobs.get().pk)
    assert client.get(url(draft, "job", draft.jobs.get().pk)).status_code == 200
    assert draft.owner == colleague
    said = client.get(url(draft, "history")).content.decode()
    assert study.title in said
    # What somebody calls a copy of theirs is their business.
    assert "Mine" not in signed_in(study.owner).get(url(study, "history")).content.decode()
    assert Study.objects.filter(owner=study.owner).count() == 1


def test_the_page_without_items_leads_to_the_desk_of_the_copy() -> None:
    study = make_study()
    client = signed_in(study.owner)

    response = client.post(url(study, "copy"), {"title": "Mine"})

    draft = Study.objects.get(title="Mine")
    assert response["Location"] == url(draft, "change")
    assert not draft.items.exists()
    assert "with_items" not in client.get(url(draft, "copy")).context["form"].fields


def test_a_title_that_is_missing_is_said_and_nothing_is_copied() -> None:
    study = make_study()

    response = signed_in(study.owner).post(url(study, "copy"), {"title": " ", "with_items": "on"})

    assert response.status_code == 400
    assert "title" in response.context["form"].errors
    assert Study.objects.count() == 1


def test_a_stranger_copies_nothing_by_address() -> None:
    study, stranger = make_study(), make_user()

    page = signed_in(stranger).post(url(study, "copy"), {"title": "Mine", "with_items": "on"})
    api = by_token(stranger).post(address(study, "copies/"), {}, content_type="application/json")

    assert (page.status_code, api.status_code) == (404, 404)
    assert Study.objects.count() == 1


def test_a_program_copies_with_and_without_items() -> None:
    study = make_open_study()
    client = by_token(study.owner)

    made = client.post(address(study, "copies/"), {}, content_type="application/json")
    plain = client.post(
        address(study, "copies/"),
        {"title": "Plain", "with_items": False},
        content_type="application/json",
    )

    assert (made.status_code, plain.status_code) == (201, 201)
    draft = Study.objects.get(slug=made.json()["slug"])
    assert (draft.title, made.json()["job"]) == (
        copies.proposed_title(study), draft.jobs.get().pk,
    )  # fmt: skip
    jobs.cancel(job=draft.jobs.get(), by=study.owner)
    again = client.post(
        address(draft, f"jobs/{draft.jobs.get().pk}/again/"), content_type="application/json"
    )
    assert again.status_code == 202
    jobs.run(again.json()["id"])
    assert material(draft) == material(study)
    assert (plain.json()["title"], plain.json()["job"]) == ("Plain", None)


def run_command(*arguments: str) -> str:
    out = io.StringIO()
    call_command("copy_study", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_command_makes_a_copy_with_its_items() -> None:
    study, other = make_open_study(), make_user()
    study.shared_with.add(other)

    facts = json.loads(run_command(study.slug, "twin", "--json", "--owner", other.username))

    draft = Study.objects.get(slug="twin")
    assert facts["items"] == study.items.count()
    assert (draft.owner, draft.title) == (other, copies.proposed_title(study))
    assert material(draft) == material(study)
    run_command(study.slug, "plain", "--without-items", "--title", "Plain")
    assert not Study.objects.get(slug="plain", owner=study.owner, title="Plain").items.exists()


@pytest.mark.parametrize("arguments", [
    ("twin", "--owner", "nobody"), ("twin", "--owner", "stranger"), ("taken",), ("no slug",),
    ("twin", "--title", "x" * 201),
])  # fmt: skip
def test_the_command_refuses_and_makes_nothing(arguments: tuple[str, ...]) -> None:
    study = make_study(slug="taken")
    make_user("stranger")

    with pytest.raises(CommandError):
        run_command(study.slug, *arguments)
    assert Study.objects.count() == 1


def test_an_interrupted_command_leaves_no_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study()

    def interrupt() -> None:
        raise StateError("stopped")

    change_while_copying(monkeypatch, Item, interrupt)
    with pytest.raises(CommandError):
        run_command(study.slug, "twin")
    assert [*Study.objects.all()] == [study]
    assert not Annotator.objects.exists()
    assert not Relabelling.objects.exists()


def test_a_copying_that_waited_sees_what_its_researcher_sees_when_it_runs() -> None:
    study, colleague = make_study(), make_user()
    study.shared_with.add(colleague)
    draft = copies.begin(study=study, title="Copy", with_items=True, by=colleague)
    study.shared_with.remove(colleague)

    jobs.run(draft.jobs.get().pk)

    assert draft.jobs.get().state == Job.State.FAILED
    assert not draft.items.exists()
