"""Who withdraws between two releases of a label or a selection study is in nothing afterwards."""

import io
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import pytest

from annotation.answering.services import rosters, withdrawal
from annotation.basics.errors import NothingLeftError
from annotation.models import Assignment, Choice, Pick, Place, Study
from annotation.releases.exports import archive
from annotation.releases.queries import releases as queries
from annotation.releases.services import releases
from tests.releases.test_releases import TOLD, members_of, release, rows_of
from tests.support import labelled, rating, selecting
from tests.support.clock import Clock
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

KEYS = [f"p{n}" for n in range(1, 7)]
# What those who stay say of the items in two phases, and what those say who leave: somebody who
# was finished, somebody whose second phase is still to come, and somebody amid the first.
STAY = (("ssrsoo", "srrsoo"), ("ssrroo", "srrsor"))
LEAVE = (("ooosss", "ooosss"), ("rrrrrr",), ("oo",))


@pytest.fixture(autouse=True)
def _in_one_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    # SQLite writes its log back outside a transaction only, and a test is in one.
    monkeypatch.setattr(rosters.wiping, "wipe", lambda: None)


def exported(study: Study) -> dict[str, str]:
    file = io.BytesIO()
    archive.write_archive(study, "people", file)
    return members_of(file.getvalue())


def told_since(study: Study) -> list[str]:
    """What the first release says by now."""
    return [
        line
        for one in queries.change_log(study.releases.get(number=1))
        if one.is_later
        for line in one.lines
    ]


def check_releases(
    study: Study, gone: Sequence[tuple[Assignment, int]], clock: Clock, before: bytes
) -> dict[str, str]:
    """Whoever left is named in the change log of both releases and in no other file of the new.

    `gone`: who, and how many answers of theirs the first release holds.
    """
    clock.move(hours=1)
    day = f"{clock.time - timedelta(hours=1):%Y-%m-%d}"
    second = release(study)
    files = members_of(releases.path(second))
    for assignment, n in gone:
        pseudonym = assignment.annotator.pseudonym
        assert {name for name, body in files.items() if pseudonym in body} == TOLD
        held = "answer: please leave it" if n == 1 else "answers: please leave them"
        still = (
            f"On {day} one person ({pseudonym}) withdrew. This release still contains their {n}"
            f" {held} out, or use release 2."
        ).replace("their 1 answer:", "their answer:")
        assert still in told_since(study)
        assert f"- {still}\n" in files["CHANGELOG.md"]
        mine = "answer is" if n == 1 else f"{n} answers are"
        assert (
            f"On {day} one person ({pseudonym}) withdrew. Their {mine} left out."
            in queries.change_log(second)[0].lines
        )
        page = text(signed_in(study.owner).get(url(study, "release_changes", 1)))
        assert still in page
    first = study.releases.get(number=1)
    assert releases.path(first).read_bytes() == before
    assert releases.digest_of(releases.path(first)) == first.digest
    return files


# -- Labels -------------------------------------------------------------------------------------


def say(assignment: Assignment, phases: Sequence[str]) -> None:
    """Finish each phase whose letters are for all items; begin one whose letters are fewer."""
    for number, letters in enumerate(phases):
        if number:
            labelled.open_next_phase(assignment)
        said = labelled.said_of(KEYS[: len(letters)], letters)
        if len(letters) == len(KEYS):
            labelled.label_phase(assignment, lambda key, said=said: [said[key]])
            continue
        for question in labelled.phases.latest(assignment).questions.select_related("item"):
            if (key := question.item.key) in said:
                labelled.label(assignment, question, said[key])


def voted(number: int) -> list[Counter[str]]:
    """The votes of those who stay in one phase, item by item."""
    names = {name[0]: name for name in labelled.NAMES}
    return [Counter(names[one[number][place]] for one in STAY) for place in range(len(KEYS))]


def alpha_by_hand(votes: Sequence[Counter[str]]) -> float:
    """Krippendorff's, nominal, of two answers an item: one less disagreement over that by chance.

    With two answers an item it is Scott's pi with the correction for small samples.
    """
    n = 2 * len(votes)
    total = sum(votes, Counter())
    observed = sum(len(one) == 2 for one in votes) / len(votes)
    same_by_chance = sum(of * (of - 1) for of in total.values()) / (n * (n - 1))
    return 1 - observed / (1 - same_by_chance)


@pytest.mark.slow
def test_three_people_withdraw_between_two_releases_of_a_label_study(clock: Clock) -> None:
    study = labelled.make_label_study(phases=rating.TWICE, ratings_per_item=5)
    held = [labelled.join(study) for _person in range(5)]
    for assignment, phases in zip(held, (*STAY, *LEAVE), strict=True):
        say(assignment, phases)
    stay, leave = held[:2], held[2:]
    with pytest.raises(NothingLeftError):
        labelled.join(study)
    first = release(study)
    before = releases.path(first).read_bytes()
    # Of the one who is amid the first phase nothing counts yet, but it is in the files.
    assert (first.n_judgments, first.n_people) == (42, 4)
    assert dict(first.shares.values_list("assignment", "n_judgments")) == {
        one.pk: n for one, n in zip(held, (12, 12, 12, 6, 2), strict=True)
    }

    clock.move(hours=30)
    free = {one.place_id for one in leave}
    for assignment in leave:
        withdrawal.withdraw(annotator=assignment.annotator)

    # Nothing is left of them at once: no answer, no place, no line of any file.
    assert not Choice.objects.filter(judgment__assignment__in=leave).exists()
    assert {labelled.join(study).place_id for _next in free} == free
    with pytest.raises(NothingLeftError):
        labelled.join(study)
    everything = "".join(exported(study).values())
    assert all(one.annotator.pseudonym in everything for one in stay)
    assert not any(one.annotator.pseudonym in everything for one in leave)
    results = url(study, "results")
    assert signed_in(study.owner).get(results).context["is_forgotten"]

    files = check_releases(study, list(zip(leave, (12, 6, 2), strict=True)), clock, before)
    second = study.releases.get(number=2)
    assert (second.n_judgments, second.n_people) == (24, 2)
    assert not signed_in(study.owner).get(results).context["is_forgotten"]
    # The labels, and how far people agree, from what the two who stayed said.
    rows = rows_of(files["item_labels.tsv"])
    for number in range(2):
        votes = voted(number)
        of_phase = {row["id"]: row for row in rows if row["phase"] == str(number + 1)}
        for key, one in zip(KEYS, votes, strict=True):
            row = of_phase[key]
            assert {name: int(row[f"n_{name}"]) for name in labelled.NAMES} == {
                name: one[name] for name in labelled.NAMES
            }
            assert row["n"] == "2"
            assert row["tie"] == ("yes" if len(one) == 2 else "no")
            assert row["final"] == ("" if len(one) == 2 else one.most_common(1)[0][0])
        summary = study.results.latest("pk").statistics["phases"][number]["summary"]
        assert summary["n_annotators"] == 2
        assert summary["alpha"]["nominal"]["alpha"] == pytest.approx(alpha_by_hand(votes))
        assert summary["pairwise"]["share"] == pytest.approx(
            sum(len(one) == 1 for one in votes) / len(votes)
        )
    assert {row["annotator"] for row in rows_of(files["judgments.tsv"])} == {
        one.annotator.pseudonym for one in stay
    }


# -- Selections ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_people_withdraw_between_two_releases_of_a_selection_study(clock: Clock) -> None:
    study = selecting.make_selection_study(people_per_incident=3)
    stays, done, half = (selecting.join(study).assignment for _person in range(3))
    one, two = stays.booklet.questions.order_by("screen")
    selecting.select(stays, one, places=(5, 4, 3), ratings=("5", "1", "0"))
    selecting.select(stays, two, places=(0, 1, 2), ratings=("4", "3", "4"))
    selecting.assignments.submit(assignment=stays)
    selecting.select(done, one, places=(1, 0, 2), comment="mine alone")
    # Changed: both rows are in the files, and one is an answer.
    selecting.select(done, one, places=(2, 0, 1), ratings=("6", "2", "0"))
    selecting.select(done, two, places=(3, 4, 5), ratings=("6", "4", "1"))
    selecting.assignments.submit(assignment=done)
    selecting.select(half, one)
    with pytest.raises(NothingLeftError):
        selecting.join(study)
    first = release(study)
    before = releases.path(first).read_bytes()
    assert (first.n_judgments, first.n_people) == (4, 2)

    clock.move(hours=30)
    leave = [done, half]
    free = {one.place_id for one in leave}
    for assignment in leave:
        withdrawal.withdraw(annotator=assignment.annotator)

    assert not Pick.objects.filter(judgment__assignment__in=leave).exists()
    assert {selecting.join(study).assignment.place_id for _next in free} == free
    assert Place.objects.filter(booklet__design=study.design).count() == 3
    with pytest.raises(NothingLeftError):
        selecting.join(study)
    everything = "".join(exported(study).values())
    assert stays.annotator.pseudonym in everything
    assert not any(one.annotator.pseudonym in everything for one in leave)
    assert "mine alone" not in everything

    files = check_releases(study, [(done, 2), (half, 1)], clock, before)
    second = study.releases.get(number=2)
    assert (second.n_judgments, second.n_people) == (2, 1)
    # The training data are of what is left: the six pairs of one person, and the filters theirs.
    expected = {"similar": 6, "middle": 3, "dissimilar": 0}
    given = [
        ("similar", "i1r2:2", "5"), ("middle", "i1r2:1", "1"), ("dissimilar", "i1r1:4", "0"),
        ("similar", "i1r1:1", "4"), ("middle", "i1r1:2", "3"), ("dissimilar", "i1r1:3", "4"),
    ]  # fmt: skip
    for name, most in (("", 6), ("_n1", 1), ("_n2", 2)):
        found = [
            (row["intended_class"], f"{row['report']}:{row['report_sentence']}", row["rating"])
            for row in rows_of(files[f"train{name}.tsv"])
        ]
        assert found == [row for row in given if abs(int(row[2]) - expected[row[0]]) <= most]
    assert {row["annotator"] for row in rows_of(files["picks.tsv"])} == {stays.annotator.pseudonym}
