"""What was computed with people's answers. It goes with an answer: what is left would tell it."""

from collections.abc import Collection, Sequence

from django.db.models import Min

from annotation.models import (
    Assignment,
    Baseline,
    BaselineReport,
    Job,
    Judgment,
    PhaseRun,
    Result,
)


def forget_with(held: Sequence[Assignment]) -> None:
    """Delete what was computed with the answers of these assignments, which are withdrawn."""
    answers = Judgment.objects.filter(assignment__in=held)
    first = answers.aggregate(first=Min("pk"))["first"]
    if first is None:
        return
    study_id = held[0].annotator.study_id
    # Comparisons name people, also of whom nothing counts.
    _forget_comparisons([study_id])
    if PhaseRun.objects.filter(assignment__in=held, completed_at__isnull=False).exists():
        _forget_scores([study_id], since=first)


def forget_of(studies: Collection[int]) -> None:
    """The same of whole studies, by their keys, whose items were made of withdrawn answers."""
    _forget_comparisons(studies)
    _forget_scores(studies)


def _forget_comparisons(studies: Collection[int]) -> None:
    Job.objects.filter(study__in=studies, kind=Job.Kind.COMPARE).update(figures=None)


def _forget_scores(studies: Collection[int], *, since: int = 0) -> None:
    """Results that may have answers from this key on, and what compares measures with them."""
    results = Result.objects.filter(study__in=studies, last_judgment__gte=since)
    results.exclude(population="simulated").delete()
    # Those of a column of the imported file have no result.
    BaselineReport.objects.filter(study__in=studies).exclude(parameters__result=None).delete()
    measures = Baseline.objects.filter(study__in=studies).defer("values")
    for measure in measures.filter(figures__people__source__from="result"):
        measure.figures = measure.figures_without_people
        measure.save(update_fields=["figures"])
