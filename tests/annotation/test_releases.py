"""Releases: numbered snapshots that never change, and what is said of them afterwards."""

import csv
import hashlib
import io
import zipfile
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from annotation.errors import NothingLeftError
from annotation.exports import archive
from annotation.exports.options import RatingOptions
from annotation.models import (
    Assignment,
    ItemScore,
    Job,
    Judgment,
    Release,
    Study,
)
from annotation.queries import releases as queries
from annotation.release_description import Description
from annotation.services import assignments, jobs, people, releases
from tests.annotation.rated_studies import make_rated
from tests.answering import answer_one
from tests.clock import Clock
from tests.factories import join, make_open_study

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


@pytest.fixture(autouse=True)
def _in_one_transaction(monkeypatch) -> None:
    # SQLite writes its log back outside a transaction only, and a test is in one.
    monkeypatch.setattr(people.write_ahead_log, "empty", lambda: None)


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


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


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
        people.withdraw(annotator=annotator)

    # Their places are free again, and no other.
    assert {join(study).assignment.place_id for _next in places} == places
    with pytest.raises(NothingLeftError):
        join(study)

    clock.move(hours=1)
    second = release(study, notes="Two people\nleft.")
    after = members_of(releases.path(second))
    left = Judgment.objects.filter(assignment__annotator__in=(stays, other))
    assert (second.number, second.n_judgments, second.n_people) == (2, 40, 2)
    assert scores_of(study) == pytest.approx(counted_by_hand(left))
    assert {row["id"]: float(row["score"]) for row in rows_of(after["items.tsv"])} == (
        pytest.approx(counted_by_hand(left))
    )
    # Of a stored result, and that is of these answers.
    assert all(row["score_high"] for row in rows_of(after["items.tsv"]))
    for name, text in after.items():
        for annotator in (done, half):
            assert annotator.pseudonym not in text or name == "CHANGELOG.md", name
            assert f"words of {annotator.pseudonym}" not in text

    # The first is as it was, and says what happened since.
    assert releases.path(first).read_bytes() == before
    day = f"{clock.time - timedelta(hours=1):%Y-%m-%d}"
    said = (
        f"On {day} one person ({done.pseudonym}) withdrew; this release still holds their 20"
        " answers: please leave them out, or use release 2."
    )
    later = [line for one in queries.change_log(first) if one.is_later for line in one.lines]
    assert said in later
    assert f"({half.pseudonym}) withdrew; this release still holds their 7 answers" in "".join(
        later
    )
    assert f"- {said}\n" in after["CHANGELOG.md"]
    own = queries.change_log(second)[0].lines
    assert own[:2] == ("Two people", "left.")
    assert (
        f"On {day} one person ({done.pseudonym}) withdrew; their 20 answers are left out." in own
    )
    assert "CHANGELOG.md" in after["SHA256SUMS"]


def test_a_release_is_made_anew_byte_by_byte_from_its_facts(clock: Clock) -> None:
    rated = make_rated(("a", "b", "c"))
    for ratings in ({"a": 1, "b": 4, "c": 6}, {"a": 2, "b": 5, "c": 6}, {"a": 0, "b": 2, "c": 3}):
        rated.answer(ratings, {key: max(0, value - 1) for key, value in ratings.items()})
    options = RatingOptions(context_sentences=1)
    first = release(rated.study, options=options)
    clock.move(hours=2)
    people.withdraw(annotator=rated.people[2])
    second = release(rated.study, options=options)

    clock.move(hours=2)
    rewritten = io.BytesIO()
    archive.write_archive(
        rated.study,
        "people",
        rewritten,
        options=RatingOptions.of(second.options),
        release=queries.facts_of(second),
    )

    assert rewritten.getvalue() == releases.path(second).read_bytes()
    assert releases.digest_of(releases.path(first)) == first.digest
    members = members_of(releases.path(second))
    means = {row["id"]: float(row["mean_1"]) for row in rows_of(members["items.tsv"])}
    assert means == {"a": 1.5, "b": 4.5, "c": 6}
    gone = rated.people[2].pseudonym
    assert [name for name, text in members.items() if gone in text] == ["CHANGELOG.md"]
