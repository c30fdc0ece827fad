"""What a release is called and who made it: how readers cite it, ask about it and may use it."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.exports.release_facts import Author
from annotation.models import Release

# By SPDX; another one may be written by hand.
LICENCES = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC0-1.0", "ODC-By-1.0")

MAX_AUTHORS, MAX_KEYWORDS, MAX_ANSWERS = 500, 50, 200
_LINE, _TEXT = 300, 20_000

_ORCID = re.compile(r"[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]")
_SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
_DOI = re.compile(r"10\.[0-9]{4,9}/\S+")
_URL = re.compile(r"https?://[^\s/]+\.?[^\s]*")
_BEFORE_DOI = re.compile(r"^(https?://(dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_BEFORE_ORCID = re.compile(r"^https?://orcid\.org/", re.IGNORECASE)


class DescriptionError(AnnotationError):
    """A release cannot be described so; `field` names what is to be mended."""

    def __init__(self, message: Said, field: str = "") -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Description:
    """What the researcher says of a release."""

    title: str
    summary: str = ""
    authors: tuple[Author, ...] = ()
    licence: str = ""
    url: str = ""
    doi: str = ""
    keywords: tuple[str, ...] = ()
    funding: str = ""
    contact: str = ""
    datasheet: dict[str, str] = field(default_factory=dict)
    # Of what people did, moments to the millisecond; else the day, and how long it took.
    exact_times: bool = False
    # Whether what annotators wrote beside their answers is published.
    comments: bool = False
    # Whether columns of the imported file that nobody was shown are published.
    metadata: bool = False

    @classmethod
    def of_release(cls, release: Release) -> "Description":
        """As a release was described; before there was a choice, metadata were published."""
        return cls.of({"metadata": True, **release.description})

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Description":
        """Read JSON; raises DescriptionError, which says what is to be mended."""
        known = [f.name for f in fields(cls)]
        for name in data:
            if name not in known:
                raise DescriptionError(
                    _("“%(name)s” is not a field of a release; use %(known)s.")
                    % {"name": str(name), "known": ", ".join(known)}
                )
        title = _line(data.get("title", ""), "title")
        if not title:
            raise DescriptionError(_("Title: write the name of the data set."), "title")
        return cls(
            title=title,
            summary=_text(data.get("summary", ""), "summary"),
            authors=_authors(data.get("authors", [])),
            licence=_licence(data.get("licence", "")),
            url=_url(data.get("url", "")),
            doi=_doi(data.get("doi", "")),
            keywords=_keywords(data.get("keywords", [])),
            funding=_text(data.get("funding", ""), "funding"),
            contact=_line(data.get("contact", ""), "contact"),
            datasheet=_datasheet(data.get("datasheet", {})),
            exact_times=_flag(data.get("exact_times", False), "exact_times"),
            comments=_flag(data.get("comments", False), "comments"),
            metadata=_flag(data.get("metadata", False), "metadata"),
        )

    @property
    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "keywords": list(self.keywords), "authors": self._authors_json}

    @property
    def _authors_json(self) -> list[dict[str, str]]:
        return [asdict(author) for author in self.authors]


def authors_of(text: str) -> tuple[Author, ...]:
    """Lines `Name; affiliation; ORCID`, of which all but the name may be left out."""
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, *others = [part.strip() for part in line.split(";")]
        if len(others) > 2:
            raise DescriptionError(
                _("Authors, line %(n)s: write name; affiliation; ORCID, each once.")
                % {"n": number},
                "authors",
            )
        affiliation, orcid = (*others, "", "")[:2]
        rows.append({"name": name, "affiliation": affiliation, "orcid": orcid})
    return _authors(rows)


def author_lines(authors: tuple[Author, ...]) -> str:
    """What `authors_of` reads."""
    lines = []
    for author in authors:
        parts = [author.name, author.affiliation, author.orcid]
        while not parts[-1]:
            parts.pop()
        lines.append("; ".join(parts))
    return "\n".join(lines)


def is_orcid(text: str) -> bool:
    """Sixteen digits of which the last checks the others (ISO 7064, MOD 11-2)."""
    if not _ORCID.fullmatch(text):
        return False
    total = 0
    for digit in text.replace("-", "")[:-1]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return text[-1] == ("X" if check == 10 else str(check))


def _authors(given: Any) -> tuple[Author, ...]:
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise DescriptionError(
            _("Authors: write a list of objects with name, affiliation and orcid."), "authors"
        )
    if not given or len(given) > MAX_AUTHORS:
        raise DescriptionError(
            _("Authors: name 1 to %(most)s people whom others can cite.") % {"most": MAX_AUTHORS},
            "authors",
        )
    authors = []
    for number, entry in enumerate(given, start=1):
        if set(entry) - {"name", "affiliation", "orcid"}:
            raise DescriptionError(
                _("Author %(n)s: use only name, affiliation and orcid.") % {"n": number},
                "authors",
            )
        name = _line(entry.get("name", ""), "authors")
        if not name:
            raise DescriptionError(
                _("Author %(n)s: the name is missing.") % {"n": number}, "authors"
            )
        orcid = _BEFORE_ORCID.sub("", _line(entry.get("orcid", ""), "authors")).upper()
        if orcid and not is_orcid(orcid):
            raise DescriptionError(
                _(
                    "Author %(n)s: %(orcid)s is not a valid ORCID iD. An example is "
                    "0000-0002-1825-0097; the last digit is a checksum."
                )
                % {"n": number, "orcid": orcid},
                "authors",
            )
        authors.append(Author(name, _line(entry.get("affiliation", ""), "authors"), orcid))
    return tuple(authors)


def _flag(given: Any, name: str) -> bool:
    if not isinstance(given, bool):
        raise DescriptionError(_("%(name)s: write true or false.") % {"name": name}, name)
    return given


def _licence(given: Any) -> str:
    licence = _line(given, "licence")
    if licence and not _SPDX.fullmatch(licence):
        raise DescriptionError(
            _(
                "Licence: write its SPDX identifier, such as CC-BY-4.0 "
                "(spdx.org/licenses). For your own licence, write LicenseRef- and a "
                "name."
            ),
            "licence",
        )
    return licence


def _url(given: Any) -> str:
    url = _line(given, "url")
    if url and not _URL.fullmatch(url):
        raise DescriptionError(_("Address: start with https:// or http://."), "url")
    return url


def _doi(given: Any) -> str:
    doi = _BEFORE_DOI.sub("", _line(given, "doi"))
    if doi and not _DOI.fullmatch(doi):
        raise DescriptionError(
            _("DOI: write a number, a slash and a name, such as 10.5281/zenodo.1234567."), "doi"
        )
    return doi


def _keywords(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or len(given) > MAX_KEYWORDS:
        raise DescriptionError(
            _("Keywords: write a list of at most %(most)s.") % {"most": MAX_KEYWORDS}, "keywords"
        )
    words = [_line(keyword, "keywords") for keyword in given]
    return tuple(dict.fromkeys(word for word in words if word))


def _datasheet(given: Any) -> dict[str, str]:
    if not isinstance(given, dict) or len(given) > MAX_ANSWERS:
        raise DescriptionError(
            _("Datasheet: write an object whose keys are the questions' keys."),
            "datasheet",
        )
    answers = {_line(key, "datasheet"): _text(text, "datasheet") for key, text in given.items()}
    return {key: text for key, text in answers.items() if text}


def _line(given: Any, field: str) -> str:
    line = " ".join(_text(given, field).split())
    if len(line) > _LINE:
        raise DescriptionError(
            _("%(field)s: write at most %(most)s characters per line.")
            % {"field": field, "most": _LINE},
            field,
        )
    return line


def _text(given: Any, field: str) -> str:
    if not isinstance(given, str):
        raise DescriptionError(_("%(field)s: write a text.") % {"field": field}, field)
    if len(given) > _TEXT:
        raise DescriptionError(
            _("%(field)s: write at most %(most)s characters.") % {"field": field, "most": _TEXT},
            field,
        )
    if "\x00" in given or any("\ud800" <= character <= "\udfff" for character in given):
        raise DescriptionError(
            _("%(field)s contains a character that cannot be stored (NUL or half of a pair).")
            % {"field": field},
            field,
        )
    return given.replace("\r\n", "\n").replace("\r", "\n").strip()
