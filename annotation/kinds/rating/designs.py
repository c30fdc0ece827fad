"""A rating study in `designs/`: stacks of people for each item, in phases."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

from annotation.basics.sentences import Said
from annotation.kinds.contract.designs import DesignsPart
from annotation.kinds.design_parameters import PhaseParameters, RatingParameters
from annotation.kinds.forms.planning import PlanForm
from annotation.kinds.queries.phase_words import phases_in_words
from annotation.kinds.rating.design_options import OPTIONS
from annotation.kinds.rating.forms.designs import RatingDesignForm
from annotation.kinds.rating.forms.planning import RatingPlanForm
from annotation.kinds.rating.pages import design as page
from annotation.kinds.rating.queries import certificates, plans
from annotation.kinds.rating.services.continuing import RatedRound
from annotation.kinds.rating.services.designs import draw_design
from annotation.kinds.services import recognition
from annotation.kinds.services.design_rows import Drawn
from annotation.kinds.services.earlier_rounds import EarlierRound
from annotation.models import Design, Study


class RatingDesigns(DesignsPart[RatingParameters]):
    """Answers what `designs/` asks."""

    parameters = RatingParameters
    form: type[RatingDesignForm] = RatingDesignForm
    options = OPTIONS
    options_title = "rating and label studies"
    certificate_template = "kinds/rating/certificate.html"
    plan_form: type[PlanForm] | None = RatingPlanForm
    continues_rounds = True
    earlier_round: EarlierRound | None = RatedRound()

    def refuse_impossible(self, study: Study, parameters: RatingParameters) -> None:
        plans.plan(study, parameters)

    def consequences(self, study: Study, parameters: RatingParameters) -> Said:
        return page.consequences(study, parameters)

    def warnings_before_making(self, study: Study, parameters: RatingParameters) -> Sequence[str]:
        return plans.scored_known_answers(study, parameters)

    def option_of(self, field: str) -> str:
        if field == "phases" or field in {parameter.name for parameter in fields(PhaseParameters)}:
            return "--phase"
        return super().option_of(field)

    def command_warnings(self, study: Study, parameters: RatingParameters) -> Sequence[str]:
        return [
            f"{warning} Name calibration items with --calibration."
            for warning in self.warnings_before_making(study, parameters)
        ]

    def command_notes(self, study: Study, parameters: RatingParameters) -> Sequence[str]:
        if not parameters.n_repeats or parameters.repeat_from != "earlier_round":
            return []
        counts = recognition.repeaters(study, but=parameters.calibration)
        return [
            f"People who can repeat what they rated in the earlier round: {counts.n_known};"
            f" on the roster: {counts.n_known_here}. Everybody else repeats items of this study."
        ]

    def draw(self, design: Design, progress: Callable[[float, Said], None]) -> Drawn:
        return draw_design(design, progress)

    def first_questions(self, design: Design) -> list[dict[str, Any]]:
        return page.first_questions(design)

    def certificate_of_data(self, certificate: Mapping[str, Any]) -> list[str]:
        return certificates.sentences(certificate)

    def certificate(self, design: Design) -> list[str]:
        if not design.certificate:
            return []
        conditions = [phase.condition for phase in design.phases.all()]
        alone = plans.without_contexts(design.study, conditions)
        phases = phases_in_words(design)
        return [*super().certificate(design), *filter(None, [phases, alone])]

    def warnings(self, design: Design) -> list[str]:
        return plans.warnings(design)

    def items_beside(self, study: Study) -> Collection[str]:
        return {*RatingParameters.of(study.design).calibration}
