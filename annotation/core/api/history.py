"""Who did what in a study."""

from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery
from annotation.core.queries import log_lines
from annotation.models import AuditEvent

# Of a study; what is said of accounts stands in the log of the site.
_KINDS = [kind.value for kind in AuditEvent.Kind if kind != AuditEvent.Kind.ACCOUNT]


class LineSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    by = serializers.CharField(help_text="Name of the account.")
    kind = serializers.ChoiceField(choices=_KINDS)
    door = serializers.ChoiceField(
        choices=["page", AuditEvent.API], help_text="Whether a person did it, or a program."
    )
    said = serializers.CharField()


class HistoryQuery(PageQuery):
    by = serializers.CharField(required=False, max_length=150, help_text="Name of the account.")
    kind = serializers.ChoiceField(choices=_KINDS, required=False)
    first = serializers.DateField(required=False, help_text="From this day on.")
    last = serializers.DateField(required=False, help_text="Until the end of this day.")
    search = serializers.CharField(
        required=False, max_length=200, help_text="Words of the line, in English."
    )


class History(ApiView):
    @operation(
        "history_list", query=HistoryQuery, answers={200: paged_of(LineSerializer)}, tag="history"
    )
    def get(self, call: ApiCall) -> Response:
        """The audit log of the study, the latest line first."""
        query = call.query
        events = log_lines.of_study(call.study)
        if "by" in query:
            events = events.filter(by__username=query["by"])
        wanted = log_lines.LogFilter(
            kind=query.get("kind", ""),
            first=query.get("first"),
            last=query.get("last"),
            words=query.get("search", ""),
        )
        chosen = log_lines.chosen(events, wanted)
        return paged(call, chosen, lambda page: LineSerializer(_lines(page), many=True).data)


def _lines(page: list[AuditEvent]) -> list[dict[str, Any]]:
    return [
        {
            "at": line.at,
            "by": line.who,
            "kind": event.kind,
            "door": event.door or "page",
            "said": line.said,
        }
        for event, line in zip(page, log_lines.lines(page), strict=True)
    ]
