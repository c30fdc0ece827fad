"""Designs as rows: tuples, screens, booklets and places, all from the seed."""

from collections import Counter
from dataclasses import replace

import pytest

from annotation.designs.services import designs
from annotation.kinds.design_parameters import BestWorstParameters, ImpossibleParametersError
from annotation.models import Context, Member, Place, Question
from tests.support.factories import make_study

pytestmark = pytest.mark.django_db


def make(study, **numbers):
    design = study.design
    parameters = replace(BestWorstParameters.of(design), **numbers)
    design = designs.set_parameters(study=study, parameters=parameters, seed=design.seed)
    return designs.make(design=design)


def rows(design) -> list[tuple]:
    return list(
        Question.objects.filter(block__phase__design=design)
        .order_by("tuple__number")
        .values_list("tuple__number", "booklet__number", "screen", "position")
    )


def members(design) -> list[tuple]:
    return list(
        Member.objects.filter(tuple__design=design)
        .order_by("tuple__number", "position")
        .values_list("tuple__number", "item__key")
    )


def test_giccs_has_all_ten_tuples_of_each_dialogue_and_two_dialogues_a_screen() -> None:
    design = make(make_study(dialogues=4))

    shown = Counter(key for _, key in members(design))
    assert set(shown.values()) == {6}
    assert design.tuples.count() == 40
    screens: dict[tuple, list[int]] = {}
    for question in Question.objects.select_related("tuple__pool__context", "booklet"):
        key = (question.booklet.number, question.screen)
        screens.setdefault(key, []).append(question.tuple.pool.context.n_turns)
    assert {tuple(sorted(turns)) for turns in screens.values()} == {(3, 5)}
    assert design.certificate["n_tuples"] == 40


def test_each_tuple_has_as_many_places_as_annotations() -> None:
    design = make(make_study(), annotations_per_tuple=7)

    assert set(Counter(Place.objects.values_list("booklet", flat=True)).values()) == {7}
    assert design.booklets.count() * 7 == Place.objects.count()


def test_the_seed_decides_everything() -> None:
    study = make_study()
    design = make(study)
    first = rows(design), members(design)

    again = designs.make(design=design)
    second = rows(again), members(again)
    again.seed += 1
    again.save()
    other = designs.make(design=again)

    assert first == second
    assert (rows(other), members(other)) != first


def test_changed_numbers_drop_what_was_made_of_the_old_ones() -> None:
    study = make_study()
    make(study)

    designs.set_parameters(
        study=study, parameters=BestWorstParameters(tuple_size=4, factor=1), seed=1
    )

    assert not study.design.is_made
    assert not Question.objects.exists()


def test_the_same_numbers_keep_the_design() -> None:
    study = make_study()
    design = make(study)

    designs.set_parameters(
        study=study, parameters=BestWorstParameters.of(design), seed=design.seed
    )

    assert study.design.is_made


def test_an_impossible_design_names_the_pool_and_what_would_work() -> None:
    study = make_study()

    with pytest.raises(ImpossibleParametersError) as refusal:
        make(study, tuple_size=4)

    assert "Dialogue d1 " in refusal.value.message
    assert "at least 6" in refusal.value.message
    assert "factor 1 " in refusal.value.message
    assert not study.design.is_made


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ({"tuple_size": 1}, "tuple size: choose from 2 to 8"),
        ({"tuple_size": 9}, "tuple size: choose from 2 to 8"),
        ({"factor": 0}, "factor: choose a number above 0"),
        ({"factor": float("nan")}, "factor: choose a number above 0"),
        ({"annotations_per_tuple": 0}, "annotations per tuple: choose from 1"),
        ({"strata": ["colour"]}, "colour is unknown"),
    ],
)
def test_numbers_out_of_range_are_refused(numbers: dict, sentence: str) -> None:
    with pytest.raises(ImpossibleParametersError, match=sentence):
        make(make_study(), **numbers)


def test_strata_of_unequal_size_are_said() -> None:
    design = make(make_study(dialogues=3))

    notes = design.certificate["booklets"]["notes"]
    assert [note.split(" has ")[0] for note in notes if note.startswith("Stratum")] == [
        "Stratum number of turns 3",
        "Stratum number of turns 5",
    ]


def test_strata_of_several_things_name_each_and_what_is_unknown() -> None:
    study = make_study(dialogues=3)
    Context.objects.filter(study=study, key="d2").update(domain="")

    design = make(study, strata=["source", "domain"])

    said = " ".join(design.certificate["booklets"]["notes"])
    assert "Stratum source written / domain travel has 20 tuples" in said
    assert "Stratum source written / domain unknown has 10 tuples" in said
