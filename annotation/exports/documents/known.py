"""Everything that the documents of a release tell, read once; nothing is computed here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.exports.baselines import StoredMeasures
from annotation.exports.documents import methods
from annotation.exports.documents.prose import Paragraph, markdown
from annotation.exports.members import Archive, Member, Table
from annotation.exports.release_facts import ReleaseFacts
from annotation.models.kinds import QuestionKind
from annotation.queries import leaderboards, lexical
from annotation.queries.collected import Collected, collected
from annotation.queries.leaderboards import Row

_ABOUT = {
    QuestionKind.BEST_WORST: (
        "Texts compared by best-worst scaling: of a few shown together, people chose the one that"
        " is most and the one that is least similar, and each text has a score."
    ),
    QuestionKind.RATING: "Pairs of texts, each rated on a scale by several people.",
    QuestionKind.LABEL: "Texts or pairs of texts, each put into categories by several people.",
    QuestionKind.SELECTION: (
        "Sentences of summaries with sentences of reports that people chose for them, from most"
        " to least similar, and rated."
    ),
}
# The data set itself, of each kind: the first of these files that there is.
_MAIN = {
    QuestionKind.BEST_WORST: ("items.tsv",),
    QuestionKind.RATING: ("test_free.tsv", "test_dependent.tsv", "items.tsv"),
    QuestionKind.LABEL: ("item_labels.tsv",),
    QuestionKind.SELECTION: ("train.tsv",),
}


@dataclass(frozen=True)
class Known:
    release: ReleaseFacts
    kind: QuestionKind
    slug: str
    language: str
    is_of_people: bool
    # As `study.json` has them.
    facts: dict[str, Any]
    collected: Collected
    # Of all items, where there is a leaderboard.
    board: Sequence[Row]
    # Lexical statistics of the texts; None if they were not measured.
    lexical: Mapping[str, Any] | None
    readme_text: str
    members: Sequence[Member]

    @classmethod
    def of(cls, archive: Archive, release: ReleaseFacts) -> "Known":
        study = archive.study
        is_of_people = archive.population == "people"
        report = StoredMeasures(study).report if is_of_people else None
        return cls(
            release,
            QuestionKind(study.kind),
            study.slug,
            study.language,
            is_of_people,
            archive.facts,
            collected(study, archive.design, archive.population),
            leaderboards.rows_shown(report)[0].rows if report else (),
            lexical.current(study),
            archive.readme_text,
            # The archive's own: those that are written later are among them, too.
            archive.members,
        )

    @property
    def about(self) -> str:
        simulated = "" if self.is_of_people else " The answers are simulated: nobody gave them."
        return _ABOUT[self.kind] + simulated

    @property
    def main(self) -> tuple[str, Table]:
        """Name and table of the data set itself."""
        tables = {one.name: one.table for one in self.members if one.table}
        name = next(name for name in _MAIN[self.kind] if name in tables)
        return name, tables[name]

    @property
    def tables(self) -> list[tuple[str, Table]]:
        return [(one.name, one.table) for one in self.members if one.table]

    def said(self, paragraphs: Sequence[Paragraph]) -> str:
        return " ".join(markdown(one, cites=False) for one in paragraphs)

    @property
    def asked_in_words(self) -> str:
        return self.said(methods.asked(self.facts))

    @property
    def annotations_in_words(self) -> str:
        return self.said(methods.annotations(self.facts))

    @property
    def agreement_in_words(self) -> str:
        return self.said(methods.reliability(self.facts))
