"""Studies whose answers say how noisy people are, for the planner of another one."""

from django.contrib.auth.models import User
from django.db.models import Case, Exists, OuterRef, When

from annotation.core.queries import counted_answers
from annotation.models import Judgment, Study


def studies_with_answers(user: User, *, besides: Study) -> list[Study]:
    """Studies of the same kind that the user may see and that people have answered.

    The pilots of the study that is planned come first, then the latest.
    """
    answered = Judgment.objects.filter(
        assignment__annotator__study=OuterRef("pk"),
        assignment__annotator__source__in=counted_answers.SOURCES["people"],
    )
    found = Study.objects.seen_by(user).filter(Exists(answered), kind=besides.kind)
    is_pilot = Case(When(pilot_of=besides, then=0), default=1)
    return list(found.order_by(is_pilot, "-pk")[:100])
