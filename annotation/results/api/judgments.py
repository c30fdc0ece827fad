"""Judgments as a stream, on from where one stopped; a comment beside one is blanked."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.response import Response

from annotation.answering.services import withdrawal
from annotation.basics import tables
from annotation.basics.cells import Cell, as_json
from annotation.core.api.operations import ApiView, Asked, operation
from annotation.core.api.serializing import PopulationQuery
from annotation.models import Judgment
from annotation.people.pages.person import said_of_blanking
from annotation.results.queries import judgment_stream
from annotation.results.queries.judgment_stream import NAMES, JudgmentFilter

# No database counts further.
_LAST = 2**63 - 1
TYPES = {"ndjson": "application/x-ndjson", "tsv": "text/tab-separated-values"}


class JudgmentsQuery(PopulationQuery):
    type = serializers.ChoiceField(
        choices=[*TYPES], default="ndjson", help_text="A JSON object a line, or a table."
    )
    versions = serializers.ChoiceField(
        choices=["current", "all"],
        default="current",
        help_text="all: also what people changed later, without its comments.",
    )
    checks = serializers.BooleanField(default=False, help_text="Also answers to checks.")
    after = serializers.IntegerField(
        min_value=0,
        max_value=_LAST,
        default=0,
        help_text="Only answers stored after the one with this `id`.",
    )
    limit = serializers.IntegerField(
        min_value=1, max_value=_LAST, required=False, help_text="At most so many."
    )


class Judgments(ApiView):
    @operation(
        "judgments_stream",
        query=JudgmentsQuery,
        answers={(200, media): OpenApiTypes.STR for media in TYPES.values()},
        tag="judgments",
    )
    def get(self, call: Asked) -> StreamingHttpResponse:
        """Complete answers in the order of storing; those withdrawn are left out.

        To go on later, name the greatest `id` that you have as `after`. An answer that was on its
        way meanwhile may be stored before that one: for the whole, ask once more when the study
        is closed.
        """
        query = call.query
        rows = judgment_stream.rows(
            call.study,
            JudgmentFilter(
                population=query["population"],
                all_versions=query["versions"] == "all",
                with_checks=query["checks"],
                after=query["after"],
                limit=query.get("limit"),
            ),
        )
        # Whoever goes on from where they were need not be written down each time.
        call.hand_out("judgments", goes_on=query["after"] > 0)
        lines = _table(rows) if query["type"] == "tsv" else (as_json(row) + "\n" for row in rows)
        response = StreamingHttpResponse(
            lines, content_type=f"{TYPES[query['type']]}; charset=utf-8"
        )
        # A proxy that waits for the whole of it would need the memory that is saved here.
        response["X-Accel-Buffering"] = "no"
        return response


class BlankedCommentSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(help_text="Of the answer, as before.")
    comment = serializers.CharField(help_text="What stands there now.")


class CommentBlank(ApiView):
    @operation("judgments_blank_comment", answers={200: BlankedCommentSerializer}, tag="judgments")
    def post(self, call: Asked, **ids: Any) -> Response:
        """Erase what somebody wrote beside an answer, such as a name. It cannot be undone.

        The answer itself stays, and counts as before. Files and releases that were made before
        keep the comment.
        """
        rows = Judgment.objects.select_related(
            "assignment__annotator", "assignment__booklet", "question"
        )
        judgment = get_object_or_404(
            rows, pk=ids["judgment_id"], assignment__annotator__study=call.study
        )
        withdrawal.blank_comment(annotator=judgment.assignment.annotator, judgment=judgment.pk)
        call.log(said_of_blanking(judgment))
        judgment.refresh_from_db(fields=["comment"])
        answer = {"id": judgment.pk, "comment": judgment.comment}
        return Response(BlankedCommentSerializer(answer).data)


def _table(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    cells = ([_cell(row[name]) for name in NAMES] for row in rows)
    return tables.lines(chain([list(NAMES)], cells))


def _cell(value: Any) -> Cell:
    if isinstance(value, list):
        return as_json(value) if value else ""
    cell: Cell = value
    return cell
