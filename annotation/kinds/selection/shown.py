"""A selection question as a page shows it: a summary beside its reports, and three roles."""

from dataclasses import dataclass
from typing import Any

from annotation.basics.scale import Scale
from annotation.basics.shared_words import Part, marked, words_of
from annotation.kinds.question_rows import Document, QuestionRows
from annotation.kinds.selection.answer import ROLES, SelectionAnswer
from annotation.kinds.shown_questions import ShownQuestion
from annotation.kinds.shown_scales import ShownScale
from annotation.models import Study


@dataclass(frozen=True)
class SummarySentence:
    number: int
    text: str
    # Whether this is the one that the reports' sentences are compared with.
    is_current: bool


@dataclass(frozen=True)
class ReportSentence:
    turn: int
    text: str
    # The same text, the words of the current sentence apart.
    parts: list[Part]


@dataclass(frozen=True)
class ShownReport:
    number: int
    key: str
    sentences: list[ReportSentence]


@dataclass(frozen=True)
class ShownRole:
    """What a sentence can be chosen as, with what was chosen so far."""

    name: str
    # The key that gives this role to the sentence under the cursor.
    key: str
    turn: int | None
    # As a form has it; empty where nothing was rated.
    rating: str
    # The chosen sentence.
    text: str


@dataclass(frozen=True, kw_only=True)
class ShownSelection(ShownQuestion):
    summary: list[SummarySentence]
    reports: list[ShownReport]
    scale: ShownScale

    @property
    def order(self) -> list[int]:
        return [sentence.turn for report in self.reports for sentence in report.sentences]

    @property
    def asked_scale(self) -> Scale | None:
        return self.scale.scale

    @property
    def current(self) -> SummarySentence:
        return next(sentence for sentence in self.summary if sentence.is_current)

    @property
    def roles(self) -> list[ShownRole]:
        return self._roles_of(self.answer)

    @property
    def roles_here(self) -> list[ShownRole]:
        """Those of what was sent from here and stands not."""
        return self._roles_of(self.chosen_here)

    @property
    def lacks_sentence(self) -> bool:
        return any(role in self.missing for role in ROLES)

    def _roles_of(self, answer: Any) -> list[ShownRole]:
        assert isinstance(answer, SelectionAnswer)
        texts = {s.turn: s.text for report in self.reports for s in report.sentences}
        return [
            ShownRole(
                name=role,
                key=str(number),
                turn=turn,
                rating=answer.written(f"{role}_rating") or "",
                text=texts.get(turn, "") if turn is not None else "",
            )
            for number, (role, turn) in enumerate(answer.turns.items(), start=1)
        ]


def shown_selection(rows: QuestionRows, number: int, study: Study) -> ShownSelection:
    language = study.language
    incident, asked = rows.incident, rows.question.turn_id
    assert incident is not None
    assert asked is not None  # constraint question_selection_has_turn
    summary = [
        SummarySentence(place, text, turn == asked)
        for place, (turn, text) in enumerate(incident.summary.turns, start=1)
    ]
    words = words_of(next(one.text for one in summary if one.is_current), language)
    return ShownSelection(
        pk=rows.question.pk,
        number=number,
        kind=rows.question.kind,
        answer=SelectionAnswer(),
        summary=summary,
        reports=[
            _report(document, place, words, language)
            for place, document in enumerate(incident.reports, start=1)
        ],
        scale=ShownScale(Scale.of(study.scale)),
    )


def _report(document: Document, number: int, words: set[str], language: str) -> ShownReport:
    return ShownReport(
        number,
        document.key,
        [
            ReportSentence(turn, text, marked(text, words, language))
            for turn, text in document.turns
        ],
    )
