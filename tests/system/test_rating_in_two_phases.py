"""Round 3 of the Czech news data set: two phases over HTTP, people who vanish and are replaced."""

import csv
import io
import json
import zipfile
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from django.test import Client

from annotation.models import Assignment, Block, Item, PhaseRun, Pool, Study, Turn
from annotation.queries import answers
from annotation.services import designs, studies
from annotation.services.rating_designs import RatingParameters
from tests import rating
from tests.clock import Clock
from tests.raters import Rater, TurnedAwayError, close

pytestmark = pytest.mark.django_db(transaction=True)

N_TUPLES, N_PEOPLE = 50, 27
CALIBRATION = (0, 3, 6, 0, 3, 6)
CLASSES = ("similar", "middle", "dissimilar")
# 6 for calibration, 50 pairs, 5 of them again.
N_QUESTIONS = 61


def make_round_three() -> Study:
    """50 tuples of three pairs, each pair two sentences in their contexts."""
    study = rating.make_rating_study(pairs=1, open_it=False)
    study.items.all().delete()
    study.pools.all().delete()
    pools = Pool.objects.bulk_create(
        Pool(study=study, key=f"t{n}", number=n) for n in range(1, N_TUPLES + 2)
    )
    turns = list(Turn.objects.order_by("pk"))
    items = [
        Item(pool=pools[-1], key=f"c{n}", expected=Decimal(value))
        for n, value in enumerate(CALIBRATION, start=1)
    ]
    items += [
        Item(pool=pools[n // 3], key=f"p{n + 1}", intended_class=CLASSES[n % 3])
        for n in range(3 * N_TUPLES)
    ]
    for number, item in enumerate(items, start=1):
        item.study, item.number = study, number
        item.target_turn, item.candidate_turn = turns[number % 5], turns[(number + 2) % 5]
    Item.objects.bulk_create(items)
    parameters = RatingParameters(
        ratings_per_item=9,
        items_per_booklet=N_TUPLES,
        questions_per_screen=20,
        phases=rating.TWICE,
        calibration=[f"c{n}" for n in range(1, 7)],
        n_repeats=5,
        repeat_distance=25,
    )
    designs.set_parameters(study=study, parameters=parameters, seed=7)
    designs.make(design=study.design)
    return studies.open_study(study=study)


@pytest.mark.timeout(600)
def test_every_pair_has_nine_counted_ratings_in_each_phase_whoever_vanishes(
    open_server: Any, clock: Clock
) -> None:
    study = make_round_three()
    rng = np.random.default_rng(1)
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
        assert rater.rate(guess, screens=2) == 6 + 20
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
    assert late.rate_phase(guess) == N_QUESTIONS - 26

    # The places of the three become free once their second phase is over.
    clock.move(days=14)
    others = [arrive() for _person in range(3)]
    clock.move(hours=72)
    for rater in others:
        rater.come_back()
        rater.rate_phase(guess)
    close([*raters, *successors, *others])

    counted = answers.counted_judgments(study, "people").filter(
        question__block__purpose=Block.Purpose.MAIN
    )
    stacks = Counter(counted.values_list("question__item", "question__block__phase__number"))
    assert len(stacks) == 150 * 2
    assert set(stacks.values()) == {9}
    people = Counter(
        counted.values_list("question__item", "question__block__phase", "assignment__annotator")
    )
    assert set(people.values()) == {1}  # nobody is in a stack twice
    # Of whoever was replaced the completed first phase counts; so their successors' is surplus.
    surplus = PhaseRun.objects.filter(completed_at__isnull=False, is_counted=False)
    assert Counter(surplus.values_list("phase__number", flat=True)) == {1: 5, 2: 1}
    states = Counter(Assignment.objects.values_list("state", flat=True))
    assert states == {"submitted": 22 + 2 + 1 + 3, "lapsed": 3 + 1}
    check_archive(study)


def check_archive(study: Study) -> None:
    """What the researcher downloads has the same to say."""
    researcher = Client()
    researcher.force_login(study.owner)
    response = researcher.get(f"/admin/annotation/study/{study.pk}/download/archive.zip")
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        free, dependent, calibration, repeats, surplus, phases = (
            list(csv.DictReader(io.TextIOWrapper(archive.open(name), "utf-8"), delimiter="\t"))
            for name in (
                "test_free.tsv",
                "test_dependent.tsv",
                "calibration.tsv",
                "repeats.tsv",
                "surplus.tsv",
                "phases.tsv",
            )
        )
    assert [row["id"] for row in free] == [row["id"] for row in dependent]
    assert len(free) == 150
    assert {row["n"] for row in free + dependent} == {"9"}
    assert {len(json.loads(row["ratings"])) for row in free + dependent} == {9}
    assert all(row["context_1"].count("<sent>") == 1 for row in dependent)
    # 27 counted places in each of two phases.
    assert len(calibration) == 27 * 2 * 6
    assert len(repeats) == 27 * 2 * 5
    assert len(surplus) == 6 * N_QUESTIONS
    gaps = [float(row["gap_hours"]) for row in phases if row["phase"] == "2" and row["gap_hours"]]
    assert len(gaps) == 22 + 2 + 2 + 3
    assert min(gaps) == pytest.approx(72, abs=1e-6)


def assert_full(open_server: Any, study: Study) -> None:
    """Whoever comes now is told that all places are taken."""
    with pytest.raises(TurnedAwayError, match="409"):
        Rater(open_server.url, study)
