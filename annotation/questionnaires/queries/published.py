"""What a release says about people: no value that too few of them share."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Exists, OuterRef, QuerySet

from annotation.basics.person_questions import (
    MATRIX,
    NUMBER,
    OPEN_ENDED,
    PersonQuestion,
    Value,
)
from annotation.core.queries.counted_answers import SOURCES, Population, counted_judgments
from annotation.models import QuestionnaireReply, Study
from annotation.questionnaires.queries import definitions

# A value that fewer people share could tell who somebody is.
MIN_PEOPLE = 5
SEPARATOR = "|"
MERGED = "(other)"


@dataclass(frozen=True)
class PublishedColumn:
    """One column of a release: what stands there of whom, by primary key of the annotator."""

    question: PersonQuestion
    name: str
    cells: Mapping[int, str]

    @property
    def counts(self) -> list[tuple[str, int]]:
        """How many people each value is published of, in the order of the answers."""
        counts = Counter(cell for cell in self.cells.values() if cell)
        order = {option.code: place for place, option in enumerate(self.question.options)}
        return sorted(counts.items(), key=lambda pair: (order.get(pair[0], len(order)), pair))

    @property
    def n_left_out(self) -> int:
        """Of how many people an answer is left out."""
        return sum(not cell for cell in self.cells.values())


def overview(study: Study) -> list[tuple[PersonQuestion, list[PublishedColumn]]]:
    """Each question that may be published, with what a release would say of the answers so far."""
    replies = list(of_counted(study, "people"))
    return [
        (question, columns_of(question, replies))
        for question in definitions.of(study).questions
        if question.kind not in OPEN_ENDED
    ]


def columns(study: Study, population: Population) -> list[PublishedColumn]:
    """The columns of a release."""
    replies = list(of_counted(study, population))
    return [
        column
        for question in definitions.of(study).questions
        if question.is_published
        for column in columns_of(question, replies)
    ]


def of_counted(study: Study, population: Population) -> QuerySet[QuestionnaireReply]:
    """The completed replies of those who gave answers that count."""
    theirs = counted_judgments(study, population).filter(
        assignment__annotator=OuterRef("annotator")
    )
    return QuestionnaireReply.objects.filter(
        Exists(theirs),
        annotator__study=study,
        annotator__source__in=SOURCES[population],
        completed_at__isnull=False,
        screened_out=False,
    ).order_by("annotator__pseudonym")


def columns_of(
    question: PersonQuestion, replies: Iterable[QuestionnaireReply]
) -> list[PublishedColumn]:
    """What is published of the answers to one question."""
    answered = {
        reply.annotator_id: reply.values[question.key]
        for reply in replies
        if question.key in reply.values
    }
    if question.kind == MATRIX:
        return [
            PublishedColumn(
                question,
                name,
                _merged(
                    {
                        person: value[row.code]
                        for person, value in answered.items()
                        if isinstance(value, dict) and row.code in value
                    }
                ),
            )
            for name, row in zip(question.columns, question.rows, strict=True)
        ]
    cells = _ranges(answered) if question.kind == NUMBER else _merged(answered)
    return [PublishedColumn(question, question.key, cells)]


def as_cell(value: Value) -> str:
    """An answer as it stands in one cell of a file."""
    return SEPARATOR.join(value) if isinstance(value, list) else str(value)


def _merged(answered: Mapping[int, Value]) -> dict[int, str]:
    """Rare values become one, or are left out where they are rare even together."""
    cells = {person: as_cell(value) for person, value in answered.items()}
    counts = Counter(cells.values())
    rare = {value for value, n in counts.items() if n < MIN_PEOPLE}
    n_rare = sum(counts[value] for value in rare)
    instead = MERGED if n_rare >= MIN_PEOPLE else ""
    return {person: instead if cell in rare else cell for person, cell in cells.items()}


def _ranges(answered: Mapping[int, Value]) -> dict[int, str]:
    """Numbers as ranges that enough people share, as narrow as they can be from below."""
    numbers = {person: float(str(value)) for person, value in answered.items()}
    groups: list[list[int]] = []
    for _number, same in groupby(sorted(numbers, key=lambda p: (numbers[p], p)), numbers.get):
        people = list(same)
        if groups and len(groups[-1]) < MIN_PEOPLE:
            groups[-1] += people
        else:
            groups.append(people)
    if len(groups) > 1 and len(groups[-1]) < MIN_PEOPLE:
        last = groups.pop()
        groups[-1] += last
    cells = dict.fromkeys(answered, "")
    for people in groups:
        if len(people) >= MIN_PEOPLE:
            low, high = numbers[people[0]], numbers[people[-1]]
            text = f"{low:.10g}" if low == high else f"{low:.10g}..{high:.10g}"
            cells.update(dict.fromkeys(people, text))
    return cells
