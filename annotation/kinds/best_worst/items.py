"""A best-worst study in `items/`."""

from annotation.basics.sentences import sentence as _
from annotation.kinds import examples
from annotation.kinds.best_worst.presets import PRESETS
from annotation.kinds.contract.items import (
    ITEM_COLUMNS,
    PAIR_COLUMNS,
    AnswerForm,
    ItemsPart,
    PoolNeed,
)
from annotation.kinds.design_parameters import BestWorstParameters
from annotation.models import Study
from tuples import min_items


class BestWorstItems(ItemsPart):
    """Answers what `items/` asks."""

    shapes = frozenset({"dialogues", "pairs", "single"})
    takes = _(
        "This is a best-worst study. Upload dialogues with candidates, pairs or single texts."
    )
    column_roles = ("id", *PAIR_COLUMNS, "text", *ITEM_COLUMNS)
    compares_items = True
    target_tag = _("target")
    candidate_tag = _("candidate")
    why_no_additions = _(
        "All items of a best-worst study must come from one file. Replace the earlier items."
    )
    answer_form = AnswerForm.ORDER

    def tuple_size(self, study: Study) -> int:
        return BestWorstParameters.of(study.design).tuple_size

    def pool_need(self, study: Study) -> PoolNeed | None:
        if study.is_imported:
            return None
        size, factor = self.tuple_size(study), BestWorstParameters.of(study.design).factor
        return PoolNeed(min_items(size, factor), size, factor)

    def speaks_of_dialogues(self, study: Study) -> bool:
        return any(preset.texts == "dialogues" for preset in PRESETS if preset.key == study.preset)

    def example(self, study: Study, language: str) -> examples.ExampleFile:
        if self.speaks_of_dialogues(study):
            dialogues = examples.dialogues(language)[: examples.N_DIALOGUES]
            return examples.json_lines("dialogues", language, dialogues)
        return examples.table(language, examples.pairs(language))
