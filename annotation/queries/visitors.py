"""Whose key it is, and what they work on: the first two queries of every page with a key."""

from django.db.models import Exists, OuterRef

from annotation.models import Annotator, Check, PhaseRun
from annotation.queries.prepared import Prepared

_OF_KEY = Prepared(
    lambda key_hash: Annotator.objects.filter(key_hash=key_hash).select_related("study")
)
# The certificate of a large design is long, and no annotator's page reads it.
_LATEST = Prepared(
    lambda annotator: (
        PhaseRun.objects.filter(assignment__annotator=annotator)
        .select_related("phase", "assignment__booklet__design")
        .defer(
            "assignment__booklet__design__certificate", "assignment__booklet__design__parameters"
        )
        .annotate(
            has_told_checks=Exists(
                Check.objects.filter(
                    study=OuterRef("phase__design__study"),
                    style__in=(Check.Style.TUTORIAL.value, Check.Style.LOUD.value),
                )
            )
        )
        .order_by("-assignment_id", "-phase__number")[:1]
    )
)


def annotator_of_key(key_hash: str) -> Annotator | None:
    return _OF_KEY.first(key_hash)


def latest_run(annotator: Annotator) -> PhaseRun | None:
    """The phase they are in of the assignment they work on, or nothing before they agreed."""
    run = _LATEST.first(annotator.pk)
    if run is not None:
        run.assignment.annotator = annotator
    return run
