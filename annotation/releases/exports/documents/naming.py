"""Title, authors and addresses of a release, as every document writes them."""

import re

from annotation.core.exports.markdown import one_line
from annotation.core.exports.release_facts import Author, ReleaseFacts

_DOI = re.compile(r"10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;.()\[\]\\-]+")
_URL = re.compile(r"https?://[^\s<>\"]+")
_ORCID = re.compile(r"(\d{4}-){3}\d{3}[\dX]")


def title(facts: ReleaseFacts) -> str:
    return one_line(facts.title) or "Untitled data set"


def authors(facts: ReleaseFacts) -> list[Author]:
    """Those who have a name, each once."""
    return list(dict.fromkeys(author for author in facts.authors if one_line(author.name)))


def keywords(facts: ReleaseFacts) -> list[str]:
    return list(dict.fromkeys(word for word in map(one_line, facts.keywords) if word))


def people(facts: ReleaseFacts) -> str:
    return "; ".join(one_line(author.name) for author in authors(facts)) or "Anonymous"


def doi(facts: ReleaseFacts) -> str:
    """Empty where it is none: documents for programs would be refused with it."""
    return facts.doi.strip() if _DOI.fullmatch(facts.doi.strip()) else ""


def url(facts: ReleaseFacts) -> str:
    return facts.url.strip() if _URL.fullmatch(facts.url.strip()) else ""


def orcid(author: Author) -> str:
    """The whole address, or nothing."""
    return f"https://orcid.org/{author.orcid}" if _ORCID.fullmatch(author.orcid) else ""
