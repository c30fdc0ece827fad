"""The answers of one annotator beside those of the others."""

from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from annotation.core.api.operations import ApiView, Asked, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery
from annotation.people.api.annotators import annotator_of
from annotation.people.queries import person_answer_rows, person_answers


class AskedTextSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(source="key", help_text="Of the item, or of the sentence.")
    text = serializers.CharField()


class SaidTextSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="Of the part of the answer; empty if it has one.")
    text = AskedTextSerializer(allow_null=True)
    value = serializers.CharField()


class OthersChoiceSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField(help_text="Answers of others to the same question.")
    same_best = serializers.IntegerField(allow_null=True)
    same_worst = serializers.IntegerField(allow_null=True)
    same_both = serializers.IntegerField(allow_null=True)
    mean_rating = serializers.FloatField(allow_null=True)
    majority = serializers.ListField(child=serializers.CharField(), allow_null=True)
    majority_share = serializers.FloatField(allow_null=True)
    same_label = serializers.IntegerField(allow_null=True)
    same_picks = serializers.DictField(
        child=serializers.IntegerField(), allow_null=True, help_text="By role."
    )
    disagreement = serializers.FloatField(
        help_text="From 0: distance of the rating from the mean, else a share of at most 1."
    )


class AnswerSerializer(serializers.Serializer[Any]):
    booklet = serializers.IntegerField()
    phase = serializers.IntegerField()
    screen = serializers.IntegerField()
    is_repeat = serializers.BooleanField()
    target = serializers.CharField(
        source="target.text", allow_null=True, default=None, help_text="Common to all texts."
    )
    asked = AskedTextSerializer(many=True)
    answer = SaidTextSerializer(source="said", many=True)
    others = OthersChoiceSerializer(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    usual_seconds = serializers.FloatField(
        source="usual", allow_null=True, help_text="Median of the others."
    )


class AnswersQuery(PageQuery):
    ordering = serializers.ChoiceField(
        choices=person_answer_rows.ORDERS,
        default="asked",
        help_text="As they were asked, or the largest disagreement with the others first.",
    )


class AnnotatorAnswers(ApiView):
    @operation(
        "annotators_answers",
        query=AnswersQuery,
        answers={200: paged_of(AnswerSerializer)},
        tag="people",
    )
    def get(self, call: Asked, **ids: Any) -> Response:
        """The current answers of one annotator beside those of the others; never a name."""
        annotator = annotator_of(call, ids)
        own = person_answers.own_answers(annotator)
        others = person_answers.others_of(annotator, own)
        ordered = person_answer_rows.in_order(call.study, own, others, call.query["ordering"])
        return paged(
            call,
            ordered,
            lambda page: (
                AnswerSerializer(
                    person_answer_rows.answer_rows(call.study, list(page), others), many=True
                ).data
            ),
        )
