"""Designs of rating studies as rows: who rates what, in which order, in which phases."""

import re
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.designs.services import designs
from annotation.kinds.design_parameters import (
    ImpossibleParametersError,
    PhaseParameters,
    RatingParameters,
)
from annotation.kinds.rating.queries import plans as rating_plans
from annotation.models import Block, Design, Place, Pool, Question
from tests.support.designed_ratings import made, rating_study

pytestmark = pytest.mark.django_db

TWO_PHASES = [
    PhaseParameters(),
    PhaseParameters("context_dependent", delay_hours=72, closes_after_days=14),
]


def asked(design: Design, phase: int = 1, purpose: str = "main") -> dict[int, list[str]]:
    """The items of each booklet, by its number, in the order of the screens."""
    items_of_booklets: dict[int, list[str]] = {
        booklet.number: [] for booklet in design.booklets.all()
    }
    for booklet, item in (
        Question.objects.filter(block__phase__design=design, block__phase__number=phase)
        .filter(block__purpose=purpose)
        .order_by("booklet__number", "screen", "position")
        .values_list("booklet__number", "item__key")
    ):
        items_of_booklets[booklet].append(item)
    return items_of_booklets


def pools_of(design: Design) -> dict[str, str]:
    return dict(design.study.items.values_list("key", "pool__key"))


def test_each_pair_has_its_ratings_and_nobody_rates_two_of_a_group() -> None:
    design = made(
        pairs=18, groups=6, numbers={"ratings_per_item": 4, "items_per_booklet": 5, "n_teams": 2}
    )

    booklets = asked(design)
    pools = pools_of(design)
    assert set(Counter(item for items in booklets.values() for item in items).values()) == {4}
    for items in booklets.values():
        assert len({pools[item] for item in items}) == len(items)
    # Each team of three groups needs 4 x 3 people, who rate one pair of each.
    assert len(booklets) == 24
    assert {len(items) for items in booklets.values()} == {3}


def test_groups_of_different_sizes_are_rated_evenly() -> None:
    # Groups of 3, 2, 2, 3 in two teams, whose second one has no more pairs than the first.
    design = made(
        pairs=10, groups=4, numbers={"ratings_per_item": 3, "items_per_booklet": 5, "n_teams": 2}
    )

    booklets, pools = asked(design), pools_of(design)
    assert Counter(Counter(pools.values()).values()) == {3: 2, 2: 2}
    assert {*Counter(item for items in booklets.values() for item in items).values()} == {3}
    for items in booklets.values():
        assert len({pools[item] for item in items}) == len(items)
    assert {len(items) for items in booklets.values()} == {1, 2}
    assert design.certificate["load_max"] == 2


def test_items_in_no_group_are_rated_by_anybody() -> None:
    study = rating_study(pairs=6, groups=2, numbers={"ratings_per_item": 2})
    Pool.objects.filter(study=study, key="g2").update(key="all")

    design = designs.make(design=study.design)

    certificate = design.certificate
    assert (certificate["n_tuples"], certificate["pairs_per_tuple"]) == (4, 3)
    assert {*Counter(item for items in asked(design).values() for item in items).values()} == {2}


def test_fixed_groups_of_people_need_groups_of_items() -> None:
    study = rating_study(pairs=12, groups=4, numbers={"arrangement": "grouped"})
    Pool.objects.filter(study=study, key="g4").update(key="all")

    with pytest.raises(ImpossibleParametersError, match="p10 has no group"):
        designs.make(design=study.design)


def test_whoever_rates_everything_is_one_stack() -> None:
    design = made(pairs=64, numbers={"ratings_per_item": 32, "items_per_booklet": 64})

    booklets = asked(design)

    assert len(booklets) == 32
    assert all(len({*items}) == 64 for items in booklets.values())
    assert len({tuple(items) for items in booklets.values()}) == 32


def test_the_paper_has_27_people_in_groups_of_three_and_61_questions_a_phase() -> None:
    design = made(
        pairs=150,
        groups=50,
        calibration=(0, 3, 6, 0, 3, 6),
        numbers={"arrangement": "grouped", "n_repeats": 5, "phases": TWO_PHASES},
    )

    assert design.booklets.count() == 27
    assert set(Counter(design.booklets.values_list("group", flat=True)).values()) == {3}
    assert set(design.booklets.values_list("n_screens", flat=True)) == {56}
    assert design.certificate["n_divided_groups"] == 0
    assert design.certificate["booklets"]["questions_per_phase_max"] == 61
    assert Place.objects.count() == 27


def test_every_phase_asks_for_the_same_in_the_same_order() -> None:
    design = made(calibration=(0, 6), numbers={"phases": TWO_PHASES, "questions_per_screen": 3})

    first, second = design.phases.order_by("number")
    places = [
        list(
            Question.objects.filter(block__phase=phase)
            .order_by("booklet", "screen", "position")
            .values_list("booklet", "screen", "position", "item", "block__purpose", "kind")
        )
        for phase in (first, second)
    ]
    assert places[0] == places[1]
    assert (first.condition, second.condition) == ("context_free", "context_dependent")
    assert (second.delay, second.closes_after) == (timedelta(hours=72), timedelta(days=14))
    assert first.closes_after is None


def test_calibration_comes_first_in_the_given_order_for_everybody() -> None:
    design = made(
        calibration=(0, 3, 6),
        numbers={"questions_per_screen": 2, "n_repeats": 2, "repeat_distance": 5},
    )

    assert set(map(tuple, asked(design, purpose="calibration").values())) == {("c1", "c2", "c3")}
    screens = Question.objects.filter(block__purpose="calibration").values_list("screen")
    assert {screen for (screen,) in screens} == {1, 2}
    assert Question.objects.filter(block__purpose="main").order_by("screen")[0].screen == 3
    assert not {"c1", "c2", "c3"} & {item for items in asked(design).values() for item in items}
    assert list(Block.objects.order_by("number").values_list("number", "purpose")) == [
        (1, "calibration"),
        (2, "main"),
        (3, "repeat"),
    ]


def test_the_seed_decides_everything() -> None:
    design = made(pairs=12, groups=4, numbers={"ratings_per_item": 3, "items_per_booklet": 4})
    first = asked(design)

    again = asked(designs.make(design=design))
    design.seed += 1
    design.save()
    other = asked(designs.make(design=design))

    assert first == again
    assert first != other


def test_people_who_come_first_spread_over_all_pairs() -> None:
    # Of 10 pairs with 3 ratings each, 6 people with 5 pairs: two of them can cover all.
    design = made(pairs=10, numbers={"ratings_per_item": 3, "items_per_booklet": 5})

    booklets = asked(design)

    collected: Counter[str] = Counter()
    for number in sorted(booklets):
        collected.update(booklets[number])
        if number == 2:
            assert len(collected) >= 9
    assert set(collected.values()) == {3}


def test_a_remainder_is_spread_over_the_teams() -> None:
    design = made(pairs=11, numbers={"ratings_per_item": 2, "items_per_booklet": 4, "n_teams": 3})

    booklets = asked(design)
    keys = [f"p{n}" for n in range(1, 12)]
    parts = [{*keys[:4]}, {*keys[4:8]}, {*keys[8:]}]
    # Two people a team, each with all of its items.
    assert Counter(parts.index({*items}) for items in booklets.values()) == {0: 2, 1: 2, 2: 2}


@st.composite
def any_numbers(draw: st.DrawFn) -> tuple[int, int, dict[str, Any]]:
    """Pairs, groups, and numbers of a design; fixed groups of people need groups of one size."""
    n_groups = draw(st.integers(2, 7))
    arrangement = draw(st.sampled_from(["free", "grouped"]))
    pairs = n_groups * draw(st.integers(1, 4))
    if arrangement == "free":
        pairs = draw(st.integers(n_groups, 4 * n_groups))
    numbers = {
        "ratings_per_item": draw(st.integers(1, 4)),
        "items_per_booklet": draw(st.integers(1, 8)),
        "arrangement": arrangement,
        "n_teams": draw(st.integers(1, 2)),
        "phases": TWO_PHASES,
    }
    return pairs, n_groups, numbers


@pytest.mark.slow
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(any_numbers())
def test_whatever_the_numbers_stacks_are_full_and_loads_even(
    chosen: tuple[int, int, dict[str, Any]],
) -> None:
    pairs, n_groups, numbers = chosen
    ratings, most = numbers["ratings_per_item"], numbers["items_per_booklet"]

    design = made(pairs=pairs, groups=n_groups, numbers=numbers)

    booklets, pools = asked(design), pools_of(design)
    rated = Counter(item for items in booklets.values() for item in items)
    assert rated == dict.fromkeys(pools, ratings)
    assert booklets == asked(design, phase=2)
    loads = {len(items) for items in booklets.values()}
    assert max(loads) <= most
    plan = rating_plans.plan(design.study, RatingParameters.of(design))
    assert (plan.questions_min, plan.questions_max) == (min(loads), max(loads))
    assert (plan.n_people, plan.n_items) == (len(booklets), pairs)
    if numbers["n_teams"] == 1:
        assert max(loads) - min(loads) <= 1
    for items in booklets.values():
        assert len({pools[item] for item in items}) == len(items)


@pytest.mark.parametrize(
    ("study", "numbers", "message"),
    [
        ({}, {"ratings_per_item": 0}, "Ratings per item: choose from 1 to 1000"),
        ({}, {"arrangement": "round"}, "Arrangement: choose one of free, grouped"),
        ({}, {"phases": []}, "from 1 to 9 phases"),
        ({}, {"phases": [PhaseParameters("aloud")]}, "unknown condition aloud"),
        ({}, {"phases": [PhaseParameters(closes_after_days=0)]}, "more than 0"),
        ({"pairs": 3}, {"n_teams": 4}, "at most 3 teams"),
        ({}, {"calibration": ["nobody"]}, "There is no item nobody"),
        ({"calibration": (0, 6)}, {"calibration": ["c1", "c1"]}, "c1 is listed twice"),
        ({}, {"calibration": ["p2"]}, "item p2 has no known answer.*expected"),
        ({"calibration": (7,)}, {}, "item c1, 7, is not on the scale"),
        ({"pairs": 1}, {"calibration": ["p1"]}, "no known answer"),
        # Whoever has several wrong ones is told of all of them.
        (
            {"calibration": (7, 3)},
            {"calibration": ["c1", "c2", "nobody", "p2"]},
            "item c1, 7, is not on the scale.*no item nobody.*item p2 has no known answer",
        ),
        ({}, {"calibration": [f"x{n}" for n in range(8)]}, "no item x4.*And 3 more"),
        (
            {"pairs": 0, "calibration": (0,)},
            {},
            "All items are calibration items, so none are left to rate",
        ),
        (
            {"pairs": 7, "groups": 3},
            {"arrangement": "grouped"},
            "The group g1 has 3 items to rate and others have 2.*drawn separately",
        ),
        ({"pairs": 9}, {"n_repeats": 10}, "at most 9"),
        ({"pairs": 9}, {"n_repeats": 2, "repeat_distance": 10}, "Choose at most 9"),
        (
            {},
            {"n_repeats": 2, "repeat_from": "earlier_round"},
            "This study does not continue an earlier round",
        ),
        ({"pairs": 2000}, {"ratings_per_item": 1000, "phases": TWO_PHASES}, "4000000 questions"),
    ],
)
def test_what_is_impossible_is_refused_with_what_works(
    study: dict[str, Any], numbers: dict[str, Any], message: str
) -> None:
    with pytest.raises(ImpossibleParametersError) as refusal:
        made(**study, numbers=numbers)

    assert re.search(message, refusal.value.message)
    assert not Question.objects.exists()


def test_changed_numbers_drop_what_was_made_of_the_old_ones() -> None:
    design = made()

    designs.set_parameters(
        study=design.study, parameters=RatingParameters(ratings_per_item=2), seed=design.seed
    )

    assert not design.study.design.is_made
    assert not Question.objects.exists()


def test_numbers_are_stored_as_they_were_used() -> None:
    study = rating_study(calibration=(0,), numbers={"phases": TWO_PHASES, "n_teams": 2})

    design = designs.make(design=study.design)

    assert RatingParameters.of(design).phases == TWO_PHASES
    assert RatingParameters.of(design).calibration == ["c1"]
    assert design.is_made


def test_one_group_alone_is_a_group_as_well() -> None:
    """Nobody rates two pairs of it, also if there is nothing else."""
    design = made(pairs=3, groups=1, numbers={"ratings_per_item": 1, "items_per_booklet": 50})
    design.study.pools.update(key="incident1")
    design = designs.make(design=design)

    assert [booklet.questions.count() for booklet in design.booklets.all()] == [1, 1, 1]


def test_groups_too_uneven_for_a_table_of_stacks_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("annotation.kinds.rating.queries.layouts.MAX_CELLS", 20)

    with pytest.raises(ImpossibleParametersError, match="This is too uneven to assign people"):
        made(pairs=12, groups=3, numbers={"ratings_per_item": 9, "items_per_booklet": 50})
