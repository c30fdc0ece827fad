"""Everything that the documents of a release tell, read once; nothing is computed here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.baselines.exports import further_tables
from annotation.baselines.exports import methods as measure_methods
from annotation.baselines.exports.baselines import StoredMeasures
from annotation.baselines.exports.paper_leaderboard import leaderboard_in_short
from annotation.baselines.queries import report_files
from annotation.baselines.queries.report_files import LABEL
from annotation.core.exports.members import Archive, Member, Table
from annotation.core.exports.paper_tables import PaperTable
from annotation.core.exports.prose import Paragraph, markdown
from annotation.core.exports.release_facts import ReleaseFacts
from annotation.items.queries import lexical
from annotation.kinds.contract.releases import ReleasesPart
from annotation.kinds.exports import check_methods
from annotation.kinds.registry import kind_of
from annotation.models import Study
from annotation.releases.exports.documents import methods
from annotation.releases.queries.collected import Collected, collected
from annotation.releases.queries.left_out import further_columns
from annotation.reviews.exports import reviews


def _latex_of_measures(measures: StoredMeasures) -> list[str]:
    """Leaderboards of the current scores as the page's files have them, and the differences."""
    tables = [
        report_files.latex_of_part(
            report, number=number, label=LABEL if place == 1 else f"{LABEL}-{place}"
        )
        for place, (report, number) in enumerate(measures.leaderboards(), start=1)
    ]
    if measures.report and (differences := report_files.latex_of_differences(measures.report)):
        tables.append(differences)
    return tables


def _is_of_single_texts(study: Study) -> bool:
    items = study.items.all()
    return items.exists() and not items.exclude(target_text=None, target_turn=None).exists()


def _tables_of_result(archive: Archive) -> list[PaperTable]:
    """Those that a paper prints, if the result is of the answers in the archive."""
    if not (archive.facts.get("result") or {}).get("is_current"):
        return []
    tables = kind_of(archive.study).releases.result_tables(archive.facts["statistics"])
    return [table.printed for table in tables]


# Of an imported study: nothing is known of who was asked, or how.
_IMPORTED_TABLE = "Texts or pairs of texts with values that were collected elsewhere and imported."
_IMPORTED_ANSWERS = " The answers were collected elsewhere and imported."


@dataclass(frozen=True)
class KnownFacts:
    release: ReleaseFacts
    # What differs between kinds of studies.
    part: ReleasesPart
    slug: str
    language: str
    is_of_people: bool
    is_imported: bool
    # Imported values without a single answer.
    is_table: bool
    is_of_single_texts: bool
    # As `study.json` has them.
    facts: dict[str, Any]
    collected: Collected
    # Leaderboards of the current scores, in LaTeX.
    leaderboards: Sequence[str]
    # The same with fewer columns, in Markdown as well.
    leaderboards_in_short: Sequence[PaperTable]
    of_result: Sequence[PaperTable]
    # What the methods say of measures.
    of_measures: list[Paragraph]
    # Tables of measures and of an expert check that a paper prints, in LaTeX.
    further: Sequence[str]
    # Columns of the imported file that nobody was shown.
    further_columns: Sequence[str]
    # Lexical statistics of the texts; None if they were not measured.
    lexical: Mapping[str, Any] | None
    readme_text: str
    members: Sequence[Member]

    @classmethod
    def of(cls, archive: Archive, release: ReleaseFacts) -> "KnownFacts":
        study = archive.study
        is_of_people = archive.population == "people"
        measures = StoredMeasures.of(archive) if is_of_people else None
        review = reviews.review_file(study, archive.population)
        return cls(
            release,
            kind_of(study).releases,
            study.slug,
            study.language,
            is_of_people,
            study.is_imported,
            study.is_imported_table,
            _is_of_single_texts(study),
            archive.facts,
            collected(study, archive.design, archive.population),
            _latex_of_measures(measures) if measures else [],
            [
                leaderboard_in_short(report, number)
                for report, number in (measures.leaderboards() if measures else ())
            ],
            _tables_of_result(archive),
            measure_methods.paragraph(measures) if measures else [],
            [
                *(
                    table.latex
                    for table in (
                        further_tables.of_study(study, measures.report, measures.withheld)
                        if measures
                        else ()
                    )
                ),
                *([review.latex] if review and review.latex else []),
            ],
            further_columns(study),
            lexical.current(study),
            archive.release_readme,
            # The archive's own: those that are written later are among them, too.
            archive.members,
        )

    @property
    def about(self) -> str:
        if self.is_table:
            return _IMPORTED_TABLE
        if self.is_imported:
            return self.part.about + _IMPORTED_ANSWERS
        simulated = "" if self.is_of_people else " The answers are simulated: nobody gave them."
        check = check_methods.checked_study(self.facts)
        return (self.said([check]) if check else self.part.about) + simulated

    @property
    def main(self) -> tuple[str, Table]:
        """Name and table of the data set itself."""
        tables = {member.name: member.table for member in self.members if member.table}
        names = ("items.tsv",) if self.is_table else self.part.main_files
        name = next(name for name in names if name in tables)
        return name, tables[name]

    @property
    def tables(self) -> list[tuple[str, Table]]:
        return [(member.name, member.table) for member in self.members if member.table]

    def said(self, paragraphs: Sequence[Paragraph]) -> str:
        return " ".join(markdown(paragraph, cites=False) for paragraph in paragraphs)

    @property
    def asked_in_words(self) -> str:
        return self.said(methods.asked(self.facts))

    @property
    def annotations_in_words(self) -> str:
        return self.said(methods.annotations(self.facts))

    @property
    def agreement_in_words(self) -> str:
        return self.said(methods.reliability(self.facts))
