"""What somebody has answered: on one screen, and how much in all."""

from collections.abc import Sequence

from annotation.core.queries.statements import Statement
from annotation.models import Assignment, Draft, Judgment

PACE_OF = 20  # how many of the latest answers tell how fast somebody is

# Of each question the answer that stands, and what it is being changed to.
_ANSWERS = Statement(
    """
    SELECT {judgment}, {draft}
    FROM annotation_question AS question
    LEFT JOIN annotation_judgment AS judgment
        ON judgment.question_id = question.id AND judgment.assignment_id = %s
        AND judgment.superseded_at IS NULL AND judgment.withdrawn_at IS NULL
    LEFT JOIN annotation_draft AS draft
        ON draft.question_id = question.id AND draft.assignment_id = %s
    WHERE question.id IN (%s)
    ORDER BY question.id
    """,
    judgment=Judgment,
    draft=Draft,
)
_ACTIVE_MS = Statement(
    """
    SELECT active_ms FROM annotation_judgment
    WHERE assignment_id = %s AND active_ms IS NOT NULL
        AND superseded_at IS NULL AND withdrawn_at IS NULL
    ORDER BY id DESC
    LIMIT {n}
    """,
    n=str(PACE_OF),
)
# Complete answers that are not being changed.
_ARE_COMPLETE = """
    judgment.assignment_id = assignment.id
    AND judgment.superseded_at IS NULL AND judgment.withdrawn_at IS NULL
    AND NOT EXISTS (
        SELECT 1 FROM annotation_draft AS draft
        WHERE draft.assignment_id = assignment.id AND draft.question_id = judgment.question_id
    )
"""
# Two plain counts by an index. Counting the questions that have an answer would look for one per
# question.
_COUNTS = Statement(
    """
    SELECT
        (SELECT count(*) FROM annotation_question WHERE booklet_id = assignment.booklet_id),
        (SELECT count(*) FROM annotation_judgment AS judgment WHERE {are_complete})
    FROM annotation_assignment AS assignment
    WHERE assignment.id = %s
    """,
    are_complete=_ARE_COMPLETE,
)
# If there are several phases they have to be told apart, which takes a look at each answer; and
# anybody who has questions of their own has them counted, too.
_COUNTS_OF_PHASE = """
    SELECT
        (SELECT count(*) FROM {questions} WHERE question.booklet_id = assignment.booklet_id)
        + (SELECT count(*) FROM {questions} WHERE question.assignment_id = assignment.id),
        (
            SELECT count(*) FROM {questions}
            JOIN annotation_judgment AS judgment ON judgment.question_id = question.id
            WHERE {are_complete}
        )
    FROM annotation_assignment AS assignment
    {phase}
    WHERE assignment.id = %s
"""
_OF_PHASE = {
    "questions": """
        annotation_question AS question JOIN annotation_block AS block
        ON block.id = question.block_id AND block.phase_id = phase.id
    """,
    "are_complete": _ARE_COMPLETE,
}
_COUNTS_OF_ONE = Statement(
    _COUNTS_OF_PHASE, phase="JOIN annotation_phase AS phase ON phase.id = %s", **_OF_PHASE
)
_COUNTS_AROUND = Statement(
    _COUNTS_OF_PHASE,
    phase="""
    JOIN annotation_question AS asked ON asked.id = %s
    JOIN annotation_block AS of_asked ON of_asked.id = asked.block_id
    JOIN annotation_phase AS phase ON phase.id = of_asked.phase_id
    """,
    **_OF_PHASE,
)


def answers(
    assignment: Assignment, questions: Sequence[int]
) -> tuple[list[Judgment], list[Draft]]:
    """The judgments that stand for these questions, and the drafts."""
    rows = _ANSWERS.rows(assignment.pk, assignment.pk, questions)
    judgments = [judgment for judgment, _draft in rows if judgment]
    return judgments, [draft for _judgment, draft in rows if draft]


def counts(assignment: int) -> tuple[int, int]:
    """How many questions there are, and how many answers are complete and not changing."""
    [(n_questions, n_answered)] = _COUNTS.rows(assignment)
    return n_questions, n_answered


def counts_of_phase(assignment: int, phase: int) -> tuple[int, int]:
    """The same of one of several phases."""
    [(n_questions, n_answered)] = _COUNTS_OF_ONE.rows(phase, assignment)
    return n_questions, n_answered


def counts_around(assignment: int, question: int) -> tuple[int, int]:
    """The same of the phase of a question."""
    [(n_questions, n_answered)] = _COUNTS_AROUND.rows(question, assignment)
    return n_questions, n_answered


def latest_active_ms(assignment: Assignment) -> list[int]:
    """The active milliseconds of the latest answers that have some."""
    return [active_ms for (active_ms,) in _ACTIVE_MS.rows(assignment.pk)]
