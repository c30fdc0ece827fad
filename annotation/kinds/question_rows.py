"""What a question is about, as rows of the database: what a screen shows is built from it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotation.basics.reviewed import Reviewed
from annotation.models import Question


@dataclass(frozen=True)
class AskedQuestion:
    """One row of the questions of a design, with what it asks about: one of the last three."""

    pk: int
    kind: str
    # That of its block.
    purpose: str
    item_id: int | None = None
    turn_id: int | None = None
    # Of its tuple.
    pool_id: int | None = None

    @classmethod
    def of(cls, question: Question) -> "AskedQuestion":
        return cls(
            pk=question.pk,
            kind=question.kind,
            purpose=question.block.purpose,
            item_id=question.item_id,
            turn_id=question.turn_id,
            pool_id=question.tuple.pool_id if question.tuple else None,
        )


@dataclass(frozen=True)
class ContextTurn:
    """A turn of a dialogue, or a sentence of a document, which nobody speaks."""

    pk: int
    speaker: str
    text: str


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
    turns: Sequence[ContextTurn]


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

    question: AskedQuestion
    # Best-worst questions: the options in stored order, and the turns of the dialogue.
    tuple_number: int = 0
    options: Sequence[Option] = ()
    turns: Sequence[ContextTurn] = ()
    # Ratings and labels: target and candidate; a study of single texts has no target.
    texts: Sequence[RatedText] = ()
    # The common topic of both texts, such as the question that they answer.
    above: str = ""
    # The difference between a measure and people, if annotators shall see it.
    beside: Reviewed | None = None
    # Selections: the question is about one of the summary's turns.
    incident: Incident | None = None
