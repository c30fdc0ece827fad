"""What an export of a ranking study holds, and what a release says of it."""

from collections.abc import Mapping
from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.exports.members import Archive
from annotation.core.queries import further_columns
from annotation.kinds.contract.releases import Methods, ReleasesPart
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.exports.table_of_result import ResultTable
from annotation.kinds.ranking.exports import members, methods, tables
from annotation.models import Study


class RankingReleases(ReleasesPart):
    """Tuples, orders and scores."""

    about = (
        "Texts with scores from rankings: people saw a few texts at a time and put them in order."
        " Each text has a score."
    )
    contents = _(
        "One ZIP with the items and scores, every order, the tuples, the design with its"
        " certificate, and the statistics. A README explains every column; checksums are included."
    )
    main_files = ("items.tsv",)

    @property
    def methods(self) -> Methods:
        return methods

    def write(self, archive: Archive, options: ExportOptions) -> dict[str, Any]:
        return members.write(archive)

    def further_columns(self, study: Study) -> list[str]:
        return further_columns.of_items_and_contexts(study)

    def result_tables(self, statistics: Mapping[str, Any]) -> list[ResultTable]:
        return tables.tables_of(statistics)
