"""A best-worst study in `designs/`: tuples of items that are compared."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.kinds.best_worst.forms.designs import BestWorstDesignForm
from annotation.kinds.best_worst.forms.planning import BestWorstPlanForm
from annotation.kinds.best_worst.pages import design as page
from annotation.kinds.best_worst.queries import certificates, plans
from annotation.kinds.best_worst.services.designs import draw_design
from annotation.kinds.contract.designs import DesignsPart
from annotation.kinds.design_options import CHECKS, QUESTIONS_PER_SCREEN
from annotation.kinds.design_parameters import BestWorstParameters
from annotation.kinds.services.design_rows import Drawn
from annotation.models import Design, Study
from annotation.models.items import ONE_POOL


class BestWorstDesigns(DesignsPart[BestWorstParameters]):
    """Answers what `designs/` asks."""

    parameters = BestWorstParameters
    form = BestWorstDesignForm
    options = {
        "--tuple-size": {"type": int, "help": "items shown together"},
        "--factor": {"type": float, "help": "number of tuples as a multiple of the items"},
        "--annotations-per-tuple": {"type": int, "help": "people who answer each tuple"},
        **QUESTIONS_PER_SCREEN,
        "--screens-per-booklet": {"type": int, "help": "screens that one person answers"},
        **CHECKS,
    }
    certificate_template = "kinds/best_worst/certificate.html"
    remedy = _("A larger factor fixes this. You can also open the study as it is.")
    plan_form = BestWorstPlanForm

    def refuse_impossible(self, study: Study, parameters: BestWorstParameters) -> None:
        plans.plan(study, parameters)

    def consequences(self, study: Study, parameters: BestWorstParameters) -> Said:
        return page.consequences(study, parameters)

    def draw(self, design: Design, progress: Callable[[float, Said], None]) -> Drawn:
        return draw_design(design, progress)

    def first_questions(self, design: Design) -> list[dict[str, Any]]:
        return page.first_tuples(design)

    def certificate_of_data(self, certificate: Mapping[str, Any]) -> list[str]:
        sentences = certificates.sentences(certificate)
        if not certificate.get("groups"):
            return sentences
        shuffled = gettext("On the screen, the order in a tuple is shuffled for each person.")
        return [*sentences, shuffled]

    def warnings(self, design: Design) -> list[str]:
        return plans.warnings(design)

    def fewest_pilot_parts(self, study: Study) -> int:
        if study.pools.filter(key=ONE_POOL).exists():
            return BestWorstParameters.of(study.design).tuple_size
        return 1
