"""How a release is cited: `CITATION.cff`, BibTeX, and one line of text."""

import re
from typing import Any

import yaml

from annotation.core.exports import latex
from annotation.core.exports.markdown import one_line
from annotation.core.exports.release_facts import Author, ReleaseFacts
from annotation.releases.exports.documents import licences, naming
from scoring.baselines.latex_writing import escape
from shell.normal_forms import normal_form

# Before a family name, and sorted with it here; a name of such words alone has no particle.
_PARTICLES = {"van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la"}
_PARTICLES |= {"le", "ten", "ter", "zu", "zur", "bin", "ibn", "al", "el"}


def split_name(name: str) -> tuple[str, str]:
    """Given names and family name; a comma parts them for certain, else the last word decides."""
    name = one_line(name)
    family, comma, given = name.partition(",")
    if comma:
        return given.strip(), family.strip()
    words = name.split()
    place = len(words) - 1
    while place > 1 and words[place - 1].lower() in _PARTICLES:
        place -= 1
    return " ".join(words[:place]), " ".join(words[place:])


def cff(facts: ReleaseFacts) -> str:
    """`CITATION.cff`, of version 1.2.0 of the format."""
    licence = licences.licence_of(facts)
    entries: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this data set, please cite it as below.",
        "type": "dataset",
        "title": naming.title(facts),
        "version": facts.version,
        "date-released": facts.made_at.date().isoformat(),
        # Required: a data set whose authors nobody has named is by somebody all the same.
        "authors": [_cff_author(author) for author in naming.authors(facts)]
        or [{"name": "Anonymous"}],
    }
    if facts.summary.strip():
        entries["abstract"] = facts.summary.strip()
    if licence:
        name = "license" if licence.is_known else "license-url"
        entries[name] = licence.spdx if licence.is_known else licence.url
    more = {"doi": naming.doi(facts), "url": naming.url(facts), "keywords": naming.keywords(facts)}
    entries |= {name: value for name, value in more.items() if value}
    return as_yaml(entries)


def as_yaml(entries: dict[str, Any]) -> str:
    written: str = yaml.safe_dump(entries, allow_unicode=True, sort_keys=False, width=10**6)
    return written


def _cff_author(author: Author) -> dict[str, str]:
    given, family = split_name(author.name)
    is_person = bool(given and family)
    entry = (
        {"family-names": family, "given-names": given} if is_person else {"name": given or family}
    )
    if affiliation := one_line(author.affiliation):
        entry["affiliation"] = affiliation
    if orcid := naming.orcid(author):
        entry["orcid"] = orcid
    return entry


_SPELLED = str.maketrans(
    {
        **{"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O"},
        **{"ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th"},
    }
)


def key(facts: ReleaseFacts) -> str:
    """Of the BibTeX entry: the first author's family name and the year."""
    named = naming.authors(facts)
    family = split_name(named[0].name)[1] if named else ""
    # Letters that are no letter with an accent.
    spelled = family.translate(_SPELLED)
    plain = normal_form("NFKD", spelled).encode("ascii", "ignore").decode()
    return f"{re.sub('[^A-Za-z]', '', plain) or 'dataset'}{facts.made_at.year}"


def bibtex(facts: ReleaseFacts) -> str:
    fields = {
        "title": f"{{{escape(naming.title(facts))}}}",
        "author": " and ".join(_bibtex_name(author.name) for author in naming.authors(facts)),
        "year": str(facts.made_at.year),
        "version": facts.version,
        "doi": latex.address(naming.doi(facts)),
        "url": latex.address(naming.url(facts)),
        "note": "Data set",
    }
    return entry("misc", key(facts), {name: value for name, value in fields.items() if value})


def entry(kind: str, name: str, fields: dict[str, str]) -> str:
    lines = "".join(f"  {field} = {{{value}}},\n" for field, value in fields.items())
    return f"@{kind}{{{name},\n{lines}}}\n"


def _bibtex_name(name: str) -> str:
    given, family = split_name(name)
    # Braces keep a name of several words, or one with "and" in it, whole.
    if not (given and family):
        return f"{{{escape(given or family)}}}"
    return f"{{{escape(family)}}}, {{{escape(given)}}}"


def line(facts: ReleaseFacts) -> str:
    """One line of plain text."""
    doi, url = naming.doi(facts), naming.url(facts)
    return (
        f"{naming.people(facts)} ({facts.made_at.year}). {naming.title(facts)}"
        f" (version {facts.version})."
        + (f" doi:{doi}" if doi else "")
        + (f" {url}" if url else "")
    )
