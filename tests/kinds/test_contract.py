"""Each kind answers all that the rooms ask."""

from importlib import import_module
from typing import get_type_hints

import pytest

from annotation.kinds.base import StudyKind
from annotation.kinds.registry import KINDS
from annotation.studies import presets

ROOMS = [name for name in StudyKind.__annotations__ if not name.startswith("_")]


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_kind_has_a_part_for_each_room(kind: StudyKind, room: str) -> None:
    contract = import_module(f"annotation.kinds.contract.{room}")

    part = getattr(kind, room)

    assert isinstance(part, getattr(contract, f"{room.title()}Part"))
    assert getattr(kind, room) is part


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_kind_answers_every_question_that_has_no_usual_answer(kind: StudyKind) -> None:
    parts = [getattr(kind, room) for room in ROOMS]

    unanswered = [
        f"{type(part).__name__}.{name}"
        for part in parts
        for name in get_type_hints(type(part))
        if not name.startswith("_") and not hasattr(part, name)
    ]

    assert not unanswered


def test_the_plans_of_all_kinds_stand_in_one_order() -> None:
    assert list(presets.PRESETS) == [
        *("best-worst", "giccs", "ranking"),
        *("czech-round-1", "czech-round-2", "sts-context", "training"),
        *("stss-131", "answer-similarity", "labels", "expert-check", "discrepancy-review"),
    ]
    for preset in presets.PRESETS.values():
        assert preset in KINDS[preset.kind].studies.presets


def test_default_texts_have_names_of_their_own_in_each_kind() -> None:
    names = {(preset.texts, preset.kind) for preset in presets.PRESETS.values()}
    assert len(names) == len({name for name, _kind in names})
