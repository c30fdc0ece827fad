"""What a release says about people: no value that too few of them share."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from annotation.basics.person_questions import (
    MATRIX,
    NUMBER,
    OPEN_ENDED,
    PersonQuestion,
    Value,
)
from annotation.core.queries.counted_answers import Population, n_answers_by_person
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
    # How many people answered, and have an empty cell all the same.
    n_left_out: int

    @property
    def counts(self) -> list[tuple[str, int]]:
        """How many people each value is published of, in the order of the answers."""
        counts = Counter(cell for cell in self.cells.values() if cell)
        order = {option.code: place for place, option in enumerate(self.question.options)}
        return sorted(counts.items(), key=lambda pair: (order.get(pair[0], len(order)), pair))


def overview(study: Study) -> list[tuple[PersonQuestion, list[PublishedColumn]]]:
    """Each question that may be published, with what a release would say of the answers so far."""
    people = n_answers_by_person(study.design, "people")
    replies = of_counted(study, "people")
    return [
        (question, columns_of(question, replies, people))
        for question in definitions.of(study).questions
        if question.kind not in OPEN_ENDED
    ]


def columns(
    study: Study, people: Collection[int], population: Population
) -> list[PublishedColumn]:
    """The columns of a release, with a cell for each of these people."""
    replies = of_counted(study, population)
    return [
        column
        for question in definitions.of(study).questions
        if question.is_published
        for column in columns_of(question, replies, people)
    ]


def of_counted(study: Study, population: Population) -> list[QuestionnaireReply]:
    """The completed replies of those who gave answers that count: whose they are, and values."""
    people = n_answers_by_person(study.design, population)
    replies = QuestionnaireReply.objects.filter(
        annotator__study=study, completed_at__isnull=False, screened_out=False
    ).only("annotator", "values")
    return [reply for reply in replies if reply.annotator_id in people]


def columns_of(
    question: PersonQuestion, replies: Iterable[QuestionnaireReply], people: Collection[int]
) -> list[PublishedColumn]:
    """What is published of the answers of these people to one question."""
    answered = {
        reply.annotator_id: reply.values[question.key]
        for reply in replies
        if question.key in reply.values
    }
    if question.kind != MATRIX:
        return [_column(question, question.key, answered, people)]
    return [
        _column(
            question,
            name,
            {
                person: value[row.code]
                for person, value in answered.items()
                if isinstance(value, dict) and row.code in value
            },
            people,
        )
        for name, row in zip(question.columns, question.rows, strict=True)
    ]


def _column(
    question: PersonQuestion, name: str, answered: Mapping[int, Value], people: Collection[int]
) -> PublishedColumn:
    if question.kind == NUMBER:
        texts = ranges(answered)
    else:
        texts = {person: as_cell(value) for person, value in answered.items()}
    cells = merged({person: texts.get(person, "") for person in people})
    n_left_out = sum(not cells.get(person) for person in answered)
    return PublishedColumn(question, name, cells, n_left_out)


def as_cell(value: Value) -> str:
    """An answer as it stands in one cell of a file."""
    return SEPARATOR.join(value) if isinstance(value, list) else str(value)


def merged(cells: Mapping[int, str]) -> dict[int, str]:
    """Rare values become one, with the next rarest if they are rare even together.

    An empty cell is a value like any other: it says that somebody was not asked, or declined.
    """
    counts = Counter(cells.values())
    rare: set[str] = set()
    n_rare = 0
    for value, n in sorted(counts.items(), key=lambda pair: (pair[1], pair[0])):
        if n >= MIN_PEOPLE and (n_rare == 0 or n_rare >= MIN_PEOPLE):
            break
        rare.add(value)
        n_rare += n
    instead = MERGED if n_rare >= MIN_PEOPLE else ""
    return {person: instead if cell in rare else cell for person, cell in cells.items()}


def ranges(answered: Mapping[int, Value]) -> dict[int, str]:
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
    cells: dict[int, str] = {}
    for place, people in enumerate(groups):
        low, high = numbers[people[0]], numbers[people[-1]]
        if low == high:
            text = f"{low:.10g}"
        elif len(groups) == 1:
            text = MERGED
        else:
            # Open at the ends: the lowest and the highest number are those of one person.
            begins = "" if place == 0 else f"{low:.10g}"
            ends = "" if place == len(groups) - 1 else f"{high:.10g}"
            text = f"{begins}..{ends}"
        cells.update(dict.fromkeys(people, text))
    return cells
