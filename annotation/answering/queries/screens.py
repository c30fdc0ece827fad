"""What an annotator's page shows, read with a number of queries that does not grow."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, prefetch_related_objects

from annotation.answering.queries import screen_contents, screen_rows
from annotation.answering.queries.shown_checks import for_preview
from annotation.answering.queries.shown_questions import shown_questions
from annotation.kinds.answer import NO_ANSWER, Answer
from annotation.kinds.queries import known_answers
from annotation.kinds.question_rows import ContextTurn
from annotation.kinds.registry import kind_of
from annotation.kinds.shown_questions import ShownQuestion, ShownTurn, shown_turns
from annotation.models import Assignment, Draft, Judgment, PhaseRun, Question, Study

# What is left is estimated from the latest answers, once there are enough of them.
PACE_FROM = 5


@dataclass(frozen=True)
class Progress:
    n_questions: int
    n_answered: int

    @property
    def percent(self) -> int:
        return 100 * self.n_answered // self.n_questions if self.n_questions else 100


@dataclass(frozen=True)
class ScreenState:
    """One line of the overview."""

    number: int
    n_questions: int
    n_answered: int
    n_comments: int

    @property
    def is_complete(self) -> bool:
        return self.n_answered == self.n_questions

    @property
    def n_open(self) -> int:
        return self.n_questions - self.n_answered


def with_answers(shown: Iterable[ShownQuestion], assignment: Assignment) -> list[ShownQuestion]:
    """The same questions with what is stored: a draft stands before the judgment it changes."""
    shown = list(shown)
    kinds = {question.pk: type(question.answer) for question in shown}
    stored: dict[int, Answer] = {}
    bases: dict[int, str] = {}
    judgments, drafts = screen_rows.answers(assignment, list(kinds))
    prefetch_related_objects(judgments, *{name for kind in kinds.values() for name in kind.ROWS})
    for judgment in judgments:
        stored[judgment.question_id] = kinds[judgment.question_id].of_judgment(judgment)
        bases[judgment.question_id] = str(judgment.idempotency_key)
    answered = set(stored)
    for draft in drafts:
        stored[draft.question_id] = kinds[draft.question_id].of_payload(draft.payload)
        bases[draft.question_id] = str(draft.idempotency_key)
    return [
        replace(
            question,
            answer=stored.get(question.pk, question.answer),
            was_answered=question.pk in answered,
            base=bases.get(question.pk, NO_ANSWER),
        )
        for question in shown
    ]


def progress(run: PhaseRun) -> Progress:
    """How many questions of a phase have a complete answer that is not being changed."""
    if kind_of(run.assignment.annotator.study).answering.has_phases:
        return Progress(*screen_rows.counts_of_phase(run.assignment_id, run.phase_id))
    return Progress(*screen_rows.counts(run.assignment_id))


def progress_after(answer: Judgment | Draft, study: Study) -> Progress:
    """The same of the phase in which an answer was saved."""
    if kind_of(study).answering.has_phases:
        return Progress(*screen_rows.counts_around(answer.assignment_id, answer.question_id))
    return Progress(*screen_rows.counts(answer.assignment_id))


def run_to_tell_apart(run: PhaseRun) -> int | None:
    """The key of a run; None if designs have one phase, so that there are no others."""
    return run.pk if kind_of(run.assignment.annotator.study).answering.has_phases else None


def files_of(study: Study) -> dict[str, Sequence[str]]:
    """The style sheets and scripts of its kind of questions, for the context of a screen."""
    part = kind_of(study).answering
    return {"stylesheets": part.stylesheets(study), "scripts": part.scripts(study)}


def minutes_left(assignment: Assignment, progress: Progress) -> float | None:
    """How long the rest will take at the pace of the latest answers; None while nobody knows.

    One query of a few rows. The mean adds up to what is left, unlike the median; but one answer
    that took very long must not count for more than three usual ones.
    """
    n_open = progress.n_questions - progress.n_answered
    if progress.n_answered < PACE_FROM or not n_open:
        return None
    spent = screen_rows.latest_active_ms(assignment)
    if len(spent) < PACE_FROM:
        return None
    longest = 3 * median(spent)
    return n_open * fmean(min(ms, longest) for ms in spent) / 60_000


def first_open_question(run: PhaseRun) -> Question | None:
    """The first one in the order of the screens that has no complete answer."""
    unanswered = run.questions.exclude(_answered_by(run.assignment))
    return unanswered.order_by("screen", "position", "block__number").first()


def screen_states(run: PhaseRun) -> list[ScreenState]:
    """Every screen of a phase, for the overview: one query."""
    assignment = run.assignment
    commented = Q(
        Exists(assignment.judgments.current().filter(question=OuterRef("pk")).exclude(comment=""))
    )
    rows = (
        run.questions.values("screen")
        .annotate(
            n_questions=Count("pk"),
            n_answered=Count("pk", filter=_answered_by(assignment)),
            n_comments=Count("pk", filter=commented),
        )
        .order_by("screen")
    )
    return [
        ScreenState(row["screen"], row["n_questions"], row["n_answered"], row["n_comments"])
        for row in rows
    ]


def _answered_by(assignment: Assignment) -> Q:
    """The same rule as `services.assignments.open_questions`, as a condition to count by."""
    judged = assignment.judgments.current().filter(question=OuterRef("pk"))
    drafted = assignment.drafts.filter(question=OuterRef("pk"))
    return Q(Exists(judged)) & ~Q(Exists(drafted))


@dataclass(frozen=True)
class ExampleOption:
    number: int
    text: str
    is_best: bool
    is_worst: bool


@dataclass(frozen=True)
class WorkedExample:
    """The study's example with its right answers; only the last turn is compared with."""

    turns: list[ShownTurn]
    options: list[ExampleOption]
    explanation: str


def worked_example(study: Study) -> WorkedExample | None:
    if not (example := study.example):
        return None
    turns = example.get("turns", [])
    return WorkedExample(
        turns=shown_turns(
            [
                ContextTurn(pk=n, speaker=t.get("speaker", ""), text=t["text"])
                for n, t in enumerate(turns)
            ],
            len(turns) - 1,
        ),
        options=[
            ExampleOption(n, text, n == example.get("best"), n == example.get("worst"))
            for n, text in enumerate(example.get("candidates", []), start=1)
        ],
        explanation=example.get("explanation", ""),
    )


def preview_screen(
    study: Study,
    screen_number: int,
    booklet_number: int = 1,
    *,
    url_of: Callable[[int], str] = lambda number: f"?screen={number}",
) -> dict[str, Any]:
    """The context of `answering/screen.html` for a researcher's walk-through.

    Nothing of it can be saved: there is no assignment, no key and no signed note. `url_of` gives
    the address of another screen. Raises LookupError if there is no such screen.
    """
    design = study.design
    booklet = design.booklets.filter(number=booklet_number).first()
    phases = list(design.phases.order_by("number"))
    n_screens = booklet.n_screens * len(phases) if booklet else 0
    if booklet is None or not 1 <= screen_number <= n_screens:
        raise LookupError(f"booklet {booklet_number} has no screen {screen_number}")
    # One phase behind the other, without the pause between them.
    earlier, screen = divmod(screen_number - 1, booklet.n_screens)
    rows = screen_contents.of_booklet(booklet.pk, phases[earlier].pk, screen + 1)
    known = known_answers.of_questions((row.question for row in rows), study)
    shown = shown_questions(rows, study=study, seed=design.seed, pseudonym="preview")
    return {
        "preview": True,
        "study": study,
        "visitor": None,
        "page_language": "en",
        **files_of(study),
        "questions": for_preview(shown, known),
        "number": screen_number,
        "n_screens": n_screens,
        "progress": Progress(n_screens, screen_number - 1),
        "example": worked_example(study),
        "urls": {
            "back": url_of(screen_number - 1) if screen_number > 1 else "",
            "next": url_of(screen_number + 1) if screen_number < n_screens else "",
        },
    }
