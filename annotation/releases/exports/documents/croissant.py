"""`croissant.json`: what a machine reads to know the files, their columns and their types.

It describes the unpacked folder: every file stands beside it.
"""

import json
import re
from typing import Any

from annotation.core.exports.markdown import one_line
from annotation.core.exports.members import Member, Table
from annotation.core.exports.release_facts import Author
from annotation.releases.exports.documents import citation, licences, naming
from annotation.releases.exports.documents.known import KnownFacts
from annotation.releases.exports.documents.questions import personal_in_words

NAME = "croissant.json"
_FORMATS = {
    ".tsv": "text/tab-separated-values",
    ".csv": "text/csv",
    ".json": "application/json",
    ".md": "text/markdown",
    ".tex": "application/x-tex",
    ".bib": "application/x-bibtex",
    ".cff": "application/yaml",
}
TYPES = {"integer": "sc:Integer", "number": "sc:Float", "text": "sc:Text"}
# Names and addresses of the format's terms, as its version 1.0 gives them.
_OWN_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject"),
    *("fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField"),
    *("path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate"),
    *("separator", "source", "subField", "transform"),
)
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in _OWN_TERMS},
}


def croissant(known: KnownFacts) -> str:
    """The file, with the sums of all members so far."""
    facts = known.release
    licence = licences.licence_of(facts)
    document: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.0",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": naming.title(facts),
        "description": facts.summary.strip() or known.about,
        "version": facts.version,
        "datePublished": facts.made_at.date().isoformat(),
        "license": licence.url if licence else "All rights reserved",
        "citeAs": citation.bibtex(facts),
        "creator": [_creator(author) for author in naming.authors(facts)]
        or [{"@type": "sc:Organization", "name": "Anonymous"}],
        "inLanguage": known.language,
        "isLiveDataset": False,
        **({"url": url} if (url := naming.url(facts)) else {}),
        **({"sameAs": f"https://doi.org/{doi}"} if (doi := naming.doi(facts)) else {}),
        **({"keywords": words} if (words := naming.keywords(facts)) else {}),
        **_responsible(known),
        "distribution": [_file(member) for member in known.members],
        "recordSet": [
            _records(member.name, member.table) for member in known.members if member.table
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def set_name(name: str) -> str:
    """Of the records of a file."""
    return name.rpartition(".")[0]


def _creator(author: Author) -> dict[str, Any]:
    person: dict[str, Any] = {"@type": "sc:Person", "name": one_line(author.name)}
    if affiliation := one_line(author.affiliation):
        person["affiliation"] = {"@type": "sc:Organization", "name": affiliation}
    if orcid := naming.orcid(author):
        person["sameAs"] = orcid
    return person


def _file(member: Member) -> dict[str, Any]:
    stem, dot, ending = member.name.rpartition(".")
    return {
        "@type": "cr:FileObject",
        "@id": member.name,
        "name": member.name,
        "contentUrl": member.name,
        "contentSize": f"{member.size} B",
        "encodingFormat": _FORMATS.get(dot + ending if stem else "", "text/plain"),
        "sha256": member.sha256,
    }


def _records(name: str, table: Table) -> dict[str, Any]:
    record_set = set_name(name)
    fields, taken = [], set()
    for number, (column, kind) in enumerate(table.typed, start=1):
        identity = f"{record_set}/{re.sub('[^A-Za-z0-9_.-]+', '_', column.name)}"
        if identity in taken:
            identity = f"{identity}_{number}"
        taken.add(identity)
        fields.append(
            {
                "@type": "cr:Field",
                "@id": identity,
                "name": identity,
                "description": one_line(column.meaning),
                "dataType": TYPES[kind],
                "source": {"fileObject": {"@id": name}, "extract": {"column": column.name}},
            }
        )
    return {
        "@type": "cr:RecordSet",
        "@id": record_set,
        "name": record_set,
        "description": f"The rows of {name}: {table.n_rows:,}.",
        "field": fields,
    }


def _responsible(known: KnownFacts) -> dict[str, Any]:
    """What the format's vocabulary for responsible use asks, as far as it is known."""
    collected = known.collected
    properties: dict[str, Any] = {
        "rai:dataCollection": known.about,
        "rai:dataCollectionType": ["Manual Human Curator" if known.is_of_people else "Others"],
        "rai:dataAnnotationProtocol": known.asked_in_words,
        "rai:dataAnnotationPlatform": collected.platforms_in_words,
        "rai:annotationsPerItem": known.annotations_in_words,
        "rai:dataAnnotationAnalysis": known.agreement_in_words,
        "rai:personalSensitiveInformation": (
            f"{personal_in_words(known, written=str)} Only the authors can say whether the texts"
            " themselves contain personal information."
        ),
        "rai:dataReleaseMaintenancePlan": (
            "Releases are numbered and do not change. The change log in the README lists the"
            " differences between them."
        ),
    }
    if collected.began_at and collected.ended_at:
        properties["rai:dataCollectionTimeframe"] = [
            collected.began_at.date().isoformat(),
            collected.ended_at.date().isoformat(),
        ]
    answers = {
        "rai:dataUseCases": "uses",
        "rai:dataLimitations": "limits",
        "rai:dataSocialImpact": "impact",
        "rai:annotatorDemographics": "who_collected",
    }
    for name, key in answers.items():
        if answer := known.release.datasheet.get(key, "").strip():
            properties[name] = answer
    return properties
