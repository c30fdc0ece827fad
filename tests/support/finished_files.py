"""Files of finished answers, imported with the command."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Judgment

MAKE = ("--create", "--owner", "researcher")
TURK = (
    "HITId,AssignmentId,WorkerId,AssignmentStatus,SubmitTime,WorkTimeInSeconds,Input.item1,"
    "Input.item2,Input.item3,Answer.best,Answer.worst,Answer.feedback\r\n"
)


def imported(file: Path, slug: str, file_format: str, *more: str) -> dict[str, Any]:
    out = StringIO()
    call_command(
        *("import_judgments", slug, str(file), "--format", file_format, "--json", *more),
        stdout=out,
        stderr=StringIO(),
    )
    summary: dict[str, Any] = json.loads(out.getvalue())
    return summary


def refused(file: Path, slug: str, file_format: str, *more: str) -> list[str]:
    with pytest.raises(CommandError) as caught:
        imported(file, slug, file_format, *more)
    return str(caught.value).splitlines()


def answers_of(slug: str) -> list[tuple[str, str, str]]:
    rows = Judgment.objects.filter(assignment__annotator__study__slug=slug)
    return [
        (row.assignment.annotator.person.platform_id, row.best.candidate, row.worst.candidate)  # type: ignore[union-attr]
        for row in rows.order_by("pk").select_related("best", "worst")
    ]
