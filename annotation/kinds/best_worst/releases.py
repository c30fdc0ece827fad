"""What an export of a best-worst study holds, and what a release says of it."""

from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.exports.members import Archive
from annotation.core.queries import further_columns
from annotation.kinds.best_worst.exports import members, methods
from annotation.kinds.contract.releases import Methods, ReleasesPart
from annotation.kinds.exports.options import ExportOptions
from annotation.models import Study


class BestWorstReleases(ReleasesPart):
    """Tuples, answers and scores."""

    about = (
        "Texts with scores from best-worst scaling: people saw a few texts at a time and chose the"
        " best and the worst of them. Each text has a score."
    )
    contents = _(
        "One ZIP with the items and scores, every answer (also in the format of Kiritchenko and"
        " Mohammad's best-worst scripts), the tuples, the design with its certificate, and the"
        " statistics. A README explains every column; checksums are included."
    )
    main_files = ("items.tsv",)
    is_read_by_import = True

    @property
    def methods(self) -> Methods:
        return methods

    def further_columns(self, study: Study) -> list[str]:
        return further_columns.of_items_and_contexts(study)

    def write(self, archive: Archive, options: ExportOptions) -> dict[str, Any]:
        return members.write(archive)
