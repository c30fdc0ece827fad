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
    said = with_contexts(_of_labels(plans.plan(study, parameters)), study, parameters)
    return with_repeats(said, study, parameters)


def _of_labels(plan: RatingPlan) -> Said:
    said = _("%(people)s %(questions)s %(labels)s") % {
        "people": _("%(items)s to label: that takes %(people)s.")
        % {"items": counts.items(plan.n_items), "people": counts.people(plan.n_people)},
        "questions": questions(plan),
        "labels": ngettext(
            "In all %(n)s label is collected, beside repeats.",
            "In all %(n)s labels are collected, beside repeats.",
            plan.n_ratings,
        )
        % {"n": grouped(plan.n_ratings)},
    }
    if plan.pairs_per_tuple > 1:
        groups = _("Nobody is asked about two items of a group.")
        said = _("%(first)s %(rest)s") % {"first": said, "rest": groups}
    return with_checks(said, plan.n_checks, are_counted=True)
