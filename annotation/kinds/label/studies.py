"""A label study in `studies/`."""

from collections.abc import Mapping
from typing import Any

from annotation.basics.categories import Categories
from annotation.basics.sentences import sentence as _
from annotation.core.pages import counts
from annotation.kinds.contract.studies import StudiesPart
from annotation.kinds.label import default_categories
from annotation.kinds.label.forms.describing import DescribeLabelForm
from annotation.kinds.label.presets import PRESETS
from annotation.kinds.label.services.categories import check_categories
from annotation.kinds.presets import Preset
from annotation.models import Design, Study


class LabelStudies(StudiesPart):
    """Answers what `studies/` asks."""

    presets = PRESETS
    describe_form = DescribeLabelForm
    frozen_texts = _(
        "The language, the instructions, the question, the categories and the"
        " comprehension question are frozen too. Title, consent and thanks can still be"
        " edited."
    )

    def texts(self, name: str, language: str) -> dict[str, Any]:
        return default_categories.texts(name, language)

    def answer_columns(self, preset: Preset, texts: Mapping[str, Any]) -> dict[str, Any]:
        return {"categories": Categories.of(texts["categories"]).as_json}

    def question(self, study: Study) -> dict[str, Any]:
        return {"rating_question": study.rating_question, "categories": study.categories}

    def check_changes(self, study: Study, changes: Mapping[str, Any]) -> None:
        if "categories" in changes:
            check_categories(study, Categories.of(changes["categories"]))

    def refuse_opening(self, study: Study, design: Design) -> None:
        check_categories(study, Categories.of(study.categories))

    def in_design(self, design: Design) -> str:
        n_stacks = (design.certificate or {}).get("n_stacks")
        return counts.items(self.n_material(design.study) if n_stacks is None else n_stacks)
