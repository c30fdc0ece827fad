"""What the design page says of a study of labels."""

from annotation.basics.numbers import grouped
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages import counts
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.pages.design_of_checks import with_checks
from annotation.kinds.rating.pages.design import questions, with_contexts, with_repeats
from annotation.kinds.rating.queries import plans
from annotation.kinds.rating.queries.plans import RatingPlan
from annotation.models import Study


def consequences(study: Study, parameters: RatingParameters) -> Said:
    """What follows from the numbers, before the design is made."""
    sentence = with_contexts(_of_labels(plans.plan(study, parameters)), study, parameters)
    return with_repeats(sentence, study, parameters)


def _of_labels(plan: RatingPlan) -> Said:
    sentence = _("%(people)s %(questions)s %(labels)s") % {
        "people": _("%(items)s to label. This takes %(people)s.")
        % {"items": counts.items(plan.n_items), "people": counts.people(plan.n_people)},
        "questions": questions(plan),
        "labels": ngettext(
            "In total, %(n)s label is collected, not counting repeats and checks.",
            "In total, %(n)s labels are collected, not counting repeats and checks.",
            plan.n_ratings,
        )
        % {"n": grouped(plan.n_ratings)},
    }
    if plan.pairs_per_tuple > 1:
        groups = _("Nobody labels two items of a group.")
        sentence = _("%(first)s %(rest)s") % {"first": sentence, "rest": groups}
    return with_checks(sentence, plan.n_checks, are_counted=True)
