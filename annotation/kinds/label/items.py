"""A label study in `items/`."""

from annotation.basics.sentences import sentence as _
from annotation.kinds import examples
from annotation.kinds.contract.items import ITEM_COLUMNS, PAIR_COLUMNS, AnswerForm, ItemsPart
from annotation.kinds.label.default_categories import categories_in
from annotation.kinds.label.presets import PRESETS
from annotation.models import Study


class LabelItems(ItemsPart):
    """Answers what `items/` asks."""

    shapes = frozenset({"dialogues", "pairs", "single"})
    takes = _("This is a label study. Upload pairs, dialogues with candidates or single texts.")
    column_roles = ("id", *PAIR_COLUMNS, "text", "question", *ITEM_COLUMNS)
    asks_item_by_item = True
    target_tag = candidate_tag = _("judged")
    answer_form = AnswerForm.NAMES
    answer_names = ("label", "category", "class", "choice", "sentiment")

    def example(self, study: Study, language: str) -> examples.ExampleFile:
        rows = [*examples.pairs(language)]
        preset = next((known for known in PRESETS if known.key == study.preset), None)
        if preset is not None and study.categories == categories_in(preset, study.language):
            rows += examples.checks(language, study.categories["names"])
        return examples.table(language, rows)
