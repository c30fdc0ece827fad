"""A ranking study in `studies/`."""

from pathlib import Path
from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.pages import counts
from annotation.core.queries import material
from annotation.kinds import default_texts
from annotation.kinds.contract.studies import StudiesPart
from annotation.kinds.ranking.forms.describing import DescribeRankingForm
from annotation.kinds.ranking.presets import PRESETS
from annotation.models import Design, Study

_TEXTS = Path(__file__).with_name("texts")


class RankingStudies(StudiesPart):
    """Answers what `studies/` asks."""

    presets = PRESETS
    can_be_reviewed = True
    describe_form = DescribeRankingForm
    frozen_design = _(
        "The design is frozen: %(items)s, %(tuples)s, %(booklets)s with"
        " %(places)s. Items, tuples and orders cannot be changed any more."
    )
    frozen_texts = _(
        "The language, the instructions, the question and the comprehension question are frozen"
        " too. Title, consent and thanks can still be edited."
    )

    def texts(self, name: str, language: str) -> dict[str, Any]:
        return {
            **default_texts.of_items(language),
            **default_texts.read(_TEXTS, "ranking", language),
        }

    def question(self, study: Study) -> dict[str, Any]:
        return {"rating_question": study.rating_question}

    def in_design(self, design: Design) -> str:
        return counts.tuples(material.n_tuples(design))
