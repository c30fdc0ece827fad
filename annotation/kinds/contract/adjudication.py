"""What `results/` asks of a kind whose items an expert may decide on."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any, ClassVar

from django import forms

from annotation.basics.sentences import Said
from annotation.kinds.queries.disputes import CountedAnswer, Dispute
from annotation.models import Adjudication, Design, Item, Phase, Study


class AdjudicationPart(ABC):
    """How items are adjudicated: what people said, and what an expert may decide."""

    # The sentence that explains the order of the items.
    order_explained: ClassVar[Said]
    # The text that replaces a majority if there is none.
    no_majority: ClassVar[Said]
    # Whether answers have a mean and a standard deviation.
    has_means: ClassVar[bool] = False
    # What is beside the sentence in its context that the question is about.
    target_tag: ClassVar[Said]

    @abstractmethod
    def disputes(self, design: Design, phase: Phase) -> list[Dispute]:
        """Every item that the main block of a phase asks for, in the order of the import."""

    @abstractmethod
    def answers(self, design: Design, phase: Phase, item: Item) -> Sequence[CountedAnswer]:
        """Every counted answer to an item in a phase, by value."""

    @abstractmethod
    def value_field(self, study: Study) -> forms.Field:
        """The field by which an expert decides."""

    @abstractmethod
    def initial(self, study: Study, adjudication: Adjudication) -> Any:
        """What was decided, as that field takes it."""

    @abstractmethod
    def decision(self, value: Any) -> dict[str, Any]:
        """The `rating` or the `categories` that a cleaned value of that field means."""

    @abstractmethod
    def possible(
        self, study: Study, rating: Decimal | None, categories: Collection[str]
    ) -> list[str]:
        """The categories in their order, none if a rating is asked for.

        Raises InvalidAnswerError for anything that nobody could have answered.
        """
