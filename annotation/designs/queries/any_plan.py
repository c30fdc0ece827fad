"""What the numbers of a design lead to before it is made, whatever kind of study it is of."""

from annotation.kinds.best_worst.queries import plans
from annotation.kinds.design_parameters import (
    AnyParameters,
    ImpossibleParametersError,
    RatingParameters,
    SelectionParameters,
)
from annotation.kinds.rating.queries import plans as rating_plans
from annotation.kinds.selection.queries import plans as selection_plans
from annotation.models import Study

AnyPlan = plans.Plan | rating_plans.RatingPlan | selection_plans.SelectionPlan


def plan_of(study: Study, parameters: AnyParameters) -> AnyPlan:
    """Raises ImpossibleParametersError with the reason and the nearest numbers that work."""
    if isinstance(parameters, RatingParameters):
        return rating_plans.plan(study, parameters)
    if isinstance(parameters, SelectionParameters):
        return selection_plans.plan(study, parameters)
    return plans.plan(study, parameters)


def field_at_fault(
    study: Study, parameters: AnyParameters, error: ImpossibleParametersError
) -> str:
    """The number to mend; empty where it is not one alone."""
    if error.field or isinstance(parameters, RatingParameters | SelectionParameters):
        return error.field
    return plans.field_at_fault(study, parameters)
