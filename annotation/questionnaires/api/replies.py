"""What people answered about themselves, by pseudonym."""

from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, PopulationQuery
from annotation.core.queries.counted_answers import SOURCES
from annotation.models import QuestionnaireReply


class RepliesQuery(PageQuery, PopulationQuery):
    """Of people, or of the simulated ones."""


class ReplySerializer(serializers.Serializer[Any]):
    annotator = serializers.CharField(source="annotator.pseudonym")
    moment = serializers.ChoiceField(choices=QuestionnaireReply.Moment.choices)
    values = serializers.DictField(
        help_text="By key of the question: text, a number, a code, several, or codes by row."
    )
    declined = serializers.ListField(
        child=serializers.CharField(),
        help_text="Keys of the questions that they preferred not to answer.",
    )
    screened_out = serializers.BooleanField(help_text="An answer has ended the study for them.")
    completed_at = serializers.DateTimeField()


class ReplyList(ApiView):
    @operation(
        "questionnaire_replies_list",
        query=RepliesQuery,
        answers={200: paged_of(ReplySerializer)},
        tag="people",
    )
    def get(self, call: ApiCall) -> Response:
        """Completed questionnaires, the earliest first; those of whoever withdrew are deleted."""
        replies = QuestionnaireReply.objects.filter(
            annotator__study=call.study,
            annotator__source__in=SOURCES[call.query["population"]],
            completed_at__isnull=False,
        )
        call.hand_out("questionnaire replies", goes_on=call.query["page"] > 1)
        return paged(
            call,
            replies.select_related("annotator").order_by("completed_at", "pk"),
            lambda page: ReplySerializer(page, many=True).data,
        )
