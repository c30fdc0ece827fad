"""What `items/` asks of a kind: what is imported, and how."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Literal

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.kinds.examples import ExampleFile
from annotation.models import Study

# The possible entries of a file.
Shape = Literal["dialogues", "pairs", "single", "incidents"]
# What columns of a table can be wherever there are pairs, and for items of any kind.
PAIR_COLUMNS = ("target", "candidate", "target_context", "candidate_context")
ITEM_COLUMNS = (
    *("group", "intended_class", "domain", "source"),
    *("check", "expected", "explanation"),
)


class AnswerForm(StrEnum):
    """What answers say about items, and so what the known answer in a file is."""

    # Answers order several items; the known answer is a number for each that gives their order.
    ORDER = "order"
    # Answers are ratings.
    NUMBER = "number"
    # Answers are names of categories.
    NAMES = "names"


@dataclass(frozen=True)
class PoolNeed:
    """How many items each pool needs, and the numbers of the design that say so."""

    n_items: int
    tuple_size: int
    factor: float


class ItemsPart(ABC):
    """See the module."""

    # -- Files of items ---------------------------------------------------------------------------

    # Whether incidents are imported, each a summary with its reports, and no items.
    holds_incidents: ClassVar[bool] = False
    # What files such a study takes, and what is said of any other.
    shapes: ClassVar[frozenset[Shape]]
    takes: ClassVar[Said]
    # What a column of a table can be; empty if no table is taken.
    column_roles: ClassVar[tuple[str, ...]] = ()
    # Whether a question shows several items of one pool, which are compared with one another.
    compares_items: ClassVar[bool] = False
    # The tags of both texts of an item among the turns of its context.
    target_tag: ClassVar[Said] = _("rated")
    candidate_tag: ClassVar[Said] = _("rated")
    # Whether a question is about one pair, or about one text: then pairs can be drawn for it.
    asks_item_by_item: ClassVar[bool] = False
    # Why no items can be added to those that a draft has; empty: they can.
    why_no_additions: ClassVar[Said] = ""
    answer_form: ClassVar[AnswerForm | None] = None

    @property
    def takes_single_texts(self) -> bool:
        """Whether an item of a table may be one text, and not a pair."""
        return "text" in self.column_roles

    @property
    def shows_question(self) -> bool:
        """Whether a question of the item's own stands above its texts."""
        return "question" in self.column_roles

    def tuple_size(self, study: Study) -> int:
        """How many items a question shows."""
        return 1

    def pool_need(self, study: Study) -> PoolNeed | None:
        """What the design needs of each pool; None if pools of any size will do."""
        return None

    def speaks_of_dialogues(self, study: Study) -> bool:
        """Whether the texts that the study began with ask about dialogues."""
        return False

    def calibration(self, study: Study) -> list[str]:
        """Ids of the items that only calibrate, and are no data."""
        return []

    @abstractmethod
    def example(self, study: Study, language: str) -> ExampleFile:
        """What a file for such a study may look like."""

    # -- Finished answers of other tools ----------------------------------------------------------

    # Why answers that were collected elsewhere cannot be imported; empty: they can.
    why_no_finished_answers: ClassVar[Said] = ""
    # Words in the names by which other tools call an answer, the likelier first.
    answer_names: ClassVar[tuple[str, ...]] = ()
