"""Counted answers as tasks of Label Studio: what was shown, and what each person said of it."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from annotation.basics.scale import plain
from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import Population
from annotation.models import Block, Design, Judgment, Member, Phase, Turn
from annotation.models.kinds import QuestionKind

_CHUNK = 2000


def tasks(design: Design, phase: Phase, population: Population) -> Iterator[dict[str, Any]]:
    """The tasks of one phase that were answered, in the order of their numbers.

    Calibration, repeats and checks are no part of them. People have their pseudonyms.
    """
    compares = design.study.kind == QuestionKind.BEST_WORST
    unit = "question__tuple__number" if compares else "question__item__number"
    rows = (
        counted_answers.counted_judgments(design, population)
        .filter(question__block__phase=phase, question__block__purpose=Block.Purpose.MAIN)
        .select_related("question", "question__tuple", "assignment__annotator")
        .prefetch_related("choices")
        .order_by(unit, "pk")
    )
    if not compares:
        items = "question__item__"
        rows = rows.select_related(
            "assignment__annotator",
            f"{items}target_turn",
            f"{items}candidate_turn",
        )
    by_unit = groupby(
        rows.iterator(chunk_size=_CHUNK),
        key=lambda row: row.question.tuple_id if compares else row.question.item_id,
    )
    for number, (_unit, group) in enumerate(by_unit, start=1):
        judgments = list(group)
        shown, places = _compared(judgments[0]) if compares else (_asked(judgments[0]), {})
        yield {
            "id": number,
            "data": shown,
            "annotations": [_annotation(row, places) for row in judgments],
        }


def _compared(judgment: Judgment) -> tuple[dict[str, str], dict[int, str]]:
    """The fields of a tuple, and which of them each item is."""
    row = judgment.question.tuple
    assert row is not None  # constraint question_best_worst_has_tuple
    members = list(
        Member.objects.filter(tuple=row)
        .select_related("item__candidate_turn", "item__target_turn", "item__pool")
        .order_by("position")
    )
    shown = {f"item{n}": member.item.candidate for n, member in enumerate(members, start=1)}
    shown |= {f"key_of_{n}": member.item.key for n, member in enumerate(members, start=1)}
    if (context := members[0].item.pool.context_id) is not None:
        turns = Turn.objects.filter(context=context).order_by("position")
        shown["context"] = "\n".join(
            f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text for turn in turns
        )
    elif target := members[0].item.target:
        shown["context"] = target
    return shown, {member.item_id: f"item{n}" for n, member in enumerate(members, start=1)}


def _asked(judgment: Judgment) -> dict[str, str]:
    item = judgment.question.item
    assert item is not None  # constraint question_rating_or_label_has_item
    target = {"target": item.target} if item.target else {}
    return {"id": item.key, **target, "candidate": item.candidate}


def _annotation(judgment: Judgment, places: dict[int, str]) -> dict[str, Any]:
    said: list[tuple[str, str, str, dict[str, Any]]] = []
    if judgment.best_id is not None and judgment.worst_id is not None:
        for name, item in (("best", judgment.best_id), ("worst", judgment.worst_id)):
            said.append((name, "item1", "choices", {"choices": [places[item]]}))
    elif judgment.rating is not None:
        text = plain(judgment.rating)
        number: float = float(text) if "." in text else int(text)
        said.append(("rating", "candidate", "number", {"number": number}))
    else:
        names = [choice.category for choice in judgment.choices.all()]
        said.append(("label", "candidate", "choices", {"choices": sorted(names)}))
    if judgment.comment:
        said.append(("comment", said[0][1], "textarea", {"text": [judgment.comment]}))
    made: dict[str, Any] = {
        "completed_by": judgment.assignment.annotator.pseudonym,
        "was_cancelled": False,
        "result": [
            {"from_name": name, "to_name": of, "type": kind, "value": value}
            for name, of, kind, value in said
        ],
    }
    if judgment.active_ms is not None:
        made["lead_time"] = judgment.active_ms / 1000
    if judgment.answered_at is not None:
        made["created_at"] = judgment.answered_at.isoformat()
    return made
