"""What the design page says of a best-worst study."""

from typing import Any

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.pages import counts
from annotation.kinds.best_worst.queries import plans
from annotation.kinds.design_parameters import BestWorstParameters
from annotation.kinds.pages.design_of_checks import with_checks
from annotation.models import Design, Study


def consequences(study: Study, parameters: BestWorstParameters) -> Said:
    """What follows from the numbers, before the design is made."""
    plan = plans.plan(study, parameters)
    sentence = _(
        "%(items)s give %(tuples)s in %(booklets)s of about %(questions)s each. With"
        " %(people)s per tuple, that makes %(places)s and %(answers)s."
    ) % {
        "items": counts.items(plan.n_items),
        "tuples": counts.tuples(plan.n_tuples),
        "booklets": counts.booklets(plan.n_booklets),
        "questions": counts.questions(plan.questions_per_booklet),
        "people": counts.people(parameters.annotations_per_tuple),
        "places": counts.places(plan.n_places),
        "answers": counts.answers(plan.n_answers),
    }
    return with_checks(sentence, plan.n_checks)


def first_tuples(design: Design, n: int = 5) -> list[dict[str, Any]]:
    """The first tuples, in their stored order."""
    tuples = (
        design.tuples.select_related("pool")
        .prefetch_related("members__item__candidate_turn")
        .order_by("number")[:n]
    )
    return [
        {
            "number": shown_tuple.number,
            "pool": shown_tuple.pool.key,
            "candidates": [
                member.item.candidate
                for member in sorted(shown_tuple.members.all(), key=lambda member: member.position)
            ],
        }
        for shown_tuple in tuples
    ]
