"""A selection study in `items/`."""

from annotation.basics.sentences import sentence as _
from annotation.kinds import examples
from annotation.kinds.contract.items import ItemsPart
from annotation.models import Study


class SelectionItems(ItemsPart):
    """Answers what `items/` asks."""

    holds_incidents = True
    shapes = frozenset({"incidents"})
    takes = _("This is a selection study: upload incidents (id, summary, reports).")
    why_no_finished_answers = _(
        "A selection study cannot take finished answers. Create a best-worst, rating or label "
        "study for them."
    )

    def example(self, study: Study, language: str) -> examples.ExampleFile:
        incidents = examples.material(language)["incidents"]
        return examples.json_lines("incidents", language, incidents)
