"""What an export of a selection study reads: answers, the sentences they chose, and pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import compress, islice
from typing import Any, NamedTuple

from annotation.basics.cells import Cell
from annotation.basics.scale import Scale
from annotation.core.queries import comments, counted_answers, run_status
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.run_status import STATUSES, status_of
from annotation.kinds.selection.answer import ROLES
from annotation.models import Design, Pick, Turn
from annotation.models.kinds import QuestionKind
from scoring.arrays import BoolArray
from scoring.measures.selected_pairs import diagonal_filter

_CHUNK = 2000


@dataclass(frozen=True)
class Sentence:
    """A sentence of a summary or of a report."""

    incident: str
    document: str
    position: int
    text: str


class ChosenSentence(NamedTuple):
    """A sentence of a report, the role that it was chosen for, and its rating as it is written."""

    role: str
    sentence: Sentence
    rating: Decimal | None
    written_rating: Cell

    @property
    def place(self) -> str:
        """The id of its report, a colon, and its place there."""
        return f"{self.sentence.document}:{self.sentence.position}"


@dataclass(frozen=True)
class SelectionRecord:
    """A stored answer: the sentence of a summary, and what was chosen for it, by role."""

    pseudonym: str
    source: str
    booklet: int
    screen: int
    status: str
    asked: Sentence
    chosen: Mapping[str, ChosenSentence]
    shown_at: datetime | None
    answered_at: datetime | None
    active_ms: int | None
    comment: str
    superseded_at: datetime | None


class PickRecord(NamedTuple):
    """One chosen sentence of an answer."""

    answer: SelectionRecord
    pick: ChosenSentence


_COLUMNS = (
    "pk",
    "superseded_at",
    "is_excluded",
    "run",
    "question__turn_id",
    "question__screen",
    "assignment__booklet__number",
    "assignment__annotator__pseudonym",
    "assignment__annotator__source",
    "shown_at",
    "answered_at",
    "active_ms",
    "comment",
)


class SelectionRows:
    """Every stored selection of one population, in the order of storing; counts by status."""

    def __init__(self, design: Design, population: Population) -> None:
        self.design = design
        self.population = population
        self.by_status = dict.fromkeys(STATUSES, 0)
        self.scale = Scale.of(design.study.scale)
        self.sentences = {
            pk: Sentence(incident, document, position, text)
            for pk, incident, document, position, text in Turn.objects.filter(
                context__group__study=design.study_id
            )
            .order_by("pk")
            .values_list("pk", "context__group__key", "context__key", "position", "text")
            .iterator(chunk_size=_CHUNK)
        }

    def answers(self) -> Iterator[SelectionRecord]:
        """Answers with their picks, read in chunks."""
        rows = iter(
            counted_answers.judgments_of(self.design, self.population)
            .filter(kind=QuestionKind.SELECTION, withdrawn_at=None)
            .order_by("pk")
            .annotate(run=run_status.of_judgment(), is_excluded=counted_answers.is_excluded())
            .values(*_COLUMNS)
            .iterator(chunk_size=_CHUNK)
        )
        while chunk := list(islice(rows, _CHUNK)):
            picks: dict[int, dict[str, tuple[int, Decimal | None]]] = {}
            stored = Pick.objects.filter(judgment__in=[row["pk"] for row in chunk]).values_list(
                "judgment_id", "role", "turn_id", "rating"
            )
            for judgment, role, turn, rating in stored:
                picks.setdefault(judgment, {})[role] = (turn, rating)
            for row in chunk:
                status = status_of(
                    row["run"],
                    superseded_at=row["superseded_at"],
                    is_excluded=row["is_excluded"],
                )
                yield self._record(row, status, picks[row["pk"]])

    def judgment_records(self) -> Iterator[SelectionRecord]:
        """The answers again, for `judgments.tsv`; counts them by status."""
        self.by_status = dict.fromkeys(STATUSES, 0)
        for answer in self.answers():
            self.by_status[answer.status] += 1
            yield answer

    def pick_records(self) -> Iterator[PickRecord]:
        """Each chosen sentence, for `picks.tsv`."""
        for answer in self.answers():
            for role in ROLES:
                yield PickRecord(answer, answer.chosen[role])

    def _record(
        self,
        row: Mapping[str, Any],
        status: str,
        picks: Mapping[str, tuple[int, Decimal | None]],
    ) -> SelectionRecord:
        return SelectionRecord(
            pseudonym=row["assignment__annotator__pseudonym"],
            source=row["assignment__annotator__source"],
            booklet=row["assignment__booklet__number"],
            screen=row["question__screen"],
            status=status,
            asked=self.sentences[row["question__turn_id"]],
            chosen={
                role: ChosenSentence(role, self.sentences[turn], rating, self._written(rating))
                for role, (turn, rating) in picks.items()
            },
            shown_at=row["shown_at"],
            answered_at=row["answered_at"],
            active_ms=row["active_ms"],
            comment=comments.in_a_table(row["comment"], row["superseded_at"]),
            superseded_at=row["superseded_at"],
        )

    def _written(self, rating: Decimal | None) -> Cell:
        return None if rating is None else self.scale.text(rating)


class TrainingPair(NamedTuple):
    """A counted pair; its fields are the columns of `train.tsv`."""

    text1: str
    text2: str
    rating: Cell
    intended_class: str
    incident: str
    summary_sentence: int
    report: str
    report_sentence: int
    annotator: str

    @property
    def texts(self) -> tuple[str, str]:
        return self.text1, self.text2


@dataclass(frozen=True)
class TrainingPairs:
    """The counted pairs as training data."""

    pairs: list[TrainingPair]
    # For each pair how far its rating is from what its class leads to expect.
    ratings: list[float]
    classes: list[str]
    expected: dict[str, float]
    scale: Scale

    def __len__(self) -> int:
        return len(self.pairs)

    def part(self, is_kept: Sequence[bool]) -> "TrainingPairs":
        return TrainingPairs(
            list(compress(self.pairs, is_kept)),
            list(compress(self.ratings, is_kept)),
            list(compress(self.classes, is_kept)),
            self.expected,
            self.scale,
        )

    def within(self, limit: float) -> list[TrainingPair]:
        """The pairs whose rating is at most so far from what is expected: N1 and N2."""
        return list(compress(self.pairs, self.is_within(limit)))

    def is_within(self, limit: float) -> BoolArray:
        """Of each pair whether it is one of them."""
        kept = diagonal_filter(self.ratings, self.classes, limit=limit, expected=self.expected)
        return kept.is_kept


def training_pairs(of: SelectionRows) -> TrainingPairs:
    """The pairs of the answers that count: both sentences, the rating, the class.

    Most similar is expected at the upper end of the scale, least similar at the lower, and in
    between in the middle.
    """
    low, high = float(of.scale.low), float(of.scale.high)
    pairs: list[TrainingPair] = []
    ratings, classes = [], []
    for answer, pick in of.pick_records():
        if answer.status != "counted" or pick.rating is None:
            continue
        pairs.append(
            TrainingPair(
                text1=answer.asked.text,
                text2=pick.sentence.text,
                rating=pick.written_rating,
                intended_class=pick.role,
                incident=answer.asked.incident,
                summary_sentence=answer.asked.position,
                report=pick.sentence.document,
                report_sentence=pick.sentence.position,
                annotator=answer.pseudonym,
            )
        )
        ratings.append(float(pick.rating))
        classes.append(pick.role)
    expected = dict(zip(ROLES, (high, (low + high) / 2, low), strict=True))
    return TrainingPairs(pairs, ratings, classes, expected, of.scale)
