"""Prolific's file about participants, by the pseudonyms of a study; nothing of it is stored.

Its columns are those of the file that Prolific's page of a study exports: ids, states and times of
a submission, then a column for each fact about the person.
"""

import csv
import io
import re
from collections.abc import Mapping

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.models import Study
from annotation.models.kinds import CrowdPlatform
from annotation.questionnaires.queries import published

_PERSON = "Participant id"
# About a submission, and not about who made it.
_OF_SUBMISSION = frozenset(
    {
        "Submission id",
        _PERSON,
        "Status",
        "Custom study tncs accepted at",
        "Started at",
        "Completed at",
        "Reviewed at",
        "Archived at",
        "Time taken",
        "Completion code",
        "Total approvals",
    }
)
# What stands there of somebody who has not said it, or takes it back.
_NOT_SAID = frozenset({"", "DATA_EXPIRED", "CONSENT_REVOKED"})
MAX_ROWS = 20_000


def by_pseudonym(study: Study, file: bytes, *, merges_rare: bool) -> list[list[str]]:
    """The header and a row for each person of the study whom the file names.

    `merges_rare`: no value stands there that fewer than `published.MIN_PEOPLE` of them share.
    Raises AnnotationError with what is wrong with the file.
    """
    header, rows = _read(file)
    pseudonyms = dict(
        study.annotators.filter(person__platform=CrowdPlatform.PROLIFIC).values_list(
            "person__platform_id", "pseudonym"
        )
    )
    # Of somebody who came twice, what was said last.
    known = {pseudonyms[row[_PERSON]]: row for row in rows if row.get(_PERSON, "") in pseudonyms}
    if not known:
        raise AnnotationError(_("Nobody in this file took part in this study through Prolific."))
    facts = [name for name in header if name and name not in _OF_SUBMISSION]
    people = sorted(known)
    columns = [_cells([known[who][name] for who in people], merges_rare) for name in facts]
    names = [re.sub(r"\W+", "_", name.strip().lower()).strip("_") for name in facts]
    return [
        ["annotator", *names],
        *([who, *(cells[place] for cells in columns)] for place, who in enumerate(people)),
    ]


def _read(file: bytes) -> tuple[list[str], list[Mapping[str, str]]]:
    try:
        reader = csv.DictReader(io.StringIO(file.decode("utf-8-sig"), newline=""), restval="")
        rows: list[Mapping[str, str]] = [
            row for row, _n in zip(reader, range(MAX_ROWS + 1), strict=False)
        ]
        header = list(reader.fieldnames or [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise AnnotationError(
            _("This is not a CSV file in UTF-8. Export it again on Prolific.")
        ) from error
    if _PERSON not in header:
        raise AnnotationError(
            _("The column “%(name)s” is missing. Export the demographic data on Prolific.")
            % {"name": _PERSON}
        )
    if len(set(header)) < len(header) or len(rows) > MAX_ROWS:
        raise AnnotationError(
            _("This file has two columns with the same name, or more than %(n)s rows.")
            % {"n": MAX_ROWS}
        )
    return header, rows


def _cells(values: list[str], merges_rare: bool) -> list[str]:
    facts = {
        place: value.strip()
        for place, value in enumerate(values)
        if value.strip() not in _NOT_SAID
    }
    if merges_rare:
        is_number = bool(facts) and all(
            re.fullmatch(r"\d{1,9}", value) for value in facts.values()
        )
        texts = published.ranges(facts) if is_number else facts
        shown = published.merged({place: texts.get(place, "") for place in range(len(values))})
        return [shown[place] for place in range(len(values))]
    return [facts.get(place, "") for place in range(len(values))]
