"""What `results/` asks of a kind whose answers Label Studio can read."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from annotation.core.queries.counted_answers import Population
from annotation.models import Design, Phase, Study


class LabelStudioPart(ABC):
    """Answers as tasks, and an interface that asks for them."""

    @abstractmethod
    def tasks(
        self, design: Design, phase: Phase, population: Population
    ) -> Iterator[dict[str, Any]]:
        """The tasks of one phase that were answered, in the order of their numbers."""

    @abstractmethod
    def interface(self, study: Study, *, tuple_size: int) -> Sequence[str]:
        """The lines of a labelling configuration, within its View."""
