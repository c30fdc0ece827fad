"""A best-worst study in `studies/`."""

from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.pages import counts
from annotation.core.queries import material
from annotation.kinds import default_texts
from annotation.kinds.best_worst.forms.describing import DescribeBestWorstForm
from annotation.kinds.best_worst.presets import PRESETS
from annotation.kinds.contract.studies import StudiesPart
from annotation.models import Design, Study


class BestWorstStudies(StudiesPart):
    """Answers what `studies/` asks."""

    presets = PRESETS
    can_be_reviewed = True
    describe_form = DescribeBestWorstForm
    frozen_design = _(
        "The design is frozen: %(items)s, %(tuples)s, %(booklets)s with"
        " %(places)s. Items, tuples and orders cannot be changed any more."
    )
    frozen_texts = _(
        "The language, the instructions, the wording of the questions, the worked example"
        " and the comprehension question are frozen too. Title, consent and thanks can still"
        " be edited."
    )

    def texts(self, name: str, language: str) -> dict[str, Any]:
        if name == "dialogues":
            return default_texts.of_dialogues(language)
        return default_texts.of_items(language)

    def question(self, study: Study) -> dict[str, Any]:
        return {"most_question": study.most_question, "least_question": study.least_question}

    def in_design(self, design: Design) -> str:
        return counts.tuples(material.n_tuples(design))
