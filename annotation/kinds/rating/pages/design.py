"""What the design page says of a rating study."""

from typing import Any

from annotation.basics.numbers import grouped
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages import counts
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.pages.design_of_checks import with_checks
from annotation.kinds.rating.queries import plans as rating_plans
from annotation.kinds.rating.queries.plans import RatingPlan
from annotation.kinds.services import recognition
from annotation.models import Design, Question, Study


def consequences(study: Study, parameters: RatingParameters) -> Said:
    """What follows from the numbers, before the design is made."""
    sentence = with_contexts(_of_ratings(rating_plans.plan(study, parameters)), study, parameters)
    for known in rating_plans.scored_known_answers(study, parameters):
        sentence = _("%(first)s %(rest)s") % {"first": sentence, "rest": known}
    return with_repeats(sentence, study, parameters)


def with_contexts(sentence: Said, study: Study, parameters: RatingParameters) -> Said:
    """The consequences, and whether contexts are there that nobody sees."""
    conditions = [phase.condition for phase in parameters.phases]
    if alone := rating_plans.without_contexts(study, conditions):
        return _("%(first)s %(rest)s") % {"first": sentence, "rest": alone}
    return sentence


def with_repeats(sentence: Said, study: Study, parameters: RatingParameters) -> Said:
    """The consequences, and who of the earlier round can repeat something."""
    if not parameters.n_repeats or parameters.repeat_from != "earlier_round":
        return sentence
    of_repeats = who_can_repeat(study, parameters)
    return _("%(first)s %(rest)s") % {"first": sentence, "rest": of_repeats}


def who_can_repeat(study: Study, parameters: RatingParameters) -> Said:
    """How many people of the earlier round have something to repeat, and are expected here."""
    repeaters = recognition.repeaters(study, but=parameters.calibration)
    return _(
        "%(known)s can repeat items that they rated in the earlier round; on the "
        "roster: %(here)s. Everybody else repeats items of this study."
    ) % {"known": counts.people(repeaters.n_known), "here": repeaters.n_known_here}


def _of_ratings(plan: RatingPlan) -> Said:
    sentence = _("%(people)s %(questions)s %(ratings)s") % {
        "people": _("%(items)s to rate. This takes %(people)s.")
        % {"items": counts.items(plan.n_items), "people": counts.people(plan.n_people)},
        "questions": questions(plan),
        "ratings": ngettext(
            "In total, %(n)s rating is collected, not counting calibration, repeats and checks.",
            "In total, %(n)s ratings are collected, not counting calibration, repeats and checks.",
            plan.n_ratings,
        )
        % {"n": grouped(plan.n_ratings)},
    }
    if plan.pairs_per_tuple > 1:
        groups = _("Each person rates at most one item of a group.")
        sentence = _("%(first)s %(rest)s") % {"first": sentence, "rest": groups}
    return with_checks(sentence, plan.n_checks, are_counted=True)


def questions(plan: RatingPlan) -> Said:
    """How many questions everybody answers, in how many phases."""
    values = {
        "phases": plan.n_phases,
        "low": plan.questions_min,
        "questions": counts.questions(plan.questions_max),
    }
    if plan.questions_min == plan.questions_max:
        return (
            ngettext(
                "Everybody answers %(questions)s in %(phases)s phase.",
                "Everybody answers %(questions)s in each of %(phases)s phases.",
                "phases",
            )
            % values
        )
    return (
        ngettext(
            "Everybody answers %(low)s to %(questions)s in %(phases)s phase.",
            "Everybody answers %(low)s to %(questions)s in each of %(phases)s phases.",
            "phases",
        )
        % values
    )


def first_questions(design: Design, n: int = 8) -> list[dict[str, Any]]:
    """The first questions of the first booklet of a rating design."""
    rows = (
        Question.objects.filter(
            booklet__design=design,
            booklet__number=1,
            block__phase__number=1,
            item__isnull=False,
        )
        .select_related("item__target_turn", "item__candidate_turn", "block")
        .order_by("screen", "position")[:n]
    )
    return [
        {
            "key": question.item.key,
            "purpose": question.block.get_purpose_display(),
            "target": question.item.target,
            "candidate": question.item.candidate,
        }
        for question in rows
        if question.item is not None
    ]
