"""Whose key it is, and what they work on: the first two queries of every page with a key."""

from annotation.models import Annotator, Assignment
from annotation.queries.prepared import Prepared

_OF_KEY = Prepared(
    lambda key_hash: Annotator.objects.filter(key_hash=key_hash).select_related("study")
)
# The certificate of a large design is long, and no annotator's page reads it.
_LATEST = Prepared(
    lambda annotator: (
        Assignment.objects.filter(annotator=annotator)
        .select_related("booklet__design")
        .defer("booklet__design__certificate", "booklet__design__parameters")
        .order_by("-pk")[:1]
    )
)


def annotator_of_key(key_hash: str) -> Annotator | None:
    return _OF_KEY.first(key_hash)


def latest_assignment(annotator: Annotator) -> Assignment | None:
    """The assignment they work on, or nothing before they agreed."""
    assignment = _LATEST.first(annotator.pk)
    if assignment is not None:
        assignment.annotator = annotator
    return assignment
