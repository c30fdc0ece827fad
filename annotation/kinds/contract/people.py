"""What `people/` asks of a kind: what is said of one annotator."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from annotation.basics.numbers import percent
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.kinds.people_answers import AnswerPart, Others, OthersChoice, Own, QuestionText
from annotation.kinds.people_figures import Figure
from annotation.models import Annotator, AnnotatorStatistics, Item

# Of answers that others' answers alone can be held against.
AMONG_FEW = _(
    "Among fewer than 15 people, low agreement is not flagged. Among so few, a person with an "
    "unusual view cannot be told apart from a person who clicks at random."
)


class PeoplePart(ABC):
    """See the module."""

    # Whether people are compared with one another: how far they agree, by tests that may flag
    # somebody, and by what the scores are without them.
    compares_people: bool = True
    # How far somebody agrees with the others: the heading of a column, and what it is.
    agreement_name: Said = _("Agrees with the others")
    agreement_explained: Said = ""
    # Up to so many people, what low agreement can tell of somebody. Among five who pick, somebody
    # who clicks is found in four of five studies of 200 answers each, and in one of two of 60.
    few_people: int = 5
    among_few_people: Said = _(
        "With so few people, random clicking and carelessness can be told apart only after about "
        "200 answers each."
    )

    def agreement_text(self, value: float | None) -> str:
        """How far somebody agrees with the others, as it is written."""
        return percent(value)

    def n_compared(self, statistics: AnnotatorStatistics) -> int | None:
        """The number of questions over which the agreement is computed."""
        return statistics.n_pairs

    def figures(self, person: Annotator, own: Sequence[Own], others: Others) -> list[Figure]:
        """What can be said of somebody's answers beside time, agreement and checks."""
        return []

    @abstractmethod
    def said(
        self, own_answer: Own, items: Mapping[int, Item], turns: Mapping[int, QuestionText]
    ) -> list[AnswerPart]:
        """An answer in words; `items` and `turns` have what answers name."""

    @abstractmethod
    def others_choice(self, own_answer: Own, others: Others) -> OthersChoice | None:
        """What the others answered to the same; None if nobody did who counts."""
