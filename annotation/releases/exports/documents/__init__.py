"""The documents of a release: what others need to find, load, trust and cite the data set."""

from annotation.core.exports.members import Archive
from annotation.core.exports.release_facts import ReleaseFacts
from annotation.releases.exports.documents import citation, licences, methods, paper
from annotation.releases.exports.documents.croissant import NAME, croissant
from annotation.releases.exports.documents.datasheet import datasheet
from annotation.releases.exports.documents.known import KnownFacts
from annotation.releases.exports.documents.readme import readme


def write(archive: Archive, facts: ReleaseFacts) -> None:
    """Write them after everything that they tell of."""
    known = KnownFacts.of(archive, facts)
    archive.member("README.md", [readme(known)])
    archive.member("DATASHEET.md", [datasheet(known)])
    paragraphs = methods.paragraphs(known)
    archive.member("METHODS.md", [paper.methods_markdown(known, paragraphs)])
    archive.member("methods.tex", [paper.methods_tex(paragraphs)])
    archive.member("tables.md", [paper.tables_markdown(known)])
    archive.member("tables.tex", [paper.tables_tex(known)])
    archive.member("references.bib", [paper.references_bib(paragraphs)])
    archive.member("LICENSE", [licences.licence_text(facts)])
    archive.member("CITATION.cff", [citation.cff(facts)])
    # Last: it has the sums of all the others.
    archive.member(NAME, [croissant(known)])


__all__ = ["write"]
