"""Who withdrew: altogether, or from a sitting on a platform; and how often."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Annotator, Assignment, Item, Judgment, Study


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


def n_withdrawn(study_id: int, *, with_unanswered: bool = False) -> int:
    """How often somebody withdrew, altogether or from one sitting, here or where it is made of.

    Results and files of a round take in answers of the round before and of later ones. No result
    has anything of somebody who answered nothing, so whoever comes and goes by the open link stops
    no scoring; `with_unanswered` counts them, too, because files have their consent.
    Counted, because the clocks of two machines differ: a withdrawal is never taken back.
    """
    items = Item.objects.filter(study=study_id)
    scored = Item.objects.filter(
        Q(pk__in=items.filter(score_of__isnull=False).values("score_of"))
        | Q(pk__in=items.filter(expected_of__isnull=False).values("expected_of"))
    )
    choices = Judgment.objects.filter(
        pk__in=items.filter(chosen_in__isnull=False).values("chosen_in")
    )
    studies = {
        *_rounds_of(study_id),
        *scored.order_by().values_list("study", flat=True).distinct(),
        *choices.order_by().values_list("assignment__annotator__study", flat=True).distinct(),
    }
    withdrawn = Assignment.objects.filter(
        annotator__study__in=studies, state=Assignment.State.WITHDRAWN
    )
    if not with_unanswered:
        answers = Judgment.objects.filter(assignment=OuterRef("pk"))
        withdrawn = withdrawn.filter(Exists(answers))
    return withdrawn.count()


def _rounds_of(study_id: int) -> set[int]:
    """A study, the one that it continues, and those that continue it, one after the other."""
    rounds = set(Study.objects.filter(later_rounds=study_id).values_list("pk", flat=True))
    level = {study_id}
    while level:
        rounds |= level
        later = Study.objects.filter(earlier_round__in=level)
        level = set(later.values_list("pk", flat=True)) - rounds
    return rounds
