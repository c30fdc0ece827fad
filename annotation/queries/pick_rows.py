"""What an export of a selection study reads: answers, the sentences they chose, and pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import compress, islice
from typing import Any

from annotation.answer_kinds import ROLES
from annotation.models import Design, Pick, Turn
from annotation.models.kinds import QuestionKind
from annotation.queries import answers, run_status
from annotation.queries.answers import Population
from annotation.queries.exporting import STATUSES, Cell, iso, status_of
from annotation.scale import Scale
from scoring.arrays import BoolArray
from scoring.selected_pairs import diagonal_filter

_CHUNK = 2000


@dataclass(frozen=True)
class Sentence:
    """A sentence of a summary or of a report."""

    incident: str
    document: str
    position: int
    text: str


@dataclass(frozen=True)
class Selected:
    """A stored answer with its picks, by role."""

    row: Mapping[str, Any]
    status: str
    picks: Mapping[str, tuple[int, Decimal | None]]


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

    def answers(self) -> Iterator[Selected]:
        """Answers with their picks, read in chunks."""
        rows = iter(
            answers.judgments_of(self.design, self.population)
            .filter(kind=QuestionKind.SELECTION, withdrawn_at=None)
            .order_by("pk")
            .annotate(run=run_status.of_judgment(), is_excluded=answers.is_excluded())
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
                yield Selected(row, status, picks[row["pk"]])

    def judgment_rows(self) -> Iterator[Sequence[Cell]]:
        """One row for each answer, for `judgments.tsv`."""
        self.by_status = dict.fromkeys(STATUSES, 0)
        for one in self.answers():
            self.by_status[one.status] += 1
            asked = self.sentences[one.row["question__turn_id"]]
            chosen = [one.picks[role] for role in ROLES]
            yield (
                *self._whose(one),
                asked.incident,
                asked.position,
                *(
                    cell
                    for turn, rating in chosen
                    for cell in (self._name(turn), self.written(rating))
                ),
                *_times(one),
                one.row["comment"],
                iso(one.row["superseded_at"]),
            )

    def pick_rows(self) -> Iterator[Sequence[Cell]]:
        """One row for each chosen sentence, for `picks.tsv`."""
        for one in self.answers():
            asked = self.sentences[one.row["question__turn_id"]]
            for role in ROLES:
                turn, rating = one.picks[role]
                sentence = self.sentences[turn]
                yield (
                    asked.incident,
                    asked.position,
                    asked.text,
                    role,
                    sentence.document,
                    sentence.position,
                    sentence.text,
                    self.written(rating),
                    *self._whose(one),
                    *_times(one),
                )

    def _whose(self, one: Selected) -> Sequence[Cell]:
        return (
            one.row["assignment__annotator__pseudonym"],
            one.row["assignment__annotator__source"],
            one.row["assignment__booklet__number"],
            one.row["question__screen"],
            one.status,
        )

    def _name(self, turn: int) -> str:
        sentence = self.sentences[turn]
        return f"{sentence.document}:{sentence.position}"

    def written(self, rating: Decimal | None) -> Cell:
        return None if rating is None else self.scale.text(rating)


def _times(one: Selected) -> Sequence[Cell]:
    return iso(one.row["shown_at"]), iso(one.row["answered_at"]), one.row["active_ms"]


# What each row of `TrainingPairs` holds; `train.tsv` has the same columns.
TRAINING_COLUMNS = (
    "text1",
    "text2",
    "rating",
    "intended_class",
    "incident",
    "summary_sentence",
    "report",
    "report_sentence",
    "annotator",
)


@dataclass(frozen=True)
class TrainingPairs:
    """The counted pairs as training data."""

    rows: list[Sequence[Cell]]
    # For each pair how far its rating is from what its class leads to expect.
    ratings: list[float]
    classes: list[str]
    expected: dict[str, float]
    scale: Scale

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, is_kept: Sequence[bool]) -> "TrainingPairs":
        return TrainingPairs(
            list(compress(self.rows, is_kept)),
            list(compress(self.ratings, is_kept)),
            list(compress(self.classes, is_kept)),
            self.expected,
            self.scale,
        )

    def within(self, limit: float) -> list[Sequence[Cell]]:
        """The pairs whose rating is at most so far from what is expected: N1 and N2."""
        is_near = self.is_within(limit)
        return [row for row, is_kept in zip(self.rows, is_near, strict=True) if is_kept]

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
    rows: list[Sequence[Cell]] = []
    ratings, classes = [], []
    for one in of.answers():
        if one.status != "counted":
            continue
        asked = of.sentences[one.row["question__turn_id"]]
        for role in ROLES:
            turn, rating = one.picks[role]
            if rating is None:
                continue
            sentence = of.sentences[turn]
            rows.append(
                (
                    asked.text,
                    sentence.text,
                    of.written(rating),
                    role,
                    asked.incident,
                    asked.position,
                    sentence.document,
                    sentence.position,
                    one.row["assignment__annotator__pseudonym"],
                )
            )
            ratings.append(float(rating))
            classes.append(role)
    expected = dict(zip(ROLES, (high, (low + high) / 2, low), strict=True))
    return TrainingPairs(rows, ratings, classes, expected, of.scale)
