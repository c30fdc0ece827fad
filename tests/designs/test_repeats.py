"""What a person rates again: drawn at the claim from the seed, and frozen from then on."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from uuid import uuid4

import pytest

from annotation.answering.services import assignments
from annotation.basics import clock
from annotation.basics.errors import NothingLeftError
from annotation.designs.services import designs
from annotation.kinds.design_parameters import (
    ImpossibleParametersError,
    PhaseParameters,
    RatingParameters,
)
from annotation.kinds.rating.services import repeats
from annotation.models import Assignment, Item, Judgment, Person, Pool, Question, Study
from annotation.studies.services import studies
from tests.support.designed_ratings import rating_study
from tests.support.factories import join

pytestmark = pytest.mark.django_db

TWO_PHASES = [PhaseParameters(), PhaseParameters("context_dependent", delay_hours=72)]


def opened(**arguments) -> Study:
    study = rating_study(**arguments)
    designs.make(design=study.design)
    return studies.open_study(study=study)


def main(assignment: Assignment) -> list[str]:
    return [
        question.item.key
        for question in assignment.booklet.questions.filter(
            block__purpose="main", block__phase__number=1
        )
        .select_related("item")
        .order_by("screen", "position")
    ]


def again(assignment: Assignment, phase: int = 1) -> list[str]:
    return [
        question.item.key
        for question in Question.objects.filter(
            assignment=assignment, block__phase__number=phase, block__purpose="repeat"
        )
        .select_related("item")
        .order_by("screen", "position")
    ]


def submit(assignment: Assignment) -> None:
    """Rate everything in the first phase with 1, and complete its run."""
    for question in assignment.booklet.questions.filter(block__phase__number=1):
        Judgment.objects.create(
            assignment=assignment,
            question=question,
            kind="rating",
            rating=Decimal(1),
            idempotency_key=uuid4(),
        )
    assignment.runs.update(completed_at=clock.now(), place=assignment.place_id, is_counted=True)
    Assignment.objects.filter(pk=assignment.pk).update(state="submitted")


def join_as(study: Study, person: Person) -> Assignment:
    annotator, _made = study.annotators.get_or_create(person=person)
    return assignments.start(annotator=annotator, consent=studies.current_consent(study))


def test_repeats_come_from_the_booklet_and_not_too_soon() -> None:
    study = opened(
        pairs=30, numbers={"ratings_per_item": 2, "n_repeats": 6, "repeat_distance": 12}
    )

    assignment = join(study).assignment

    order, repeated = main(assignment), again(assignment)
    assert len({*repeated}) == 6
    for n, key in enumerate(repeated):
        assert len(order) + n - order.index(key) >= 12
    assert assignment.n_own_screens == 6
    assert assignment.n_screens == 36
    first = Question.objects.filter(assignment=assignment).order_by("screen")[0]
    assert (first.screen, first.position, first.booklet) == (31, 1, None)


def test_repeats_fill_screens_of_their_own_alike_in_every_phase() -> None:
    study = opened(
        pairs=9,
        calibration=(0, 6),
        numbers={
            "ratings_per_item": 1,
            "n_repeats": 5,
            "repeat_distance": 4,
            "questions_per_screen": 2,
            "phases": TWO_PHASES,
        },
    )

    assignment = join(study).assignment

    assert again(assignment, 1) == again(assignment, 2)
    assert assignment.booklet.n_screens == 1 + 5
    assert assignment.n_own_screens == 3
    places = Question.objects.filter(assignment=assignment, block__phase__number=2)
    assert [*places.order_by("screen", "position").values_list("screen", "position")] == [
        (7, 1),
        (7, 2),
        (8, 1),
        (8, 2),
        (9, 1),
    ]


def test_as_tight_as_can_be_the_first_is_repeated_first() -> None:
    study = opened(pairs=5, numbers={"ratings_per_item": 1, "n_repeats": 5, "repeat_distance": 5})

    assignment = join(study).assignment

    assert again(assignment) == main(assignment)


def test_the_same_seed_booklet_and_pseudonym_draw_the_same() -> None:
    study = opened(pairs=30, numbers={"ratings_per_item": 1, "n_repeats": 4, "repeat_distance": 5})
    assignment = join(study).assignment
    drawn = again(assignment)

    Question.objects.filter(assignment=assignment).delete()
    repeats.draw(assignment)

    assert again(assignment) == drawn


def test_who_takes_the_place_later_draws_their_own() -> None:
    study = opened(pairs=30, numbers={"ratings_per_item": 1, "n_repeats": 4, "repeat_distance": 5})
    first = join(study).assignment
    drawn = again(first)
    Assignment.objects.filter(pk=first.pk).update(state=Assignment.State.LAPSED)

    second = join(study).assignment

    assert second.place == first.place
    assert again(second) != drawn
    assert again(first) == drawn
    assert len(again(second)) == 4


def test_nothing_is_drawn_where_nothing_is_repeated() -> None:
    assignment = join(opened()).assignment

    assert assignment.n_own_screens == 0
    assert not Question.objects.filter(assignment__isnull=False).exists()


def later_round(
    earlier: Study,
    *,
    pairs: int,
    numbers: dict,
    derived: dict[str, str],
    people: Sequence[Person] = (),
) -> Study:
    """An open study whose items stem from those of an earlier one, with people on its roster."""
    study = rating_study(pairs=pairs, earlier_round=earlier)
    for key, of in derived.items():
        Item.objects.filter(study=study, key=key).update(
            derived_from=Item.objects.get(study=earlier, key=of)
        )
    parameters = replace(
        RatingParameters(repeat_from="earlier_round", repeat_distance=3), **numbers
    )
    designs.set_parameters(study=study, parameters=parameters, seed=5)
    designs.make(design=study.design)
    for person in people:
        study.annotators.create(person=person)
    return studies.open_study(study=study)


def test_repeats_of_the_earlier_round_are_what_the_same_person_rated_there() -> None:
    # Two booklets of five, and the later round has all ten items and asks for three of them.
    earlier = opened(pairs=10, numbers={"ratings_per_item": 1, "items_per_booklet": 5})
    anna, boris = Person.objects.create(platform="roster"), Person.objects.create(platform="link")
    submit(of_anna := join_as(earlier, anna))
    submit(of_boris := join_as(earlier, boris))
    study = later_round(
        earlier,
        pairs=10,
        numbers={"ratings_per_item": 1, "items_per_booklet": 4, "n_repeats": 3},
        derived={f"p{n}": f"p{n}" for n in range(1, 11)},
        people=[anna, boris],
    )

    later_anna, later_boris = join_as(study, anna), join_as(study, boris)

    for before, after in ((of_anna, later_anna), (of_boris, later_boris)):
        assert len(again(after)) == 3
        assert {*again(after)} <= {*main(before)} - {*main(after)}


def test_who_rated_too_little_in_the_earlier_round_repeats_of_the_booklet() -> None:
    earlier = opened(pairs=4, numbers={"ratings_per_item": 1})
    anna = Person.objects.create(platform="roster")
    submit(join_as(earlier, anna))
    study = later_round(
        earlier,
        pairs=8,
        numbers={"ratings_per_item": 1, "items_per_booklet": 6, "n_repeats": 3},
        derived={"p7": "p2", "p8": "p3"},
        people=[anna],
    )

    of_anna, of_nobody = join_as(study, anna), join(study).assignment

    assert {*again(of_anna)} - {*main(of_anna)} == {"p7", "p8"} - {*main(of_anna)}
    assert len({*again(of_anna)}) == 3
    assert {*again(of_nobody)} <= {*main(of_nobody)}
    assert len({*again(of_nobody)}) == 3


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [({"repeat_distance": 5}, "Choose at most 4"), ({"n_repeats": 5}, "Choose at most 4 repeats")],
)
def test_a_booklet_too_short_for_its_repeats_is_refused(numbers: dict, reason: str) -> None:
    """Those who rated nothing in the earlier round would otherwise repeat less than is said."""
    earlier = opened(pairs=4, numbers={"ratings_per_item": 1})
    submit(join_as(earlier, Person.objects.create(platform="roster")))

    with pytest.raises(ImpossibleParametersError, match=reason):
        later_round(
            earlier,
            pairs=8,
            numbers={"ratings_per_item": 1, "items_per_booklet": 4, "n_repeats": 2, **numbers},
            derived={f"p{n}": f"p{n}" for n in range(1, 5)},
        )


def test_a_run_that_was_not_completed_is_no_earlier_rating() -> None:
    earlier = opened(pairs=4, numbers={"ratings_per_item": 2})
    anna, boris = (Person.objects.create(platform="roster") for _person in range(2))
    submit(join_as(earlier, boris))
    submit(assignment := join_as(earlier, anna))
    assignment.runs.update(completed_at=None, place=None, is_counted=False)
    study = later_round(
        earlier,
        pairs=8,
        numbers={"ratings_per_item": 1, "items_per_booklet": 4, "n_repeats": 1},
        derived={f"p{n}": "p1" for n in range(1, 9)},
        people=[boris],
    )

    assert {*again(of := join_as(study, anna))} <= {*main(of)}


def test_items_derived_over_several_copies_are_found() -> None:
    earlier = opened(pairs=2, numbers={"ratings_per_item": 1})
    anna = Person.objects.create(platform="roster")
    submit(join_as(earlier, anna))
    between = rating_study(pairs=1)
    Item.objects.filter(study=between).update(derived_from=earlier.items.get(key="p1"))
    study = rating_study(pairs=2, earlier_round=earlier)
    Item.objects.filter(study=study).update(derived_from=between.items.get())
    parameters = RatingParameters(
        ratings_per_item=1,
        items_per_booklet=1,
        n_repeats=1,
        repeat_from="earlier_round",
        repeat_distance=1,
    )
    designs.set_parameters(study=study, parameters=parameters, seed=5)
    designs.make(design=study.design)
    study.annotators.create(person=anna)
    studies.open_study(study=study)

    assignment = join_as(study, anna)

    assert {*again(assignment), *main(assignment)} == {"p1", "p2"}


def test_another_booklet_shares_no_pair_with_the_first() -> None:
    # Six pairs with two ratings: of four booklets of three, some share pairs.
    study = opened(
        pairs=6, numbers={"ratings_per_item": 2, "items_per_booklet": 3}, max_booklets=0
    )
    joined = join(study)
    rated = {*main(joined.assignment)}
    while True:
        submit(assignments.current(joined.annotator))
        try:
            another = assignments.claim_another(annotator=joined.annotator)
        except NothingLeftError:
            break
        assert not rated & {*main(another)}
        rated |= {*main(another)}

    assert len(rated) in (3, 6)
    assert not assignments.may_claim_another(joined.annotator)


def test_with_groups_another_booklet_has_no_other_pair_of_a_group() -> None:
    # Each of the six booklets has one pair of one of the two groups.
    study = opened(
        pairs=6, groups=2, numbers={"ratings_per_item": 1, "items_per_booklet": 1}, max_booklets=0
    )
    joined = join(study)
    submit(joined.assignment)

    another = assignments.claim_another(annotator=joined.annotator)

    pools = dict(study.items.values_list("key", "pool__key"))
    assert pools[main(another)[0]] != pools[main(joined.assignment)[0]]
    submit(another)
    with pytest.raises(NothingLeftError):
        assignments.claim_another(annotator=joined.annotator)


def test_whoever_rated_an_item_in_no_group_may_rate_another() -> None:
    study = rating_study(
        pairs=6, groups=2, numbers={"ratings_per_item": 1, "items_per_booklet": 1}, max_booklets=0
    )
    Pool.objects.filter(study=study, key="g2").update(key="all")
    designs.make(design=study.design)
    studies.open_study(study=study)
    joined = join(study)
    rated = set()
    while True:
        assignment = assignments.current(joined.annotator)
        submit(assignment)
        rated |= {*main(assignment)}
        try:
            assignments.claim_another(annotator=joined.annotator)
        except NothingLeftError:
            break

    # All three that are in no group, and one of the group of three.
    assert {"p4", "p5", "p6"} < rated
    assert len(rated) == 4


def test_what_was_repeated_in_one_booklet_comes_in_no_other() -> None:
    """Neither as a main question nor once more as a repeat: it would be their third rating."""
    earlier = opened(pairs=12, numbers={"ratings_per_item": 1, "items_per_booklet": 12})
    anna = Person.objects.create(platform="roster")
    submit(join_as(earlier, anna))
    study = later_round(
        earlier,
        pairs=12,
        numbers={
            "ratings_per_item": 1,
            "items_per_booklet": 2,
            "n_repeats": 2,
            "repeat_distance": 2,
        },
        derived={f"p{n}": f"p{n}" for n in range(1, 13)},
        people=[anna],
    )
    study.max_booklets = 0
    study.save()
    assignment = join_as(study, anna)
    asked: list[str] = []
    while True:
        asked += [*main(assignment), *again(assignment)]
        submit(assignment)
        try:
            assignment = assignments.claim_another(annotator=assignment.annotator)
        except NothingLeftError:
            break

    assert len(asked) >= 8
    assert len(asked) == len({*asked})
