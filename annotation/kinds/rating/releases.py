"""What an export of a rating study holds, and what a release says of it."""

from collections.abc import Mapping
from typing import Any

from django.utils import translation

from annotation.basics.sentences import sentence as _
from annotation.core.exports.members import Archive
from annotation.kinds.contract.releases import Methods, ReleasesPart
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.exports.table_of_result import ResultTable
from annotation.kinds.forms.export_options import ExportOptionsForm
from annotation.kinds.rating.exports import members, methods, tables


class RatingReleases(ReleasesPart):
    """Ratings, and the data set under each condition."""

    about = "Pairs of texts, each rated on a scale by several people."
    contents = _(
        "One ZIP with the items, their texts and scores, and the data set with and without"
        " context. It also contains every rating, each person's progress through the phases, and"
        " the design with its statistics. Calibration, repeats, checks and surplus ratings have"
        " separate files. A README explains every column; checksums are included."
    )
    main_files = ("test_free.tsv", "test_dependent.tsv", "items.tsv")
    has_options = True
    options_form = ExportOptionsForm

    @property
    def methods(self) -> Methods:
        return methods

    def write(self, archive: Archive, options: ExportOptions) -> dict[str, Any]:
        return members.write(archive, options)

    def result_tables(self, statistics: Mapping[str, Any]) -> list[ResultTable]:
        with translation.override("en"):
            return tables.tables_of(statistics)
