"""What an export of a label study holds, and what a release says of it."""

from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.exports.members import Archive
from annotation.kinds.contract.releases import Methods, ReleasesPart
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.label.exports import members, methods


class LabelReleases(ReleasesPart):
    """Labels, and the counts of each category."""

    about = "Texts or pairs of texts, each put into categories by several people."
    contents = _(
        "One ZIP with the items, their texts and labels, every answer, each person's way through"
        " the phases, and the design with its statistics. Repeats and surplus answers have"
        " separate files. A README explains every column; checksums are included."
    )
    main_files = ("item_labels.tsv",)
    hugging_face_task = ("text-classification", "semantic-similarity-classification")
    has_options = True

    @property
    def methods(self) -> Methods:
        return methods

    def write(self, archive: Archive, options: ExportOptions) -> dict[str, Any]:
        return members.write(archive, options)
