"""What a question is about, as rows of the database: what a screen shows is built from it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotation.basics.reviewed import Reviewed
from annotation.models import Question, Turn


@dataclass(frozen=True)
class Option:
    """An item as a question shows it."""

    pk: int
    key: str
    text: str
    target: str
    target_turn: int | None


@dataclass(frozen=True)
class RatedText:
    """One of the two texts of a pair: alone, or a turn of its context."""

    text: str
    turn: int | None
    turns: Sequence[Turn]


@dataclass(frozen=True)
class Document:
    """A context of an incident: its turns as primary keys and texts, in their order."""

    key: str
    turns: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Incident:
    """What a selection question shows: a summary, and the reports that it was made from."""

    summary: Document
    reports: list[Document]


@dataclass(frozen=True)
class QuestionRows:
    """A question with what it shows."""

    question: Question
    # Of a best-worst question: its options in stored order, the turns of its dialogue.
    tuple_number: int = 0
    options: Sequence[Option] = ()
    turns: Sequence[Turn] = ()
    # Of a rating: target and candidate; a study of single texts has no target.
    texts: Sequence[RatedText] = ()
    # What both texts are about, such as the question that they answer.
    above: str = ""
    # Of an item at which a measure and people differ, where annotators shall see by how much.
    beside: Reviewed | None = None
    # Of a selection: one of the summary's turns is the question's.
    incident: Incident | None = None
