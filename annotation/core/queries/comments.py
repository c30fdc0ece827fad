"""What annotators wrote beside their answers: the comments that files of a study would hold."""

from datetime import datetime

from django.db.models import QuerySet

from annotation.core.queries.counted_answers import SOURCES
from annotation.models import Judgment, Study

# What stands in place of a comment that a researcher blanked.
BLANKED = "…"


def comments(study: Study) -> "QuerySet[Judgment]":
    """Of the answers of people that stand; not those that were blanked."""
    return (
        Judgment.objects.current()
        # By people: they are few beside answers, and an index has the comments of each.
        .filter(
            assignment__annotator__study=study,
            assignment__annotator__source__in=SOURCES["people"],
            assignment__booklet__design=study.design,
        )
        .exclude(comment="")
        .exclude(comment=BLANKED)
        .select_related("question", "assignment__booklet", "assignment__annotator")
        .order_by("assignment", "question__screen", "pk")
    )


def n_comments(study: Study) -> int:
    """How many there are; an imported table has no answers."""
    design = study.designs.order_by("-number").first()
    return comments(study).count() if design else 0


# What a table says of its column.
IN_A_TABLE = "the annotator's comment on the answer; empty if the answer was changed later"


def in_a_table(comment: str, superseded_at: datetime | None) -> str:
    """The cell of an answer's comment.

    An earlier answer's comment was deleted or reworded before it was sent, perhaps because it
    named somebody; where the page saved it half-typed, its writer never meant it to be read.
    """
    return comment if superseded_at is None else ""
