"""A selection study in `designs/`: incidents, which people read as a whole."""

from collections.abc import Callable, Mapping, Set
from typing import Any

from django.utils.translation import gettext

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.kinds.contract.designs import DesignsPart
from annotation.kinds.design_parameters import SelectionParameters
from annotation.kinds.selection.forms.designs import SelectionDesignForm
from annotation.kinds.selection.pages import design as page
from annotation.kinds.selection.queries import plans
from annotation.kinds.selection.services.continuing import SelectedRound
from annotation.kinds.selection.services.designs import draw_design
from annotation.kinds.services import copied_material
from annotation.kinds.services.design_rows import Drawn
from annotation.kinds.services.pilot_parts import PilotPart
from annotation.models import Design, Study


class SelectionDesigns(DesignsPart[SelectionParameters]):
    """Answers what `designs/` asks."""

    parameters = SelectionParameters
    form = SelectionDesignForm
    options = {
        "--incidents-per-booklet": {"type": int, "help": "maximum number of incidents per person"},
        "--people-per-incident": {"type": int, "help": "people who answer each incident"},
    }
    options_title = "selection studies"
    certificate_template = "kinds/selection/certificate.html"
    no_forecast = _("The planner cannot forecast the reliability of selections.")
    earlier_round = SelectedRound()

    def refuse_impossible(self, study: Study, parameters: SelectionParameters) -> None:
        plans.plan(study, parameters)

    def consequences(self, study: Study, parameters: SelectionParameters) -> Said:
        return page.consequences(study, parameters)

    def draw(self, design: Design, progress: Callable[[float, Said], None]) -> Drawn:
        return draw_design(design, progress)

    def first_questions(self, design: Design) -> list[dict[str, Any]]:
        return page.first_questions(design)

    def certificate_of_data(self, certificate: Mapping[str, Any]) -> list[str]:
        return plans.sentences(certificate)

    def pilot_parts(self, study: Study) -> list[PilotPart]:
        incidents: dict[int, list[int]] = {}
        rows = study.contexts.exclude(group=None).order_by("group", "pk")
        for group, context in rows.values_list("group_id", "pk"):
            incidents.setdefault(group, []).append(context)
        names = dict(study.context_groups.values_list("pk", "key"))
        return [PilotPart(names[group], tuple(pks)) for group, pks in incidents.items()]

    def copy_to_pilot(self, study: Study, pilot: Study, chosen: Set[int]) -> None:
        copied = copied_material.contexts(pilot, study, only=chosen)
        copied_material.turns(study, copied)

    def pilot_unit(self, study: Study) -> str:
        return gettext("Incidents are drawn at random.")
