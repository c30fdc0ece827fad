"""A selection study in `studies/`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.basics.scale import Scale
from annotation.basics.sentences import sentence as _
from annotation.core.pages import counts
from annotation.kinds import default_texts
from annotation.kinds.contract.studies import StudiesPart
from annotation.kinds.presets import Preset
from annotation.kinds.rating import default_scales
from annotation.kinds.rating.forms.describing import DescribeRatingForm
from annotation.kinds.selection.presets import PRESETS
from annotation.models import Design, Study

_TEXTS = Path(__file__).with_name("texts")


class SelectionStudies(StudiesPart):
    """Answers what `studies/` asks."""

    presets = PRESETS
    why_no_imported_values = _(
        "A selection study has no values. For a finished table, create a rating, "
        "label or best-worst study."
    )
    usual_next = "czech-round-2"
    describe_form = DescribeRatingForm
    frozen_texts = _(
        "The language, the instructions, the question, the scale and the comprehension"
        " question are frozen too. Title, consent and thanks can still be edited."
    )
    has_results = False
    download_summary = _("Answers, training pairs and design as one ZIP of TSV files.")
    download_without_answers = download_summary

    def texts(self, name: str, language: str) -> dict[str, Any]:
        ratings = default_scales.texts(name, language)
        return {**ratings, **default_texts.read(_TEXTS, "selection", language)}

    def answer_columns(self, preset: Preset, texts: Mapping[str, Any]) -> dict[str, Any]:
        return {"scale": default_scales.scale_of(preset, texts)}

    def question(self, study: Study) -> dict[str, Any]:
        return {"rating_question": study.rating_question, "scale": study.scale}

    def check_changes(self, study: Study, changes: Mapping[str, Any]) -> None:
        if "scale" in changes:
            Scale.of(changes["scale"])

    def refuse_opening(self, study: Study, design: Design) -> None:
        Scale.of(study.scale)

    def n_material(self, study: Study) -> int:
        return study.context_groups.count()

    def material(self, n: int) -> str:
        return counts.incidents(n)

    def in_design(self, design: Design) -> str:
        return counts.questions((design.certificate or {}).get("n_questions", 0))
