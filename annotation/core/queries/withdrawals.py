"""How often people withdrew, from a study or from the rounds that it was made of."""

from annotation.models import Assignment, Study


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
