"""What one round takes from another, when people withdraw or their names are erased."""

import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from annotation.answering.services import assignments, rosters, withdrawal
from annotation.basics import clock
from annotation.core.queries.withdrawals import n_withdrawn
from annotation.core.services import jobs
from annotation.designs.services import designs, rounds
from annotation.items.services import imports
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.rating.queries import later_tests
from annotation.kinds.selection.queries.pick_rows import SelectionRows, training_pairs
from annotation.models import Annotator, Assignment, Job, Judgment, Release, Study
from annotation.people.services import exclusions, retention
from annotation.releases.release_description import Description
from annotation.releases.services import downloads, releases
from annotation.results.queries import outdated
from annotation.studies.services import researchers, studies
from tests.kinds.selection.test_selection_results import SAID, later_round, scored
from tests.support import selecting
from tests.support.designed_ratings import rating_study
from tests.support.factories import make_user, name_contact
from tests.support.once import made_once
from tests.support.scored_ratings import score

pytestmark = pytest.mark.django_db

DESCRIBED = Description.of({"title": "Pairs", "authors": [{"name": "Ada Lovelace"}]})
PEOPLE = ("ada", "bob")


@pytest.fixture(autouse=True)
def _in_one_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    # SQLite writes its log back outside a transaction only, and a test is in one.
    monkeypatch.setattr(rosters.wiping, "wipe", lambda: None)


@made_once
def selections() -> Study:
    """Two incidents of two sentences each, four answers, three pairs each."""
    study = selecting.make_selection_study(incidents=2)
    assignment = selecting.join(study).assignment
    questions = assignment.booklet.questions.order_by("screen")
    for question, ratings in zip(questions, SAID, strict=True):
        selecting.select(assignment, question, ratings=ratings)
    selecting.assignments.submit(assignment=assignment)
    return study


def invite(study: Study) -> dict[str, Annotator]:
    entries = [rosters.RosterEntry(name, f"Name {name}") for name in PEOPLE]
    made = rosters.add_roster(study=study, entries=entries, by=study.owner)
    return {
        row.annotator.person.platform_id: row.annotator for row in made if row.annotator.person
    }


def begin(annotator: Annotator) -> Assignment:
    consent = studies.current_consent(annotator.study)
    assignment = assignments.start(annotator=annotator, consent=consent)
    Annotator.objects.filter(pk=annotator.pk).update(instructed_at=clock.now())
    return assignment


def answer(assignment: Assignment, first: int) -> None:
    for number, question in enumerate(assignment.runs.get().questions.all()):
        Judgment.objects.create(
            assignment=assignment,
            question=question,
            kind="rating",
            rating=Decimal((first + number) % 7),
            answered_at=clock.now(),
            idempotency_key=uuid4(),
        )
    assignments.submit(assignment=assignment)
    # Nobody reads so fast; here they count all the same.
    assignment.runs.update(is_held=False, is_counted=True)


def two_rounds(*, is_late: bool = False) -> tuple[Study, Study, dict[str, Annotator]]:
    """An earlier round, the one in which the same people rate some again, and who they were.

    `is_late`: ada finishes the earlier round only when the later one was made.
    """
    earlier = rating_study(pairs=8, numbers={"ratings_per_item": 1, "items_per_booklet": 4})
    designs.make(design=earlier.design)
    studies.open_study(study=earlier)
    people = invite(earlier)
    # In the other order than later: each of them gets the other half of the items there.
    begun = {name: begin(people[name]) for name in reversed(PEOPLE)}
    answer(begun["bob"], 1)
    if not is_late:
        answer(begun["ada"], 2)
    studies.close(study=earlier)
    later = studies.create(
        owner=earlier.owner, title="Later", preset="training", earlier_round=earlier
    )
    rounds.begin(study=later, earlier=earlier)
    if is_late:
        answer(begun["ada"], 2)
    later.refresh_from_db()
    parameters = RatingParameters(
        ratings_per_item=1,
        items_per_booklet=4,
        n_repeats=3,
        repeat_from="earlier_round",
        repeat_distance=2,
    )
    designs.set_parameters(study=later, parameters=parameters, seed=1)
    name_contact(later)
    again = invite(later)
    designs.make(design=later.design)
    studies.open_study(study=later)
    for annotator in again.values():
        answer(begin(annotator), 3)
    later.refresh_from_db()
    studies.close(study=later)
    return Study.objects.get(pk=earlier.pk), Study.objects.get(pk=later.pk), people


def repeated(study: Study) -> dict[str, Any]:
    """What a result that is computed now says of ratings in both rounds."""
    figures = score(study).statistics["phases"][0]["repeats"]["earlier_round"]
    return {name: figures[name] for name in ("n", "pearson", "reason")}


def release(study: Study) -> Release:
    job = releases.make_here(study=study, description=DESCRIBED, by=study.owner)
    assert job.state == Job.State.DONE, job.problems
    return job.release


def in_file(path: Path, name: str) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name).decode().splitlines()[1:]


@pytest.mark.slow
@pytest.mark.parametrize("erased", ["earlier", "later"])
def test_erased_names_change_no_figure_and_no_file(erased: str) -> None:
    earlier, later, _people = two_rounds()
    before = repeated(later)
    rows = in_file(releases.path(release(later)), "repeats.tsv")
    assert before["n"] == 6

    retention.erase(study={"earlier": earlier, "later": later}[erased], by=None)

    assert not outdated.since(later.results.latest("pk"), "people")
    assert repeated(later) == before
    assert in_file(releases.path(release(later)), "repeats.tsv") == rows


@pytest.mark.slow
def test_who_withdraws_after_the_names_were_erased_is_found_in_the_later_round() -> None:
    earlier, later, people = two_rounds()
    score(later)
    retention.erase(study=earlier, by=None)

    withdrawal.withdraw(annotator=Annotator.objects.get(pk=people["ada"].pk))

    assert not later.results.exists()
    assert repeated(later)["n"] == 3
    assert not Annotator.objects.filter(earlier_self=people["ada"]).exists()


@pytest.mark.slow
@pytest.mark.parametrize("is_late", [False, True])
def test_a_withdrawal_from_the_earlier_round_reaches_what_was_rated_again(
    is_late: bool, django_capture_on_commit_callbacks
) -> None:
    _earlier, later, people = two_rounds(is_late=is_late)
    score(later)
    made = release(later)
    jobs.run_here(study=later, kind=Job.Kind.EXPORT, parameters={"population": "people"})
    before = n_withdrawn(later.pk)

    with django_capture_on_commit_callbacks(execute=True):
        withdrawal.withdraw(annotator=people["ada"])

    assert not later.results.exists()
    assert downloads.prepared(later, "people") == []
    assert [event.kind for event in made.events.all()] == ["withdrawn"]
    assert n_withdrawn(later.pk) == before + 1


def test_a_withdrawal_from_a_later_round_reaches_the_study_that_took_in_its_effects(
    selections: Study,
    django_capture_on_commit_callbacks,
) -> None:
    rated = later_round(selections)
    scored(selections)
    jobs.run_here(study=selections, kind=Job.Kind.EXPORT, parameters={"population": "people"})
    assert selections.results.exists()
    before = n_withdrawn(selections.pk)

    with django_capture_on_commit_callbacks(execute=True):
        withdrawal.withdraw(annotator=rated.study.annotators.earliest("pk"))

    assert not selections.results.exists()
    assert downloads.prepared(selections, "people") == []
    assert n_withdrawn(selections.pk) == before + 1


def test_a_result_without_the_later_round_stays(
    selections: Study,
    django_capture_on_commit_callbacks,
) -> None:
    scored(selections)
    rated = later_round(selections)

    with django_capture_on_commit_callbacks(execute=True):
        withdrawal.withdraw(annotator=rated.study.annotators.earliest("pk"))

    assert selections.results.exists()


@pytest.mark.slow
@pytest.mark.parametrize("still_edits", [True, False])
def test_a_study_of_a_former_colleague_holds_no_pair_back(
    selections: Study,
    tmp_path: Path,
    still_edits: bool,
) -> None:
    colleague = make_user("colleague")
    researchers.share(study=selections, username="colleague", role="editor")
    theirs = studies.create(
        owner=colleague, title="Mine", preset="sts-context", earlier_round=selections
    )
    texts = [
        pair.texts for pair in training_pairs(SelectionRows(selections.design, "people")).pairs
    ]
    if not still_edits:
        researchers.unshare(study=selections, user=colleague)
    file = tmp_path / "pairs.tsv"
    rows = "".join(f"i{n}\t{first}\t{second}\n" for n, (first, second) in enumerate(texts))
    file.write_text(f"id\ttarget\tcandidate\n{rows}")
    first = release(selections)
    imports.import_items(study=theirs, path=file, filename="pairs.tsv")

    counts = later_tests.counts(selections)
    second = release(selections)

    assert (counts.train == 0) is still_edits
    assert (counts.held_out == len(texts)) is still_edits
    # Where files change, the change log says so.
    held_out = [in_file(releases.path(each), "held_out.tsv") for each in (first, second)]
    assert (held_out[0] != held_out[1]) is still_edits
    assert any("held out" in line for line in second.changes) is still_edits


@pytest.mark.slow
def test_the_change_log_says_that_the_earlier_round_changed() -> None:
    _earlier, later, people = two_rounds()
    score(later)
    release(later)
    exclusions.exclude(annotator=people["ada"], reason="clicked", by=later.owner)

    second = release(later)

    assert any("other rounds have changed" in line for line in second.changes)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["release", "download"])
def test_a_comment_that_is_blanked_meanwhile_is_in_no_file(
    what: str, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks
) -> None:
    study = rating_study(pairs=8, numbers={"ratings_per_item": 1, "items_per_booklet": 4})
    designs.make(design=study.design)
    studies.open_study(study=study)
    person = invite(study)["ada"]
    answer(begin(person), 1)
    judgment = Judgment.objects.filter(assignment__annotator=person).earliest("pk")
    Judgment.objects.filter(pk=judgment.pk).update(comment="Jane Doe")
    archive = releases.archive
    write = archive.write_archive

    def write_and_blank(*args: Any, **options: Any) -> None:
        write(*args, **options)
        with django_capture_on_commit_callbacks(execute=True):
            withdrawal.blank_comment(annotator=person, judgment=judgment.pk)
        monkeypatch.setattr(archive, "write_archive", write)

    monkeypatch.setattr(archive, "write_archive", write_and_blank)
    if what == "release":
        described = {**DESCRIBED.as_json, "comments": True}
        job = releases.make_here(
            study=study, description=Description.of(described), by=study.owner
        )
        assert job.state == Job.State.DONE, job.problems
        path = releases.path(job.release)
    else:
        jobs.run_here(study=study, kind=Job.Kind.EXPORT, parameters={"population": "people"})
        (download,) = downloads.prepared(study, "people")
        path = download.path

    with zipfile.ZipFile(path) as zipped:
        assert not [name for name in zipped.namelist() if b"Jane Doe" in zipped.read(name)]


@pytest.mark.slow
def test_a_prepared_file_is_outdated_once_somebody_is_excluded() -> None:
    _earlier, later, _people = two_rounds()
    jobs.run_here(study=later, kind=Job.Kind.EXPORT, parameters={"population": "people"})
    (download,) = downloads.prepared(later, "people")
    assert not download.is_outdated

    exclusions.exclude(annotator=later.annotators.earliest("pk"), reason="clicked", by=later.owner)

    (download,) = downloads.prepared(later, "people")
    assert download.is_outdated


@pytest.mark.slow
def test_what_its_owner_may_not_see_any_more_is_beside_no_rating() -> None:
    earlier, later, _people = two_rounds()
    colleague, owner = make_user("colleague"), later.owner
    Study.objects.filter(pk=earlier.pk).update(owner=colleague)
    earlier.refresh_from_db()
    researchers.share(study=earlier, username=owner.username, role="reader")
    result = score(Study.objects.get(pk=later.pk))
    assert result.statistics["phases"][0]["repeats"]["earlier_round"]["n"] == 6

    researchers.unshare(study=earlier, user=owner)
    later = Study.objects.get(pk=later.pk)

    assert outdated.since(later.results.latest("pk"), "people")
    assert repeated(later)["n"] == 0
    rows = in_file(releases.path(release(later)), "repeats.tsv")
    assert {row.split("\t")[5] for row in rows} == {""}
