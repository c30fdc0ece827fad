"""A selection study in `items/`."""

from annotation.basics.sentences import sentence as _
from annotation.kinds import examples
from annotation.kinds.contract.items import ItemsPart
from annotation.models import Study


class SelectionItems(ItemsPart):
    """Answers what `items/` asks."""

    holds_incidents = True
    shapes = frozenset({"incidents"})
    takes = _("This is a selection study. Upload incidents (id, summary, reports).")
    why_no_finished_answers = _(
        "This is a selection study. You can import finished best-worst answers, "
        "ratings and labels into a study of that kind."
    )

    def example(self, study: Study, language: str) -> examples.ExampleFile:
        incidents = examples.material(language)["incidents"]
        return examples.json_lines("incidents", language, incidents)
