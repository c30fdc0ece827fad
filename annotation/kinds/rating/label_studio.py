"""Ratings in Label Studio: a task for each item."""

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.basics.scale import Scale, plain
from annotation.core.queries.counted_answers import Population
from annotation.kinds.contract.label_studio import LabelStudioPart
from annotation.kinds.queries.label_studio import Finding, item_lines, item_tasks
from annotation.models import Design, Judgment, Phase, Study


class RatingLabelStudio(LabelStudioPart):
    """A number on the scale."""

    def tasks(
        self, design: Design, phase: Phase, population: Population
    ) -> Iterator[dict[str, Any]]:
        return item_tasks(design, phase, population, _finding)

    def interface(self, study: Study, *, tuple_size: int) -> Sequence[str]:
        scale = Scale.of(study.scale)
        low, high, step = map(scale.text, (scale.low, scale.high, scale.step))
        return item_lines(
            study,
            [
                f'<Number name="rating" toName="candidate" min="{low}" max="{high}" step="{step}"'
                ' required="true"/>'
            ],
        )


def _finding(judgment: Judgment) -> Finding:
    assert judgment.rating is not None  # an answer is a rating
    text = plain(judgment.rating)
    number: float = float(text) if "." in text else int(text)
    return Finding("rating", "candidate", "number", {"number": number})
