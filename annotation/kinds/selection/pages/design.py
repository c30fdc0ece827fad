"""What the design page says of a selection study."""

from typing import Any

from annotation.basics.numbers import grouped
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages import counts
from annotation.kinds.design_parameters import SelectionParameters
from annotation.kinds.selection.queries import plans
from annotation.models import Design, Question, Study
from annotation.models.kinds import QuestionKind


def consequences(study: Study, parameters: SelectionParameters) -> Said:
    """What follows from the numbers, before the design is made."""
    plan = plans.plan(study, parameters)
    return _("%(questions)s %(pairs)s") % {
        "questions": _("%(incidents)s with %(questions)s give %(booklets)s and %(places)s.")
        % {
            "incidents": counts.incidents(plan.n_incidents),
            "questions": counts.questions(plan.n_questions),
            "booklets": counts.booklets(plan.n_booklets),
            "places": counts.places(plan.n_places),
        },
        "pairs": ngettext(
            "This gives %(n)s pair for the next round.",
            "This gives %(n)s pairs for the next round.",
            plan.n_pairs,
        )
        % {"n": grouped(plan.n_pairs)},
    }


def first_questions(design: Design, n: int = 8) -> list[dict[str, Any]]:
    """The first questions of the first booklet of a selection design."""
    questions = (
        Question.objects.filter(
            booklet__design=design, booklet__number=1, kind=QuestionKind.SELECTION
        )
        .select_related("turn__context__group")
        .order_by("screen", "position")[:n]
    )
    return [
        {"key": question.turn.context.group.key, "text": question.turn.text}
        for question in questions
        if question.turn and question.turn.context.group
    ]
