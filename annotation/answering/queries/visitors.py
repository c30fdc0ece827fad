"""Whose key it is, and what they work on: the first two queries of every page with a key.

The key of a sitting on a platform leads to that sitting alone, and takes two queries as well.
"""

from django.db.models import Exists, OuterRef

from annotation.core.queries.prepared import Prepared
from annotation.models import Annotator, Check, PhaseRun, Visit

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
_VISIT_OF_KEY = Prepared(
    lambda key_hash: (
        Visit.objects.filter(key_hash=key_hash)
        .select_related(
            "listing__study",
            "person",
            "run__phase",
            "run__assignment__annotator",
            "run__assignment__booklet__design",
        )
        .defer(
            "run__assignment__booklet__design__certificate",
            "run__assignment__booklet__design__parameters",
        )
        .annotate(
            has_told_checks=Exists(
                Check.objects.filter(
                    study=OuterRef("listing__study"),
                    style__in=(Check.Style.TUTORIAL.value, Check.Style.LOUD.value),
                )
            )
        )
    )
)


def annotator_of_key(key_hash: str) -> Annotator | None:
    return _OF_KEY.first(key_hash)


def visit_of_key(key_hash: str) -> Visit | None:
    """The sitting, with what it is for: its run does what `latest_run` gives to others."""
    visit = _VISIT_OF_KEY.first(key_hash)
    if visit is None or visit.listing is None:
        return None
    if visit.run is not None:
        visit.run.assignment.annotator.study = visit.listing.study
        vars(visit.run)["has_told_checks"] = getattr(visit, "has_told_checks", False)
    return visit


def latest_run(annotator: Annotator) -> PhaseRun | None:
    """The phase they are in of the assignment they work on, or nothing before they agreed."""
    run = _LATEST.first(annotator.pk)
    if run is not None:
        run.assignment.annotator = annotator
    return run
