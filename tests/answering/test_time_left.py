"""How long the rest will take: from what was really done, in kind round numbers."""

import pytest
from django.utils import translation

from annotation.answering.queries import screens
from annotation.answering.services import phases
from annotation.models import Judgment
from annotation.templatetags.annotator import time_left
from tests.support import factories
from tests.support.annotating import Participant, watched


@pytest.fixture
def mine() -> Participant:
    study = factories.make_open_study(dialogues=8, parameters={"screens_per_booklet": 8})
    return Participant(study)


def answer(mine: Participant, n_screens: int, *spent: int | None) -> None:
    for number in range(1, n_screens + 1):
        mine.post(f"s/{number}/", {**mine.filled(number), "go": "next"})
    for judgment, ms in zip(Judgment.objects.order_by("pk"), spent, strict=True):
        Judgment.objects.filter(pk=judgment.pk).update(active_ms=ms)


def minutes(mine: Participant) -> float | None:
    return screens.minutes_left(mine.assignment, screens.progress(phases.latest(mine.assignment)))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("spent", "each"),
    [
        ([30_000] * 6, 0.5),
        ([20_000, 40_000, 30_000, 30_000, 10_000, 50_000], 0.5),
        # Half an hour at one question counts like three usual ones.
        ([30_000, 30_000, 30_000, 30_000, 30_000, 1_800_000], 0.5 * 8 / 6),
        # Answered without JavaScript: not counted, and not taken for quick.
        ([30_000] * 5 + [None], 0.5),
    ],
)
def test_the_pace_of_the_answers_says_how_long_the_rest_takes(
    mine: Participant, spent: list[int | None], each: float
) -> None:
    answer(mine, 3, *spent)
    n_left = mine.assignment.booklet.questions.count() - 6

    assert minutes(mine) == pytest.approx(n_left * each)
    assert time_left(n_left * each) in mine.get("s/4/").content.decode()
    assert time_left(n_left * each) in mine.get("overview/").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(("n_screens", "spent"), [(2, [30_000] * 4), (3, [None] * 6)])
def test_nothing_is_said_before_the_pace_is_known(
    mine: Participant, n_screens: int, spent: list[int | None]
) -> None:
    answer(mine, n_screens, *spent)

    assert minutes(mine) is None
    assert "left" not in mine.get("overview/").content.decode()


@pytest.mark.django_db
def test_nothing_is_said_once_everything_is_answered(mine: Participant) -> None:
    mine.answer_everything()
    Judgment.objects.update(active_ms=30_000)

    assert minutes(mine) is None


@pytest.mark.django_db
def test_an_answer_that_was_changed_counts_once_and_others_not_at_all(mine: Participant) -> None:
    other = Participant(mine.study)
    answer(mine, 3, *[30_000] * 6)
    for number in range(1, 4):
        other.post(f"s/{number}/", {**other.filled(number), "go": "next"})
    Judgment.objects.filter(assignment=other.assignment).update(active_ms=600_000)
    before = minutes(mine)
    mine.post("s/1/", {**mine.filled(1, best=2), "go": "next"})
    Judgment.objects.filter(assignment=mine.assignment, active_ms=None).update(active_ms=30_000)

    assert minutes(mine) == before


@pytest.mark.django_db
def test_it_costs_one_query_and_none_at_the_beginning(mine: Participant) -> None:
    progress = screens.progress(phases.latest(mine.assignment))
    with watched() as queries:
        screens.minutes_left(mine.assignment, progress)
    assert len(queries) == 0

    answer(mine, 3, *[30_000] * 6)
    progress = screens.progress(phases.latest(mine.assignment))
    with watched() as queries:
        screens.minutes_left(mine.assignment, progress)
    assert len(queries) == 1


@pytest.mark.parametrize(
    ("minutes", "sentence"),
    [
        (0.2, "About a minute left"),
        (1.5, "About a minute left"),
        (1.6, "About 2 minutes left"),
        (11.3, "About 12 minutes left"),
        (20, "About 20 minutes left"),
        (21, "About 25 minutes left"),
        (58, "About 60 minutes left"),
        (99.9, "About 100 minutes left"),
        (110, "About 2 hours left"),
        (200, "About 3 hours left"),
    ],
)
def test_the_number_is_round_and_more_so_the_larger_it_is(minutes: float, sentence: str) -> None:
    with translation.override("en"):
        assert time_left(minutes) == sentence
