"""What the numbers of a rating design lead to, before it is made, and what to know of one."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.errors import AnnotationError
from annotation.basics.numbers import grouped
from annotation.basics.scale import Scale, ScaleError
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.rating.queries.layouts import lay_out
from annotation.models import Design, Phase, Study
from annotation.models.kinds import QuestionKind

# If more answers are known, they are more likely labels of a data set than calibration.
MAX_PROPOSED = 20


@dataclass(frozen=True)
class RatingPlan:
    """Counts that follow from the items and the numbers alone."""

    n_items: int
    # Groups of up to so many pairs, of which nobody rates two; 1: there are no groups.
    pairs_per_tuple: int
    n_people: int
    # All questions of each phase, including calibration, repeats and checks.
    questions_min: int
    questions_max: int
    n_phases: int
    # The ratings of all phases, without calibration, repeats and checks.
    n_ratings: int
    # Calibration, repeats and checks of one person in each phase.
    n_beside: int = 0
    # The number of checks among the questions of each phase.
    n_checks: int = 0


def plan(study: Study, parameters: RatingParameters) -> RatingPlan:
    """Count what a design would have.

    Raises ImpossibleParametersError with the reason and the nearest numbers that work.
    """
    layout = lay_out(study, parameters)
    beside = len(layout.calibration) + parameters.n_repeats + layout.checks.n_in_booklet
    return RatingPlan(
        n_items=layout.n_items,
        pairs_per_tuple=layout.pairs_per_tuple,
        n_people=layout.n_booklets,
        questions_min=layout.load_min + beside,
        questions_max=layout.load_max + beside,
        n_phases=len(parameters.phases),
        n_ratings=layout.n_items * parameters.ratings_per_item * len(parameters.phases),
        n_beside=beside,
        n_checks=layout.checks.n_in_booklet,
    )


def with_fitting_repeats(study: Study, parameters: RatingParameters) -> RatingParameters:
    """The numbers, with fewer and earlier repeats if a booklet is too small for them."""
    if not parameters.n_repeats:
        return parameters
    try:
        load = lay_out(study, replace(parameters, n_repeats=0)).load_min
    except AnnotationError:
        # Other numbers are impossible, too, or there are no items.
        return parameters
    distance = parameters.repeat_distance
    if distance > load:
        # Half of the booklet leaves a choice of items to repeat.
        distance = max(1, load // 2)
    return replace(parameters, n_repeats=min(parameters.n_repeats, load), repeat_distance=distance)


def with_known_answer(study: Study) -> list[str]:
    """Ids of the items that could calibrate, in the order of import."""
    known = study.items.without_checks().filter(expected__isnull=False).order_by("number")
    return list(known.values_list("key", flat=True))


def proposed_calibration(study: Study) -> list[str]:
    """Ids of the items whose known answer seems to be meant for calibration, in their order.

    None if so many answers are known that they rather are labels of a data set.
    """
    keys = with_known_answer(study)
    if len(keys) > MAX_PROPOSED or len(keys) == study.items.without_checks().count():
        return []
    cannot = {*off_scale(study)}
    return [key for key in keys if key not in cannot]


def scored_known_answers(study: Study, parameters: RatingParameters) -> list[str]:
    """A warning of items with a known answer that are rated and scored like all others."""
    keys = [key for key in with_known_answer(study) if key not in {*parameters.calibration}]
    if not keys:
        return []
    return [
        ngettext(
            "%(n)s item with a known answer is not a calibration item, so it is rated "
            "and scored like all others (%(keys)s).",
            "%(n)s items with a known answer are not calibration items, so they are "
            "rated and scored like all others (%(keys)s).",
            len(keys),
        )
        % {"n": grouped(len(keys)), "keys": some(keys)}
    ]


def calibrated_before(study: Study) -> list[str]:
    """Ids of copied items that calibrated in the earlier round, in their order."""
    earlier = study.earlier_round
    if earlier is None or earlier.kind != QuestionKind.RATING:
        return []
    named = RatingParameters.of(earlier.design).calibration
    copies = study.items.filter(derived_from__study=earlier, derived_from__key__in=named)
    return list(copies.order_by("number").values_list("key", flat=True))


def off_scale(study: Study) -> list[str]:
    """Ids of items whose known answer nobody can choose; none if there is no scale yet."""
    try:
        scale = Scale.of(study.scale)
    except ScaleError:
        return []
    # Making the design refuses a check that nobody can answer rightly, within its tolerance.
    known = study.items.without_checks().filter(expected__isnull=False).order_by("number")
    return [
        item.key for item in known if item.expected is not None and not scale.has(item.expected)
    ]


def about_known_answers(study: Study) -> list[str]:
    """A warning if nobody can give the known answer of an item."""
    keys = off_scale(study)
    if not keys:
        return []
    return [
        ngettext(
            "The known answer of %(n)s item is not on the scale: %(keys)s.",
            "The known answers of %(n)s items are not on the scale: %(keys)s.",
            len(keys),
        )
        % {"n": grouped(len(keys)), "keys": some(keys)}
    ]


def warnings(design: Design) -> list[str]:
    """What a researcher should know before a rating study is opened."""
    study = design.study
    return [
        *about_known_answers(study),
        *scored_known_answers(study, RatingParameters.of(design)),
        *missing_contexts(design),
    ]


def missing_contexts(design: Design) -> list[str]:
    """A warning where a phase shows items in context that have none."""
    if not design.phases.filter(condition=Phase.Condition.DEPENDENT).exists():
        return []
    in_context = Q(target_turn__isnull=False) | Q(candidate_turn__isnull=False)
    # Items that calibrate are practice: they may well be shown alone.
    calibrates = RatingParameters.of(design).calibration
    rated = design.study.items.exclude(key__in=calibrates)
    without = rated.exclude(in_context).count()
    if without == rated.count():
        return [
            _(
                "A phase shows the items in context, but no item has a context. They "
                "are shown alone."
            )
        ]
    if not without:
        return []
    return [
        ngettext(
            "A phase shows the items in context, but %(n)s item has no context.",
            "A phase shows the items in context, but %(n)s items have no context.",
            without,
        )
        % {"n": grouped(without)}
    ]


def without_contexts(study: Study, conditions: Collection[str]) -> str:
    """Says so where items have contexts and no phase shows them; else it is empty."""
    if Phase.Condition.DEPENDENT in conditions:
        return ""
    has_context = Q(target_turn__context__n_turns__gt=1) | Q(
        candidate_turn__context__n_turns__gt=1
    )
    n = study.items.without_checks().filter(has_context).count()
    if not n:
        return ""
    return ngettext(
        "%(n)s item has a context, but no phase shows it.",
        "%(n)s items have contexts, but no phase shows them.",
        n,
    ) % {"n": grouped(n)}


def some(keys: list[str], most: int = 10) -> str:
    """The first few of many ids."""
    return ", ".join(keys[:most]) + (", …" if len(keys) > most else "")
