"""What annotators wrote beside their answers: the comments that files of a study would hold."""

from django.db.models import QuerySet

from annotation.core.queries.counted_answers import judgments_of
from annotation.models import Judgment, Study

# What stands in place of a comment that a researcher blanked.
BLANKED = "…"


def comments(study: Study) -> "QuerySet[Judgment]":
    """Of people, also those of answers that were changed later; not those that were blanked."""
    return (
        judgments_of(study, "people", with_checks=True)
        .filter(withdrawn_at=None)
        .exclude(comment__in=("", BLANKED))
        .select_related("question", "assignment__booklet", "assignment__annotator")
        .order_by("assignment", "question__screen", "pk")
    )


def n_comments(study: Study) -> int:
    """How many there are; an imported table has no answers."""
    design = study.designs.order_by("-number").first()
    return comments(study).count() if design else 0
