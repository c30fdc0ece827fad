"""A rating study in `items/`."""

from collections.abc import Iterator

from annotation.basics.sentences import sentence as _
from annotation.kinds import examples
from annotation.kinds.contract.items import ITEM_COLUMNS, PAIR_COLUMNS, AnswerForm, ItemsPart
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.rating.default_scales import ANSWERS
from annotation.kinds.rating.presets import PRESETS
from annotation.models import Study


class RatingItems(ItemsPart):
    """Answers what `items/` asks."""

    shapes = frozenset({"dialogues", "pairs"})
    takes = _(
        "This is a rating study. Upload pairs (id, target, candidate) or dialogues "
        "with candidates."
    )
    column_roles = (
        *("id", *PAIR_COLUMNS, "question", *ITEM_COLUMNS),
        *("tolerance", "earlier_rating"),
    )
    asks_item_by_item = True
    answer_form = AnswerForm.NUMBER
    answer_names = ("rating", "score", "similarity", "likert", "scale", "slider", "number")

    def calibration(self, study: Study) -> list[str]:
        return RatingParameters.of(study.design).calibration

    def example(self, study: Study, language: str) -> examples.ExampleFile:
        return examples.table(language, _example_rows(study, language))


def _example_rows(study: Study, language: str) -> Iterator[examples.Row]:
    """The pairs that fit the preset; of a study whose kind was changed, plain ones."""
    preset = next((known for known in PRESETS if known.key == study.preset), None)
    if preset is None:
        yield from examples.pairs(language)
    elif preset.texts == ANSWERS:
        yield from examples.answers(language)
    elif preset.key == "sts-context":
        yield from examples.grouped(language, in_context=True)
        yield from examples.calibration(study, language, 6, in_context=True)
    elif preset.key == "czech-round-2":
        yield from examples.grouped(language, in_context=False)
    elif preset.key == "stss-131":
        yield from examples.pairs(language)
        yield from examples.calibration(study, language, 2, in_context=False)
    else:
        yield from examples.pairs(language)
