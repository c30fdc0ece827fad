"""Best-worst answers in Label Studio: a task for each tuple."""

from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from django.db.models import Prefetch

from annotation.core.queries.counted_answers import Population
from annotation.kinds.contract.label_studio import LabelStudioPart
from annotation.kinds.queries.label_studio import (
    Finding,
    annotation,
    answered,
    choices,
    comment_line,
    has_targets,
)
from annotation.models import Design, ItemTuple, Judgment, Member, Phase, Study, Turn

_TUPLE = "question__tuple"
_SHOWN = (
    _TUPLE,
    Prefetch(
        f"{_TUPLE}__members",
        Member.objects.select_related("item__candidate_turn", "item__target_turn").order_by(
            "position"
        ),
    ),
    f"{_TUPLE}__pool__context",
    Prefetch(f"{_TUPLE}__pool__context__turns", Turn.objects.order_by("position")),
)


class BestWorstLabelStudio(LabelStudioPart):
    """Two choices among the items of a tuple."""

    def tasks(
        self, design: Design, phase: Phase, population: Population
    ) -> Iterator[dict[str, Any]]:
        by_tuple = answered(design, phase, population, "tuple", *_SHOWN)
        for number, judgments in enumerate(by_tuple, start=1):
            row = judgments[0].question.tuple
            assert row is not None  # constraint question_best_worst_or_ranking_has_tuple
            shown, places = _compared(row)
            yield {
                "id": number,
                "data": shown,
                "annotations": [annotation(row, _findings(row, places)) for row in judgments],
            }

    def interface(self, study: Study, *, tuple_size: int) -> Sequence[str]:
        names = [f"item{number}" for number in range(1, tuple_size + 1)]
        lines = ['<Text name="context" value="$context"/>'] if _has_context(study) else []
        lines += [f'<Text name="{name}" value="${name}"/>' for name in names]
        for name, question in (("best", study.most_question), ("worst", study.least_question)):
            lines.append(f"<Header value={quoteattr(question)}/>")
            lines += choices(name, "item1", names, several=False)
        return [*lines, comment_line("item1")]


def _compared(row: ItemTuple) -> tuple[dict[str, str], dict[int, str]]:
    """The fields of a tuple, and which of them each item is."""
    members = list(row.members.all())
    shown = {f"item{n}": member.item.candidate for n, member in enumerate(members, start=1)}
    shown |= {f"key_of_{n}": member.item.key for n, member in enumerate(members, start=1)}
    if (context := row.pool.context) is not None:
        shown["context"] = "\n".join(
            f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text
            for turn in context.turns.all()
        )
    elif target := members[0].item.target:
        shown["context"] = target
    return shown, {member.item_id: f"item{n}" for n, member in enumerate(members, start=1)}


def _findings(judgment: Judgment, places: dict[int, str]) -> list[Finding]:
    return [
        Finding(name, "item1", "choices", {"choices": [places[item]]})
        for name, item in (("best", judgment.best_id), ("worst", judgment.worst_id))
        if item is not None
    ]


def _has_context(study: Study) -> bool:
    return study.pools.filter(context__isnull=False).exists() or has_targets(study)
