"""Items that people disagree about, and what experts decide of them."""

from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, Strict
from annotation.kinds.queries import adjudications as queries
from annotation.models import Adjudication, Phase
from annotation.results.pages import adjudications as pages
from annotation.results.services import adjudications

# Of phases and of keys: no database counts further.
_PHASES, _LAST = 100, 2**63 - 1


class AdjudicationSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    item = serializers.CharField(source="item.key")
    phase = serializers.IntegerField(source="phase.number")
    rating = serializers.FloatField(allow_null=True)
    categories = serializers.ListField(child=serializers.CharField())
    said = serializers.SerializerMethodField(help_text="Either of them as pages write it.")
    reason = serializers.CharField()
    by = serializers.CharField(source="by.username")
    made_at = serializers.DateTimeField()
    lifted_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was taken back or replaced; null: it stands."
    )

    def get_said(self, made: Adjudication) -> str:
        return queries.in_words(made, made.study)


class AdjudicationsQuery(PageQuery):
    phase = serializers.IntegerField(required=False, min_value=1, max_value=_PHASES)
    standing = serializers.BooleanField(
        required=False, help_text="Only those that stand, or only those that do not."
    )


class NewAdjudicationSerializer(Strict):
    item = serializers.CharField(max_length=200, help_text="Its id.")
    phase = serializers.IntegerField(default=1, min_value=1, max_value=_PHASES)
    rating = serializers.DecimalField(
        max_digits=8, decimal_places=3, required=False, help_text="Of rating studies."
    )
    categories = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        max_length=100,
        help_text="Of label studies.",
    )
    reason = serializers.CharField(max_length=2000)
    seen = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=_LAST,
        help_text="Id of the adjudication that stood when it was looked at, 0 if none did: where"
        " another stands by now, it is refused. Left out: whatever stands is replaced.",
    )


class AdjudicationList(ApiView):
    @operation(
        "adjudications_list",
        query=AdjudicationsQuery,
        answers={200: paged_of(AdjudicationSerializer)},
        tag="adjudications",
    )
    def get(self, call: ApiCall) -> Response:
        """What experts decided, the latest first, also what was taken back."""
        rows = call.study.adjudications.select_related("item", "phase", "by", "study")
        if "phase" in call.query:
            rows = rows.filter(phase__number=call.query["phase"])
        if "standing" in call.query:
            rows = rows.filter(lifted_at__isnull=call.query["standing"])
        return paged(
            call,
            rows.order_by("-pk"),
            lambda page: AdjudicationSerializer(page, many=True).data,
        )

    @operation(
        "adjudications_decide",
        body=NewAdjudicationSerializer,
        answers={201: AdjudicationSerializer},
        tag="adjudications",
    )
    def post(self, call: ApiCall) -> Response:
        """Decide what an item's value is; the people's judgments are kept beside it."""
        study, given = call.study, call.body
        if refused := adjudications.refusal(study):
            raise StateError(refused)
        item = study.items.filter(key=given["item"]).first()
        phase = Phase.objects.filter(design=study.design, number=given["phase"]).first()
        if item is None or phase is None:
            field = "item" if item is None else "phase"
            message = _("The study has no item or phase with this name: %(name)s.") % {
                "name": str(given[field])
            }
            raise serializers.ValidationError({field: str(message)})
        made = adjudications.adjudicate(
            study=study,
            item=item,
            phase=phase,
            rating=given.get("rating"),
            categories=given.get("categories", ()),
            reason=given["reason"],
            seen=given.get("seen"),
            by=call.user,
        )
        call.log(pages.said_of_decision(study, made))
        return Response(AdjudicationSerializer(made).data, status=201)


class AdjudicationLift(ApiView):
    @operation("adjudications_lift", answers={200: AdjudicationSerializer}, tag="adjudications")
    def post(self, call: ApiCall, **ids: Any) -> Response:
        """Take a decision back: the people's judgments stand again, and that it was, is kept."""
        made = get_object_or_404(
            call.study.adjudications.select_related("item", "phase"), pk=ids["adjudication_id"]
        )
        if made.lifted_at is None:
            made = adjudications.lift(adjudication=made)
            call.log(pages.said_of_lifting(call.study, made))
        return Response(AdjudicationSerializer(made).data)


# -- Disputes -----------------------------------------------------------------------------------


class DisputeSerializer(serializers.Serializer[Any]):
    item = serializers.CharField(source="key")
    n = serializers.IntegerField(help_text="Answers that count.")
    mean = serializers.FloatField(allow_null=True)
    median = serializers.FloatField(allow_null=True)
    sd = serializers.FloatField(allow_null=True)
    majority = serializers.CharField(help_text="What is said most often; empty: nothing is.")
    share = serializers.FloatField(allow_null=True, help_text="Of the most frequent label.")
    adjudication = serializers.IntegerField(
        source="adjudication.pk", allow_null=True, default=None, help_text="That stands."
    )


class DisputesQuery(PageQuery):
    phase = serializers.IntegerField(default=1, min_value=1, max_value=_PHASES)
    undecided = serializers.BooleanField(
        default=False, help_text="Only items that no expert has decided about."
    )


class DisputeList(ApiView):
    @operation(
        "disputes_list",
        query=DisputesQuery,
        answers={200: paged_of(DisputeSerializer)},
        refuses=(409,),
        tag="adjudications",
    )
    def get(self, call: ApiCall) -> Response:
        """The items of one phase, the most disputed first: the queue of an expert."""
        if refused := adjudications.refusal(call.study):
            raise StateError(refused)
        phase = get_object_or_404(Phase, design=call.study.design, number=call.query["phase"])
        rows = pages.ordered(call.study, phase)
        if call.query["undecided"]:
            rows = [row for row in rows if not row.adjudication]
        return paged(call, rows, lambda page: DisputeSerializer(page, many=True).data)
