"""Who withdrew: altogether, or from a sitting on a platform; and how often."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Annotator, Assignment, Study


def who_withdrew(annotators: QuerySet[Annotator]) -> QuerySet[Annotator]:
    """Those who withdrew altogether, or from any of their sittings."""
    sittings = Assignment.objects.filter(annotator=OuterRef("pk"))
    withdrawn = sittings.filter(state=Assignment.State.WITHDRAWN)
    return annotators.filter(Q(withdrawn_at__isnull=False) | Exists(withdrawn))


def of_whom_nothing_is_left(annotators: QuerySet[Annotator]) -> QuerySet[Annotator]:
    """Those of them who have no other sitting."""
    sittings = Assignment.objects.filter(annotator=OuterRef("pk"))
    others = sittings.exclude(state=Assignment.State.WITHDRAWN)
    return who_withdrew(annotators).exclude(Exists(others))


def n_withdrawn(study_id: int) -> int:
    """How often somebody withdrew, altogether or from one sitting, here or in a round before.

    Counted, because the clocks of two machines differ: a withdrawal is never taken back.
    """
    withdrawn = Assignment.objects.filter(
        annotator__study__in=_with_rounds_before(study_id), state=Assignment.State.WITHDRAWN
    )
    return withdrawn.count()


def _with_rounds_before(study_id: int) -> set[int]:
    before: set[int] = set()
    rounds: int | None = study_id
    while rounds is not None and rounds not in before:
        before.add(rounds)
        earlier = Study.objects.filter(pk=rounds).values_list("earlier_round", flat=True)
        rounds = earlier.first()
    return before
