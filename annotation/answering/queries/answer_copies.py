"""A copy of somebody's answers that is small enough for a form, and can be read without us."""

import json
from typing import Any

from annotation.kinds.registry import kind_of
from annotation.models import Item, PhaseRun

LIMIT = 60_000  # bytes, as they are sent
_COMMENT = 200


def compact(run: PhaseRun) -> str:
    """The answers of one phase as JSON of ASCII characters, under `LIMIT`.

    `answers` are lists: the question's key, the id of the item it asks about or nothing, then
    what was said to it, items by their ids; a comment at the end if there is one. Where all
    of it would be too much, comments go first (`comments` is 0 then), then the last answers,
    whose number is `left_out`.
    """
    answers = _answers(run)
    copy = _written(run, answers, comments=True)
    if len(copy) >= LIMIT:
        copy = _written(run, answers, comments=False)
    n = len(answers)
    while n and len(copy) >= LIMIT:
        n = min(n - 1, n * LIMIT // len(copy))
        copy = _written(run, answers, comments=False, at_most=n)
    return copy


def _written(
    run: PhaseRun, answers: list[tuple[int, list[Any], str]], *, comments: bool, at_most: int = -1
) -> str:
    listed = answers if at_most < 0 else answers[:at_most]
    rows = [
        [question, *parts, *([comment] if comments and comment else [])]
        for question, parts, comment in listed
    ]
    whole: dict[str, Any] = {
        "format": 1,
        "booklet": run.assignment.booklet.number,
        "phase": run.phase.number,
        "answers": rows,
    }
    if not comments:
        whole["comments"] = 0
    if len(listed) < len(answers):
        whole["left_out"] = len(answers) - len(listed)
    return json.dumps(whole, separators=(",", ":"))


def _answers(run: PhaseRun) -> list[tuple[int, list[Any], str]]:
    """Question, what it asks about and what was said to it, the beginning of the comment."""
    answer_type = kind_of(run.assignment.annotator.study).answering.answer
    judgments = (
        run.assignment.judgments.current()
        .filter(question__block__phase=run.phase_id)
        .select_related("question__item")
        .prefetch_related(*answer_type.ROWS)
        .order_by("question__screen", "question__position")
    )
    answers = [(row.question, answer_type.of_judgment(row)) for row in judgments]
    named = [item for _, answer in answers for item in answer.items]
    ids = dict(Item.objects.filter(pk__in=named).values_list("pk", "key"))
    return [
        (
            question.pk,
            [question.item.key if question.item else None, *answer.written_parts(ids)],
            answer.comment[:_COMMENT],
        )
        for question, answer in answers
    ]
