"""People whose work would be lost if a study ended now; of who is excluded nothing counts."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.core.queries.progress import is_of_excluded
from annotation.models import Assignment, Draft, Judgment, PhaseRun, Question, Study
from annotation.models.kinds import Source


@dataclass(frozen=True)
class LooseEnds:
    # They have answered every question of their part, and only the last button is missing.
    n_unsent: int
    # They have sent a part, and are to answer another one later.
    n_waiting: int


def loose_ends(study: Study) -> LooseEnds:
    runs = PhaseRun.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__source=Source.REAL,
        completed_at=None,
    )
    asked = _questions_of_run()
    excluded = Assignment.objects.filter(is_of_excluded(), annotator__study=study)
    unsent = runs.exclude(assignment__in=excluded).filter(
        Exists(asked),
        ~Exists(asked.exclude(_is_answered())),
        assignment__state=Assignment.State.ACTIVE,
    )
    waiting = Assignment.objects.filter(
        ~is_of_excluded(),
        annotator__study=study,
        annotator__source=Source.REAL,
        state=Assignment.State.WAITING,
    )
    return LooseEnds(
        n_unsent=unsent.values("assignment__annotator").distinct().count(),
        n_waiting=waiting.values("annotator").distinct().count(),
    )


def _questions_of_run() -> "QuerySet[Question]":
    """As `PhaseRun.questions`, of many runs at once."""
    return Question.objects.filter(
        Q(booklet=OuterRef("assignment__booklet")) | Q(assignment=OuterRef("assignment")),
        block__phase=OuterRef("phase"),
    )


def _is_answered() -> Q:
    """The same rule as `services.assignments.open_questions`."""
    of = {"assignment": OuterRef(OuterRef("assignment")), "question": OuterRef("pk")}
    return Q(Exists(Judgment.objects.current().filter(**of))) & ~Q(
        Exists(Draft.objects.filter(**of))
    )
