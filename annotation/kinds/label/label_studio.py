"""Labels in Label Studio: a task for each item."""

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.basics.categories import Categories
from annotation.core.queries.counted_answers import Population
from annotation.kinds.contract.label_studio import LabelStudioPart
from annotation.kinds.queries.label_studio import Finding, choices, item_lines, item_tasks
from annotation.models import Design, Judgment, Phase, Study


class LabelLabelStudio(LabelStudioPart):
    """A choice among the categories."""

    def tasks(
        self, design: Design, phase: Phase, population: Population
    ) -> Iterator[dict[str, Any]]:
        return item_tasks(design, phase, population, _finding)

    def interface(self, study: Study, *, tuple_size: int) -> Sequence[str]:
        categories = Categories.of(study.categories)
        return item_lines(
            study,
            choices("label", "candidate", categories.names, several=categories.is_several),
        )


def _finding(judgment: Judgment) -> Finding:
    names = [choice.category for choice in judgment.choices.all()]
    return Finding("label", "candidate", "choices", {"choices": sorted(names)})
