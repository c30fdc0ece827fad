"""What an export of a selection study holds, and what a release says of it."""

from collections.abc import Mapping
from typing import Any

from django.utils import translation

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.exports.members import Archive
from annotation.kinds.contract.releases import Methods, ReleasesPart
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.exports.table_of_result import ResultTable
from annotation.kinds.rating.queries import later_tests
from annotation.kinds.selection.answer import ROLES
from annotation.kinds.selection.exports import members, methods, tables
from annotation.models import Release, Study


class SelectionReleases(ReleasesPart):
    """Chosen pairs with their ratings, as training data."""

    about = (
        "Pairs of sentences with ratings of their similarity: for each sentence of a summary,"
        " people chose a similar, a middle and a dissimilar sentence from reports, and rated"
        " them."
    )
    contents = _(
        "One ZIP with every answer, every chosen sentence with its rating, the pairs as "
        "training data, and the design with its certificate. There are two training sets: all "
        "pairs, and the pairs rated near the expected value of their class. A README explains "
        "every column; checksums are included."
    )
    main_files = ("train.tsv",)
    has_reliability = False
    has_items_before_answers = False

    @property
    def methods(self) -> Methods:
        return methods

    def write(self, archive: Archive, options: ExportOptions) -> dict[str, Any]:
        return members.write(archive)

    def further_columns(self, study: Study) -> list[str]:
        # No file lists the sentences with what else was said of them.
        return []

    def result_tables(self, statistics: Mapping[str, Any]) -> list[ResultTable]:
        with translation.override("en"):
            return tables.tables_of(statistics)

    def first_release(
        self, study: Study, *, n_items: int, n_judgments: int, n_people: int
    ) -> Said:
        return _(
            "First release. Incidents: %(incidents)s; answers that count: %(judgments)s;"
            " pairs: %(pairs)s; people: %(people)s."
        ) % {
            "incidents": study.context_groups.count(),
            "judgments": n_judgments,
            "pairs": len(ROLES) * n_judgments,
            "people": n_people,
        }

    def sources(self, study: Study) -> dict[str, Any]:
        counts = later_tests.counts(study)
        return {"train": counts.train, "held_out": counts.held_out}

    def changed_sources(self, now: Mapping[str, Any], before: Mapping[str, Any]) -> list[Said]:
        if now["held_out"] == before["held_out"]:
            return []
        return [
            _(
                "Pairs held out of the training data, because later rounds test them: %(now)s; "
                "before: %(before)s."
            )
            % {"now": now["held_out"], "before": before["held_out"]}
        ]

    def later_rounds(self, study: Study, last: Release) -> list[Said]:
        n = sum(later.created_at > last.made_at for later in later_tests.rounds_after(study))
        if not n:
            return []
        return [
            _("Later rounds started since: %(n)s. The pairs that they test are held out.")
            % {"n": n}
        ]
