"""Rounds 1 and 3 of the Czech news data set over HTTP, with people who vanish and are replaced."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from annotation.core.queries import counted_answers
from annotation.models import Assignment, Block, PhaseRun, Study, Turn
from tests.support.clock import Clock
from tests.support.raters import Rater, Selected, Selector, TurnedAwayError, close
from tests.support.researching import Researcher, Row
from tests.support.tables import analyse

pytestmark = pytest.mark.django_db(transaction=True)

N_STUDENTS, N_INCIDENTS = 3, 6
# Of the paper's 50: a stack of nine people is the same for fewer.
N_TUPLES, N_PEOPLE = 8, 27
N_PAIRS = 3 * N_TUPLES
CALIBRATION = (0, 3, 6, 0, 3, 6)
CLASSES = ("similar", "middle", "dissimilar")
# 6 for calibration, a pair of each tuple, 5 of them again.
N_QUESTIONS = 6 + N_TUPLES + 5
ON_SCREEN = 6

PLACES = ("the harbour", "the old town", "a village school", "the airport", "the river")
EVENTS = ("fire", "strike", "flood", "festival", "power cut", "robbery", "election")
DETAILS = (
    "The {event} at {place} was noticed shortly after {hour}.",
    "Nobody at {place} was hurt, the mayor said.",
    "Traffic was led around {place} until {hour}.",
    "It was the third {event} of the year.",
    "Neighbours brought tea and blankets.",
    "An inquiry will begin at {hour} tomorrow.",
    "Rain is expected for the weekend.",
)


def incidents() -> Iterator[dict[str, object]]:
    """18 short summaries, of one sentence or two, each of two reports."""
    for n in range(N_STUDENTS * N_INCIDENTS):
        facts = {
            "event": EVENTS[n % len(EVENTS)],
            "place": PLACES[n % len(PLACES)],
            "hour": f"{n % 12 + 1}:{n % 60:02}",
        }
        said = [detail.format(**facts) for detail in DETAILS]
        summary = ["A {event} at {place} began at {hour}.".format(**facts), said[1]]
        yield {
            "id": f"news{n + 1}",
            "summary": summary[: 1 + n % 2],
            "reports": [
                {"id": f"news{n + 1}/a", "sentences": said[:4]},
                {"id": f"news{n + 1}/b", "sentences": said[4:]},
            ],
        }


def select_sentences(open_server: Any, study: Study, rng: np.random.Generator) -> list[Selected]:
    """What students choose for every sentence of their six summaries."""

    def choose(turns: list[int]) -> Selected:
        ratings = (rng.integers(4, 7), rng.integers(2, 5), rng.integers(3))
        chosen = rng.choice(turns, size=3, replace=False)
        return {
            role: (int(turn), str(rating))
            for role, turn, rating in zip(CLASSES, chosen, ratings, strict=True)
        }

    students = [Selector(open_server.url, study) for _student in range(N_STUDENTS)]
    selected = [one for student in students for one in student.select_all(choose)]
    assert_full(open_server, study)
    close(students)
    return selected


@pytest.mark.timeout(600)
def test_pairs_that_students_selected_are_rated_nine_times_in_each_phase_whoever_vanishes(
    open_server: Any, clock: Clock
) -> None:
    rng = np.random.default_rng(1)
    researcher = Researcher()
    first = researcher.create("Round 1", preset="czech-round-1")
    researcher.import_items(first, incidents())
    researcher.make_design(first)
    first = researcher.press(first, "open")
    selected = select_sentences(open_server, first, rng)
    first = researcher.press(first, "close")
    pairs = check_selections(researcher, first, selected)

    clock.move(days=30)
    study = make_round_three(researcher, first)
    rate_in_two_phases(open_server, study, clock, rng)
    analyse()
    check_counted(study)
    check_archive(researcher, study, pairs)


def make_round_three(researcher: Researcher, first: Study) -> Study:
    """Eight of the sentences with their three pairs, and six pairs that calibrate."""
    study = researcher.create(
        "Round 3", preset="sts-context", earlier_round=first.pk, n_groups=N_TUPLES
    )
    known = [
        {"id": f"c{n}", "target": f"First {n}.", "candidate": f"Second {n}.", "expected": value}
        for n, value in enumerate(CALIBRATION, start=1)
    ]
    researcher.import_items(study, known, replace="no")
    researcher.make_design(
        study,
        calibration="\n".join(str(pair["id"]) for pair in known),
        # Fewer pages, so that the test takes less time.
        questions_per_screen=ON_SCREEN,
        repeat_distance=4,
    )
    return researcher.press(study, "open")


def rate_in_two_phases(
    open_server: Any, study: Study, clock: Clock, rng: np.random.Generator
) -> None:
    """Everybody does the first phase; three vanish then, and two in the middle of the second."""
    n_answers = 0

    def guess(item: int) -> str:
        return str(int(rng.integers(7)))

    def arrive() -> Rater:
        nonlocal n_answers
        rater = Rater(open_server.url, study)
        n_answers += rater.rate_phase(guess)
        assert "data-opens-in" in rater.page.text
        return rater

    raters = [arrive() for _person in range(N_PEOPLE)]
    assert n_answers == N_PEOPLE * N_QUESTIONS

    # Three are never seen again, two begin the second phase and vanish in the middle of it.
    clock.move(hours=72)
    halves, finishers = raters[3:5], raters[5:]
    for rater in finishers:
        rater.come_back()
        assert rater.rate_phase(guess) == N_QUESTIONS
    for rater in halves:
        rater.come_back()
        assert rater.rate(guess, screens=2) == 6 + ON_SCREEN
    clock.move(minutes=study.idle_minutes + 1)
    successors = [arrive() for _person in halves]
    assert_full(open_server, study)

    # One of the two comes back late, after their successor has finished.
    clock.move(hours=72)
    for rater in successors:
        rater.come_back()
        rater.rate_phase(guess)
    late = halves[0]
    late.come_back()
    assert late.rate_phase(guess) == N_QUESTIONS - 6 - ON_SCREEN

    # The places of the three become free once their second phase is over.
    clock.move(days=14)
    others = [arrive() for _person in range(3)]
    clock.move(hours=72)
    for rater in others:
        rater.come_back()
        rater.rate_phase(guess)
    assert_full(open_server, study)
    close([*raters, *successors, *others])


def check_counted(study: Study) -> None:
    counted = counted_answers.counted_judgments(study, "people").filter(
        question__block__purpose=Block.Purpose.MAIN
    )
    stacks = Counter(counted.values_list("question__item", "question__block__phase__number"))
    assert len(stacks) == N_PAIRS * 2
    assert set(stacks.values()) == {9}
    people = Counter(
        counted.values_list("question__item", "question__block__phase", "assignment__annotator")
    )
    assert set(people.values()) == {1}  # nobody is in a stack twice
    # Of whoever was replaced the completed first phase counts; so their successors' is surplus.
    surplus = PhaseRun.objects.filter(
        assignment__annotator__study=study, completed_at__isnull=False, is_counted=False
    )
    assert Counter(surplus.values_list("phase__number", flat=True)) == {1: 5, 2: 1}
    assignments = Assignment.objects.filter(annotator__study=study)
    states = Counter(assignments.values_list("state", flat=True))
    assert states == {"submitted": 22 + 2 + 1 + 3, "lapsed": 3 + 1}


def check_selections(
    researcher: Researcher, first: Study, selected: list[Selected]
) -> dict[str, Row]:
    """The downloaded pairs are what the students chose; by the names they get in round 3."""
    [train] = researcher.download(first, "train.tsv")
    n_sentences = N_STUDENTS * N_INCIDENTS * 3 // 2
    assert len(selected) == n_sentences
    assert len(train) == 3 * n_sentences
    turns = {turn.pk: turn for turn in Turn.objects.select_related("context")}
    chosen = Counter(
        (turns[turn].context.key, str(turns[turn].position), role, rating)
        for one in selected
        for role, (turn, rating) in one.items()
    )
    rows = Counter(
        (row["report"], row["report_sentence"], row["intended_class"], row["rating"])
        for row in train
    )
    assert rows == chosen
    read = {(row["annotator"], row["incident"]) for row in train}
    students = Counter(student for student, _incident in read)
    assert (len(students), set(students.values())) == (N_STUDENTS, {N_INCIDENTS})
    return {
        f"{row['incident']}/{row['summary_sentence']}/{row['intended_class']}": row
        for row in train
    }


def check_archive(researcher: Researcher, study: Study, pairs: dict[str, Row]) -> None:
    """What the researcher downloads has the same to say."""
    free, dependent, calibration, repeats, surplus, phases = researcher.download(
        study,
        "test_free.tsv",
        "test_dependent.tsv",
        "calibration.tsv",
        "repeats.tsv",
        "surplus.tsv",
        "phases.tsv",
    )
    assert [row["id"] for row in free] == [row["id"] for row in dependent]
    assert len(free) == N_PAIRS
    assert {row["n"] for row in free + dependent} == {"9"}
    assert {len(json.loads(row["ratings"])) for row in free + dependent} == {9}
    # Each is a pair of round 1, and whole tuples of three are.
    for row in free + dependent:
        pair = pairs[row["id"]]
        assert (row["text_1"], row["text_2"]) == (pair["text1"], pair["text2"])
        # The mean of earlier ratings, here of one.
        assert float(row["earlier_rating"]) == float(pair["rating"])
        assert row["intended_class"] == pair["intended_class"]
        assert row["group"] == pair["incident"]
    tuples = Counter(row["id"].rpartition("/")[0] for row in free)
    assert (len(tuples), set(tuples.values())) == (N_TUPLES, {3})
    for row in dependent:
        assert f"<sent>{row['text_1']}</sent>" in row["context_1"]
        assert f"<sent>{row['text_2']}</sent>" in row["context_2"]
    # 27 counted places in each of two phases.
    assert len(calibration) == 27 * 2 * 6
    assert len(repeats) == 27 * 2 * 5
    assert len(surplus) == 6 * N_QUESTIONS
    gaps = [float(row["gap_hours"]) for row in phases if row["phase"] == "2" and row["gap_hours"]]
    assert len(gaps) == 22 + 2 + 2 + 3
    assert min(gaps) == pytest.approx(72, abs=1e-6)


def assert_full(open_server: Any, study: Study) -> None:
    """Whoever comes now is told that all places are taken."""
    with pytest.raises(TurnedAwayError):
        Rater(open_server.url, study)
