"""Counted answers as tasks of Label Studio, and the lines of an interface that asks for them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple
from xml.sax.saxutils import quoteattr

from django.db.models import Prefetch

from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import Population
from annotation.models import Block, Design, Item, Judgment, Phase, Study

_CHUNK = 2000


class Finding(NamedTuple):
    """One thing that a person said, as an annotation lists it."""

    from_name: str
    to_name: str
    type: str
    value: dict[str, Any]


def answered(
    design: Design,
    phase: Phase,
    population: Population,
    unit: Literal["tuple", "item"],
    *shown: "str | Prefetch[Any]",
) -> Iterator[list[Judgment]]:
    """The counted answers to each tuple or item of a phase, in the order of their numbers.

    Calibration, repeats and checks are no part of them. `shown`: what a task says of its question,
    read for two thousand answers at a time.
    """
    rows = (
        counted_answers.counted_judgments(design, population)
        .filter(question__block__phase=phase, question__block__purpose=Block.Purpose.MAIN)
        .select_related("question", "assignment__annotator")
        .prefetch_related("choices", *shown)
        .order_by(f"question__{unit}__number", "pk")
    )
    by_unit = groupby(
        rows.iterator(chunk_size=_CHUNK), key=lambda row: getattr(row.question, f"{unit}_id")
    )
    for _unit, group in by_unit:
        yield list(group)


def item_tasks(
    design: Design,
    phase: Phase,
    population: Population,
    finding: Callable[[Judgment], Finding],
) -> Iterator[dict[str, Any]]:
    """A task for each item of a phase that was answered; people have their pseudonyms."""
    with_texts = Item.objects.select_related("target_turn", "candidate_turn")
    shown = Prefetch("question__item", with_texts)
    by_item = answered(design, phase, population, "item", shown)
    for number, judgments in enumerate(by_item, start=1):
        item = judgments[0].question.item
        assert item is not None  # constraint question_rating_or_label_has_item
        target = {"target": item.target} if item.target else {}
        yield {
            "id": number,
            "data": {"id": item.key, **target, "candidate": item.candidate},
            "annotations": [annotation(row, [finding(row)]) for row in judgments],
        }


def annotation(judgment: Judgment, findings: Sequence[Finding]) -> dict[str, Any]:
    """What one person said, with their comment and the time they took."""
    results = list(findings)
    if judgment.comment:
        text = {"text": [judgment.comment]}
        results.append(Finding("comment", results[0].to_name, "textarea", text))
    made: dict[str, Any] = {
        "completed_by": judgment.assignment.annotator.pseudonym,
        "was_cancelled": False,
        "result": [finding._asdict() for finding in results],
    }
    if judgment.active_ms is not None:
        made["lead_time"] = judgment.active_ms / 1000
    if judgment.answered_at is not None:
        made["created_at"] = judgment.answered_at.isoformat()
    return made


# -- The interface ------------------------------------------------------------------------------


def item_lines(study: Study, question: Sequence[str]) -> list[str]:
    """An item's texts, and what is asked about it."""
    lines = ['<Text name="target" value="$target"/>'] if has_targets(study) else []
    return [
        *lines,
        '<Text name="candidate" value="$candidate"/>',
        f"<Header value={quoteattr(study.rating_question or study.title)}/>",
        *question,
        comment_line("candidate"),
    ]


def comment_line(to: str) -> str:
    return f'<TextArea name="comment" toName="{to}" maxSubmissions="1"/>'


def choices(name: str, object_name: str, values: Iterable[str], *, several: bool) -> list[str]:
    """Buttons to choose from."""
    how = "multiple" if several else "single"
    return [
        f'<Choices name="{name}" toName="{object_name}" choice="{how}" required="true">',
        *(f"  <Choice value={quoteattr(value)}/>" for value in values),
        "</Choices>",
    ]


def has_targets(study: Study) -> bool:
    """Whether items have a text of their own that they are compared with."""
    return (
        study.items.exclude(target_text=None).exists()
        or study.items.exclude(target_turn=None).exists()
    )
