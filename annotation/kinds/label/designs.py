"""A study of labels in `designs/`: as one of ratings, but for what only numbers allow."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.basics.sentences import Said
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.label.forms.designs import LabelDesignForm
from annotation.kinds.label.forms.planning import LabelPlanForm
from annotation.kinds.label.pages import design as page
from annotation.kinds.rating.designs import RatingDesigns
from annotation.kinds.rating.queries import certificates, plans
from annotation.models import Design, Study


class LabelDesigns(RatingDesigns):
    """Answers what `designs/` asks."""

    form = LabelDesignForm
    certificate_template = "kinds/label/certificate.html"
    plan_form = LabelPlanForm
    continues_rounds = False
    earlier_round = None

    def consequences(self, study: Study, parameters: RatingParameters) -> Said:
        return page.consequences(study, parameters)

    def warnings_before_making(self, study: Study, parameters: RatingParameters) -> Sequence[str]:
        return []

    def certificate_of_data(self, certificate: Mapping[str, Any]) -> list[str]:
        return certificates.sentences(certificate, of_labels=True)

    def warnings(self, design: Design) -> list[str]:
        return plans.missing_contexts(design)

    def items_beside(self, study: Study) -> Collection[str]:
        return ()
