"""Releases: numbered snapshots that never change, and what is said of them afterwards."""

import csv
import hashlib
import io
import json
import os
import zipfile
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone, translation

from annotation.answering.services import assignments, rosters, withdrawal
from annotation.basics.errors import FrozenError, NothingLeftError, StateError
from annotation.core.services import bounded_writes, jobs
from annotation.items.imports.relabels import RequestedChange
from annotation.items.services import relabellings
from annotation.kinds.exports.options import ExportOptions
from annotation.models import (
    Assignment,
    Exclusion,
    ItemScore,
    Job,
    Judgment,
    Relabelling,
    Release,
    ReleaseEvent,
    Study,
)
from annotation.people.services import exclusions
from annotation.releases.exports import archive
from annotation.releases.queries import releases as queries
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from annotation.results.services import adjudications
from annotation.studies.services import researchers, studies
from tests.support.answering import answer_one
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study, make_study
from tests.support.rated_studies import make_rated
from tests.support.researcher_pages import (
    finish_booklet,
    said,
    signed_in,
    simulate,
    text,
    url,
)

pytestmark = pytest.mark.django_db

DESCRIPTION = Description.of(
    {
        "title": "Dialogues",
        "authors": [
            {"name": "Ada Lovelace", "affiliation": "Somewhere", "orcid": "0000-0002-1825-0097"}
        ],
        "licence": "CC-BY-4.0",
        "datasheet": {"motivation-purpose": "to know"},
    }
)


# Of a release: what names those who withdrew from an earlier one.
TOLD = {"CHANGELOG.md", "README.md"}


@pytest.fixture(autouse=True)
def _in_one_transaction(monkeypatch) -> None:
    # SQLite writes its log back outside a transaction only, and a test is in one.
    monkeypatch.setattr(rosters.wiping, "wipe", lambda: None)


def release(study: Study, notes: str = "", **options: Any) -> Release:
    job = releases.start(study=study, description=DESCRIPTION, notes=notes, **options)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.problems
    return job.release


def members_of(file: Path | bytes) -> dict[str, str]:
    opened = io.BytesIO(file) if isinstance(file, bytes) else file
    with zipfile.ZipFile(opened) as members:
        return {name: members.read(name).decode() for name in members.namelist()}


def rows_of(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table), delimiter="\t"))


def answer_some(assignment: Assignment, *, seed: int, n: int | None = None) -> None:
    """Somebody with a taste of their own, and something to say."""
    for place, question in enumerate(assignment.booklet.questions.order_by("pk")[:n]):
        best = (place * seed) % 3
        answer_one(
            assignment,
            question,
            best=best,
            worst=(best + 1 + (place + seed) % 2) % 3,
            comment=f"words of {assignment.annotator.pseudonym}",
        )


def counted_by_hand(judgments: Any) -> Mapping[str, float]:
    shown, net = Counter[str](), Counter[str]()
    for one in judgments.select_related("best", "worst"):
        for member in one.question.tuple.members.select_related("item"):
            shown[member.item.key] += 1
        net[one.best.key] += 1
        net[one.worst.key] -= 1
    return {key: net[key] / n for key, n in shown.items()}


def scores_of(study: Study) -> Mapping[str, float]:
    result = study.results.latest("pk")
    rows = ItemScore.objects.filter(result=result).exclude(score=None)
    return dict(rows.values_list("item__key", "score"))


# -- What the study's withdrawals leave ---------------------------------------------------------


@pytest.mark.slow
def test_two_people_withdraw_between_two_releases_of_a_best_worst_study(clock: Clock) -> None:
    study = make_open_study(parameters={"annotations_per_tuple": 4})
    joined = [join(study) for _person in range(4)]
    for seed, one in enumerate(joined[:3], start=1):
        answer_some(one.assignment, seed=seed)
        assignments.submit(assignment=one.assignment)
    answer_some(joined[3].assignment, seed=4, n=7)
    stays, done, other, half = (one.annotator for one in joined)
    with pytest.raises(NothingLeftError):
        join(study)

    first = release(study)
    before = releases.path(first).read_bytes()
    assert first.number == 1
    assert (first.n_items, first.n_judgments, first.n_people) == (10, 60, 3)
    assert first.digest == hashlib.sha256(before).hexdigest()
    assert all(who.pseudonym in members_of(before)["judgments.tsv"] for who in (done, half))

    clock.move(hours=30)
    places = {one.assignment.place_id for one in (joined[1], joined[3])}
    for annotator in (done, half):
        withdrawal.withdraw(annotator=annotator)

    # Their places are free again, and no other.
    assert {join(study).assignment.place_id for _next in places} == places
    with pytest.raises(NothingLeftError):
        join(study)

    # What anybody exports by hand is without them at once, and the scores are known to be old.
    file = io.BytesIO()
    archive.write_archive(study, "people", file)
    exported = "".join(members_of(file.getvalue()).values())
    assert done.pseudonym not in exported
    assert half.pseudonym not in exported
    results = url(study, "results")
    client = signed_in(study.owner)
    assert client.get(results).context["is_forgotten"]

    clock.move(hours=1)
    second = release(study, notes="Two people\nleft.")
    assert not client.get(results).context["is_forgotten"]
    after = members_of(releases.path(second))
    left = Judgment.objects.filter(assignment__annotator__in=(stays, other))
    assert (second.number, second.n_judgments, second.n_people) == (2, 40, 2)
    assert scores_of(study) == pytest.approx(counted_by_hand(left))
    assert {row["id"]: float(row["score"]) for row in rows_of(after["items.tsv"])} == (
        pytest.approx(counted_by_hand(left))
    )
    # Of a stored result, and that is of these answers.
    assert all(row["score_high"] for row in rows_of(after["items.tsv"]))
    for name, body in after.items():
        for annotator in (done, half):
            assert annotator.pseudonym not in body or name in TOLD, name
            assert f"words of {annotator.pseudonym}" not in body

    # The first is as it was, and says what happened since.
    assert releases.path(first).read_bytes() == before
    day = f"{clock.time - timedelta(hours=1):%Y-%m-%d}"
    sentence = (
        f"On {day} one person ({done.pseudonym}) withdrew. This release still contains their 20"
        " answers: please leave them out, or use release 2."
    )
    later = [line for one in queries.change_log(first) if one.is_later for line in one.lines]
    assert sentence in later
    assert f"({half.pseudonym}) withdrew. This release still contains their 7 answers" in "".join(
        later
    )
    assert f"- {sentence}\n" in after["CHANGELOG.md"]
    own = queries.change_log(second)[0].lines
    assert own[:2] == ("Two people", "left.")
    assert (
        f"On {day} one person ({done.pseudonym}) withdrew. Their 20 answers are left out." in own
    )
    assert "CHANGELOG.md" in after["SHA256SUMS"]


@pytest.mark.slow
def test_a_release_is_made_anew_byte_by_byte_from_its_facts(clock: Clock) -> None:
    rated = make_rated(("a", "b", "c"))
    for ratings in ({"a": 1, "b": 4, "c": 6}, {"a": 2, "b": 5, "c": 6}, {"a": 0, "b": 2, "c": 3}):
        rated.answer(ratings, {key: max(0, value - 1) for key, value in ratings.items()})
    half = rated.answer({"a": 6}, is_complete=False)
    options = ExportOptions(context_sentences=1)
    first = release(rated.study, options=options)
    facts = queries.facts_of(first)
    clock.move(hours=2)
    for annotator in (rated.people[2], half.annotator):
        withdrawal.withdraw(annotator=annotator)
    second = release(rated.study, options=options)

    clock.move(hours=2)
    rewritten = io.BytesIO()
    archive.write_archive(
        rated.study,
        "people",
        rewritten,
        options=ExportOptions.of(second.options),
        release=queries.facts_of(second),
    )

    assert rewritten.getvalue() == releases.path(second).read_bytes()
    assert releases.digest_of(releases.path(first)) == first.digest
    # What happened since is told beside it, and is nothing that it was made of.
    assert queries.facts_of(first) == facts
    assert len(queries.change_log(first)) == len(facts.changes) + 2
    members = members_of(releases.path(second))
    means = {row["id"]: float(row["mean_1"]) for row in rows_of(members["items.tsv"])}
    assert means == {"a": 1.5, "b": 4.5, "c": 6}
    for gone, words in (
        (rated.people[2], "6 answers: please leave them"),
        (half.annotator, "answer: please leave it"),
    ):
        named = [name for name, body in members.items() if gone.pseudonym in body]
        assert set(named) == TOLD
        assert (
            f"({gone.pseudonym}) withdrew. This release still contains their {words} out"
            in (members["CHANGELOG.md"])
        )


# -- Made once ----------------------------------------------------------------------------------


@pytest.fixture
def study() -> Study:
    study = make_open_study(dialogues=1)
    finish_booklet(study)
    return study


@pytest.mark.slow
def test_it_is_made_once_however_often_it_is_asked_for_and_never_changed(study: Study) -> None:
    asked = [releases.start(study=study, description=DESCRIPTION) for _click in range(2)]
    assert asked[0] == asked[1]
    with pytest.raises(StateError, match="Another release is being made"):
        releases.start(study=study, description=DESCRIPTION, notes="another")
    # Nor is another made beside it by a command.
    with pytest.raises(StateError, match=rf"Job {asked[0].pk} "):
        releases.make_here(study=study, description=DESCRIPTION)

    for _message in range(2):
        jobs.run(asked[0].pk)

    made = study.releases.get()
    made.notes = "otherwise"
    for change in (
        made.save,
        made.delete,
        lambda: Release.objects.update(notes=""),
        Release.objects.all().delete,
        made.shares.all().delete,
    ):
        with pytest.raises(FrozenError, match="never changes"):
            change()
    assert study.releases.get().notes == ""
    with pytest.raises(StateError, match="Only a draft"):
        researchers.delete_draft(study=study)


def test_without_an_answer_that_counts_there_is_nothing_to_release() -> None:
    study = make_study()
    with pytest.raises(StateError, match="There is no design yet"):
        releases.start(study=study, description=DESCRIPTION)
    study = make_open_study(dialogues=1)
    simulate(study)
    answer_some(join(study).assignment, seed=1)
    with pytest.raises(StateError, match=r"No answers count yet.*simulated"):
        releases.start(study=study, description=DESCRIPTION)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_who_withdraws_while_it_is_made_is_in_no_file(monkeypatch) -> None:
    study = make_open_study(dialogues=1)
    leaves, _stays = (finish_booklet(study) for _person in range(2))
    write, texts = archive.write_archive, []

    def withdraw() -> None:
        withdrawal.withdraw(annotator=leaves)
        connection.close()

    def write_and_withdraw(*args: Any, **options: Any) -> None:
        write(*args, **options)
        texts.append(members_of(Path(args[2].name))["judgments.tsv"])
        if connection.vendor == "sqlite":
            # Of its database in memory there is one connection.
            withdrawal.withdraw(annotator=leaves)
            return
        # In a transaction of their own, while ours still reads.
        somebody = Thread(target=withdraw)
        somebody.start()
        somebody.join()

    monkeypatch.setattr(archive, "write_archive", write_and_withdraw)
    made = release(study)

    assert [leaves.pseudonym in text for text in texts] == [True, False]
    assert leaves.pseudonym not in "".join(members_of(releases.path(made)).values())
    assert (made.number, made.n_people, made.events.count()) == (1, 1, 0)
    # The scores are of those who are left, too.
    assert study.results.latest("pk").n_judgments == made.n_judgments


@pytest.mark.slow
def test_a_killed_worker_leaves_neither_half_a_file_nor_a_row(
    study: Study, settings, monkeypatch, tmp_path
) -> None:
    class KilledError(BaseException):
        pass

    def killed(folder: Path) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(releases, "_keep_name", killed)
        job = releases.start(study=study, description=DESCRIPTION)
        with pytest.raises(KilledError):
            jobs.run(job.pk)
    half = tmp_path / "releases" / "1.part"
    half.write_text("half")
    os.utime(half, (0, 0))
    assert not Release.objects.exists()
    assert list(releases.strangers()) == [f"{study.pk}-1.zip"]

    # Nobody renews its heartbeat any more: the sweep sends it again.
    long_ago = timezone.now() - timedelta(seconds=2 * settings.JOB_DEAD_AFTER_SECONDS)
    Job.objects.filter(pk=job.pk).update(heartbeat_at=long_ago)
    jobs.sweep()
    jobs.run(job.pk)

    made = study.releases.get()
    assert not releases.problem(made)
    assert [file.name for file in (tmp_path / "releases").iterdir()] == [f"{study.pk}-1.zip"]
    assert not list(releases.strangers())


# -- What is told ------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_corrected_after_a_release_is_told_of_it_and_by_the_next(clock: Clock) -> None:
    rated = make_rated(("a", "b"))
    for value in (1, 3, 5):
        rated.answer({"a": value, "b": 2}, {"a": 1, "b": value})
    study, by = rated.study, rated.study.owner
    first = release(study)
    excluded = rated.people[0]
    exclusions.exclude(annotator=excluded, reason="always\nthe same", by=by)
    second = release(study)
    exclusions.include_again(annotator=excluded, reason="She asked for it.", by=study.owner)
    relabellings.relabel(
        study=study, wanted=[RequestedChange("a", "genre", "news")], reason="as agreed", by=by
    )
    decided = adjudications.adjudicate(
        study=study,
        item=rated.items["b"],
        phase=rated.phases[0],
        rating=Decimal(4),
        reason="looked up",
        by=by,
    )
    adjudications.lift(adjudication=decided)
    studies.finish(study=study)
    another = Description.of({**DESCRIPTION.as_json, "licence": "CC0-1.0"})
    job = releases.start(study=study, description=another)
    jobs.run(job.pk)
    third = study.releases.get(number=3)

    day = f"{clock.time:%Y-%m-%d}"
    since_second = [
        f"On {day} the researchers let the answers of {excluded.pseudonym} count.",
        f"On {day} one value of the items or contexts was changed: as agreed",
        f"On {day} an expert decided on the item b: looked up",
        f"On {day} an expert's decision on the item b was undone.",
    ]
    log = queries.change_log(third)
    assert log[0].lines == (
        "Answers that count: 12 (people: 3). In release 2: 8 (people: 2).",
        *since_second,
        "State of the study: finished; before: open.",
        "Licence: CC0-1.0; before: CC-BY-4.0.",
        "Other columns of the imported file, left out: genre.",
    )
    own = next(one for one in log if one.number == 2 and not one.is_later)
    assert own.lines == (
        "Answers that count: 8 (people: 2). In release 1: 12 (people: 3).",
        f"On {day} one person ({excluded.pseudonym}) was excluded. Their answers no longer count.",
    )
    later = [line for one in log if one.number == 2 and one.is_later for line in one.lines]
    assert later == since_second
    assert first.events.count() == second.events.count() + 1
    assert [change.number for change in log] == sorted((c.number for c in log), reverse=True)


def test_a_sitting_and_then_all_are_withdrawn_and_each_answer_is_told_once(study: Study) -> None:
    made = release(study)
    assignment = Assignment.objects.get()
    withdrawal.empty([assignment], now=timezone.now())
    withdrawal.withdraw(annotator=assignment.annotator)

    told = made.events.get()
    assert (told.pseudonym, told.n_judgments) == (assignment.annotator.pseudonym, 10)
    with translation.override("de"):
        (later, _own) = queries.change_log(made)
    assert (
        "withdrew. This release still contains their 10 answers: please leave them out."
        in (later.lines[0])
    )


@pytest.mark.slow
def test_of_many_who_are_excluded_at_once_each_is_told_of_once() -> None:
    rated = make_rated(("a", "b"))
    for value in (1, 3, 5, 2):
        rated.answer({"a": value, "b": 2}, {"a": 1, "b": value})
    release(rated.study)
    by, everybody = rated.study.owner, list(rated.people)
    exclusions.exclude(annotator=everybody[0], reason="first", by=by)

    made = exclusions.exclude_all(annotators=everybody, reason="too fast", by=by)

    assert {one.annotator for one in made} == set(everybody[1:])
    events = ReleaseEvent.objects.filter(kind=ReleaseEvent.Kind.EXCLUDED).order_by("pk")
    told = [(event.pseudonym, event.reason, event.n_judgments) for event in events]
    others = sorted(one.pseudonym for one in everybody[1:])
    assert told == [
        (everybody[0].pseudonym, "first", 4),
        *((pseudonym, "too fast", 4) for pseudonym in others),
    ]
    # Taken back at once, those who were excluded before stay so.
    exclusions.undo_exclusions(exclusions=made, by=by)
    assert [one.annotator for one in Exclusion.objects.in_force()] == [everybody[0]]


@pytest.mark.slow
def test_a_relabelling_that_was_interrupted_goes_on_and_is_told_with_its_sums(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    names = tuple(f"i{n}" for n in range(7))
    rated = make_rated(names)
    rated.answer(dict.fromkeys(names, 1), dict.fromkeys(names, 2))
    study = rated.study
    release(study)
    release(study)
    wanted = [
        RequestedChange(name, "level", str(n), row_kind="item") for n, name in enumerate(names)
    ]
    asked: dict[str, Any] = {"study": study, "wanted": wanted, "reason": "r", "by": study.owner}
    monkeypatch.setattr(bounded_writes, "FIRST_ROWS", 2)
    monkeypatch.setattr(bounded_writes, "MIN_ROWS", 1)
    monkeypatch.setattr(bounded_writes, "MAX_ROWS", 2)
    lock, transactions = relabellings.lock_study, []

    def fails_in_the_third(pk: int) -> Study:
        transactions.append(pk)
        if len(transactions) == 3:
            raise OSError("the disk is full")
        return lock(pk)

    monkeypatch.setattr(relabellings, "lock_study", fails_in_the_third)
    with pytest.raises(OSError, match="full"):
        relabellings.relabel(**asked)
    clock.move(minutes=1)
    rest = relabellings.relabel(**asked)

    assert (rest.n_changed, rest.n_same) == (3, 4)
    logged = Relabelling.objects.order_by("pk").values_list("item__key", "before", "after")
    assert [*logged] == [(name, None, str(n)) for n, name in enumerate(names)]
    events = ReleaseEvent.objects.filter(kind=ReleaseEvent.Kind.RELABELLED)
    told = events.order_by("release__number", "pk").values_list("release__number", "n_values")
    assert [*told] == [(1, 4), (1, 3), (2, 4), (2, 3)]


# -- Pages and commands ------------------------------------------------------------------------

FORM = {
    "title": "Replies",
    "authors": "Ada Lovelace; Somewhere; https://orcid.org/0000-0002-1825-0097\nGrace Hopper",
    "licence": "other",
    "other_licence": "PDDL-1.0",
    "keywords": "similarity, replies",
    "doi": "https://doi.org/10.5281/zenodo.12",
    "notes": "The first\none.",
    "datasheet_ethics": "The board of Somewhere agreed.",
}


@pytest.mark.slow
def test_from_the_form_to_the_file(study: Study) -> None:
    client = signed_in(study.owner)
    assert "Make the first release" in text(client.get(url(study, "releases")))
    form = text(client.get(url(study, "release_new")))
    assert "First release. Items: 5; answers that count: 10; people: 1." in form
    assert "The study still accepts answers" in form

    for wrong, sentence in (
        ({"authors": ""}, "people whom others can cite."),
        ({"authors": "Ada; ; 0000-0002-1825-0098"}, "0000-0002-1825-0098 is not a valid ORCID iD"),
        ({"authors": "Ada; a; b; c"}, "line 1: write name; affiliation; ORCID"),
        ({"other_licence": ""}, "Enter an identifier, or choose a licence from the"),
        ({"other_licence": "my own"}, "SPDX identifier"),
        ({"licence": "CC-BY-4.0"}, "You chose a licence from the list above."),
        # Everything that is wrong is said at once.
        ({"authors": "", "doi": "zenodo"}, "10.5281/zenodo.1234567"),
        ({"url": "example.org"}, "Address: start with https:// or http://."),
        ({"title": " "}, "This field is required"),
    ):
        response = client.post(url(study, "release_new"), {**FORM, **wrong})
        assert response.status_code == 400
        assert sentence in text(response)
        assert "similarity, replies" in text(response)  # nothing that was typed is lost
    assert not study.jobs.filter(kind=Job.Kind.RELEASE).exists()

    response = client.post(url(study, "release_new"), FORM)
    job = study.jobs.get(kind=Job.Kind.RELEASE)
    assert response["Location"] == url(study, "job", job.pk)
    jobs.run(job.pk)
    made = study.releases.get()
    assert made.description["licence"] == "PDDL-1.0"
    assert made.description["authors"][0]["orcid"] == "0000-0002-1825-0097"
    assert made.description["doi"] == "10.5281/zenodo.12"

    fetched = [client.get(url(study, "release_file", 1)) for _twice in range(2)]
    assert fetched[0]["Content-Disposition"] == f'attachment; filename="{study.slug}-1.0.0.zip"'
    bodies = [b"".join(response.streaming_content) for response in fetched]
    with zipfile.ZipFile(io.BytesIO(bodies[0])) as file:
        assert "The board of Somewhere agreed." in file.read("DATASHEET.md").decode()
    assert bodies[0] == bodies[1]
    assert hashlib.sha256(bodies[0]).hexdigest() == made.digest
    withdrawal.withdraw(annotator=study.annotators.get())
    finish_booklet(study)
    said_of_it = "withdrew. This release still contains their 10 answers: please leave them out."
    for page in ("releases", "release", "release_changes"):
        arguments = () if page == "releases" else (1,)
        assert said_of_it in text(client.get(url(study, page, *arguments))), page
    assert "one." in text(client.get(url(study, "release", 1)))
    again = text(client.get(url(study, "release_new")))
    assert "Their 10 answers are left out" in again
    assert 'value="PDDL-1.0"' in again
    assert "The board of Somewhere agreed." in again

    releases.path(made).write_bytes(b"short")
    with pytest.raises(releases.FileError) as damaged:
        releases.path(made)
    assert (damaged.value.code, damaged.value.status) == ("damaged_file", 500)
    assert "has been altered: restore" in text(client.get(url(study, "release", 1)))
    refused = client.get(url(study, "release_file", 1), follow=True)
    assert said(refused) == [
        f"The file of release 1 has been altered: restore {study.pk}-1.zip from a backup."
    ]


@pytest.mark.slow
def test_the_commands_make_and_check(study: Study, tmp_path, capsys) -> None:
    with pytest.raises(CommandError, match="the name is missing"):
        call_command("release", study.slug)
    described = tmp_path / "description.json"
    described.write_text(json.dumps(DESCRIPTION.as_json))
    call_command("release", study.slug, description=described, notes="first", json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["number"], told["n_judgments"]) == (1, 10)
    assert told["changes"][0]["lines"][0] == "first"
    call_command("release", study.slug)
    assert "- Items and answers are the same as those of release 1." in capsys.readouterr().out
    second = study.releases.get(number=2)
    assert second.description == DESCRIPTION.as_json

    call_command("check_releases")
    assert capsys.readouterr().out.startswith("2 releases")
    file = releases.path(second)
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(CommandError, match=r"release 2 has been altered"):
        call_command("check_releases")
    file.unlink()
    with pytest.raises(CommandError, match=r"release 2 is missing"):
        call_command("check_releases")
    described.write_text("{")
    for wrong, sentence in (
        ({"description": described}, "not valid JSON"),
        ({"by": "nobody"}, "no user 'nobody'"),
    ):
        with pytest.raises(CommandError, match=sentence):
            call_command("release", study.slug, **wrong)
