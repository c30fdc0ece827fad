"""A rating study in `studies/`."""

from collections.abc import Mapping
from typing import Any

from annotation.basics.scale import Scale
from annotation.basics.sentences import sentence as _
from annotation.core.pages import counts
from annotation.kinds.contract.studies import StudiesPart
from annotation.kinds.presets import Preset
from annotation.kinds.rating import default_scales
from annotation.kinds.rating.forms.describing import DescribeRatingForm
from annotation.kinds.rating.presets import PRESETS
from annotation.kinds.rating.services import repeats
from annotation.models import Design, Study


class RatingStudies(StudiesPart):
    """Answers what `studies/` asks."""

    presets = PRESETS
    can_be_reviewed = True
    usual_next = "sts-context"
    describe_form = DescribeRatingForm
    frozen_texts = _(
        "The language, the instructions, the question, the scale and the comprehension"
        " question are frozen too. Title, consent and thanks can still be edited."
    )

    def texts(self, name: str, language: str) -> dict[str, Any]:
        return default_scales.texts(name, language)

    def parameters(self, preset: Preset, earlier: Study | None) -> dict[str, Any]:
        parameters = super().parameters(preset, earlier)
        if parameters["n_repeats"] and earlier is not None and earlier.is_item_based:
            # People repeat items that they rated there.
            parameters["repeat_from"] = "earlier_round"
        return parameters

    def answer_columns(self, preset: Preset, texts: Mapping[str, Any]) -> dict[str, Any]:
        return {"scale": default_scales.scale_of(preset, texts)}

    def question(self, study: Study) -> dict[str, Any]:
        return {"rating_question": study.rating_question, "scale": study.scale}

    def check_changes(self, study: Study, changes: Mapping[str, Any]) -> None:
        if "scale" in changes:
            Scale.of(changes["scale"])

    def refuse_opening(self, study: Study, design: Design) -> None:
        Scale.of(study.scale)
        repeats.refuse_without_people(design)

    def in_design(self, design: Design) -> str:
        n_stacks = (design.certificate or {}).get("n_stacks")
        return counts.items(self.n_material(design.study) if n_stacks is None else n_stacks)
