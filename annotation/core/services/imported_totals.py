"""Counting what an import stored, once, so that no page has to."""

from django.db.models import Count, Max, Min

from annotation.core.queries import progress
from annotation.core.queries.key_sums import key_sum
from annotation.models import Assignment, Design, ImportedTotals, Judgment, PhaseRun, Place
from annotation.models.kinds import Source


def of(design: Design) -> ImportedTotals:
    """What is in the answers of an import; the transaction that closes its study stores it."""
    imported = Judgment.objects.filter(
        assignment__annotator__study=design.study_id, assignment__annotator__source=Source.IMPORTED
    )
    sums = imported.aggregate(
        n=Count("pk"),
        first=Min("pk"),
        last=Max("pk"),
        total=key_sum(),
        answered=Max("answered_at"),
    )
    assignments = Assignment.objects.filter(annotator__study=design.study_id).aggregate(
        people=Count("annotator", distinct=True), last=Max("last_active_at")
    )
    times = progress.times(design.study, Source.IMPORTED)
    return ImportedTotals(
        design=design,
        n_answers=sums["n"],
        n_people=assignments["people"],
        n_places=Place.objects.filter(booklet__design=design).count(),
        first_judgment=sums["first"],
        last_judgment=sums["last"],
        sum_of_keys=int(sums["total"]),
        last_answer_at=sums["answered"],
        last_active_at=assignments["last"],
        completed_at=PhaseRun.objects.filter(phase__design=design).aggregate(
            last=Max("completed_at")
        )["last"],
        n_timed_answers=times.n_answers,
        n_timed_booklets=times.n_booklets,
        seconds_per_question=times.seconds_per_question,
        minutes_per_booklet=times.minutes_per_booklet,
        hours=times.hours,
    )
