"""Pilots: parts of a draft, tried in studies of their own."""

from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.sentences import sentence as _
from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, Strict
from annotation.core.queries import counted_answers
from annotation.designs.pages import piloting
from annotation.designs.services import pilots
from annotation.kinds.design_parameters import ImpossibleParametersError
from annotation.models import AuditEvent, Study
from annotation.studies.pages import creating


class PilotSerializer(serializers.ModelSerializer[Study]):
    n_judgments = serializers.SerializerMethodField(help_text="What its people answered.")
    n_changed_texts = serializers.SerializerMethodField(
        help_text="How many texts it words differently than its study."
    )

    class Meta:
        model = Study
        fields = ["slug", "title", "state", "created_at", "n_judgments", "n_changed_texts"]
        read_only_fields = fields

    def get_n_judgments(self, pilot: Study) -> int:
        return counted_answers.judgments_of(pilot, "people").current().count()

    def get_n_changed_texts(self, pilot: Study) -> int:
        assert pilot.pilot_of is not None  # they are looked for by it
        return len(pilots.changed_texts(pilot.pilot_of, pilot))


class NewPilotSerializer(Strict):
    n_parts = serializers.IntegerField(
        min_value=1,
        max_value=1_000_000,
        help_text="How many dialogues, groups, items or incidents are drawn, from the seed.",
    )


class PilotList(ApiView):
    @operation(
        "pilots_list", query=PageQuery, answers={200: paged_of(PilotSerializer)}, tag="pilots"
    )
    def get(self, call: ApiCall) -> Response:
        """The pilots of the study. Each is a study of its own, under its slug."""
        rows = _pilots(call).select_related("pilot_of").order_by("pk")
        return paged(call, rows, lambda page: PilotSerializer(page, many=True).data)

    @operation(
        "pilots_make", body=NewPilotSerializer, answers={201: PilotSerializer}, tag="pilots"
    )
    def post(self, call: ApiCall) -> Response:
        """Draw a part of the draft into a study of its own, with its texts and numbers."""
        try:
            pilot = pilots.begin(study=call.study, n_parts=call.body["n_parts"])
        except ImpossibleParametersError as error:
            raise serializers.ValidationError({"n_parts": error.message}) from error
        call.log(_("Created %(pilot)s.") % {"pilot": pilot.title})
        call.log(creating.CREATED, study=pilot, kind=AuditEvent.Kind.CREATED)
        return Response(PilotSerializer(pilot).data, status=201)


class ChangedTextSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="field", help_text="Its name, as a study has it.")
    name = serializers.CharField(source="label", help_text="In words.")
    here = serializers.JSONField(help_text="As the study has it.")
    there = serializers.JSONField(help_text="As the pilot has it.")


class ChangedTextsSerializer(serializers.Serializer[Any]):
    texts = ChangedTextSerializer(many=True)


class TakenTextsSerializer(Strict):
    texts = serializers.ListField(
        child=serializers.ChoiceField(choices=[*pilots.TEXTS]), max_length=len(pilots.TEXTS)
    )


class PilotTexts(ApiView):
    @operation("pilots_texts", answers={200: ChangedTextsSerializer}, tag="pilots")
    def get(self, call: ApiCall, **ids: Any) -> Response:
        """What the pilot words differently than the study does now."""
        changed = pilots.changed_texts(call.study, _pilot(call, ids))
        return Response(ChangedTextsSerializer({"texts": changed}).data)

    @operation(
        "pilots_take_texts",
        body=TakenTextsSerializer,
        answers={200: ChangedTextsSerializer},
        tag="pilots",
    )
    def post(self, call: ApiCall, **ids: Any) -> Response:
        """Word texts of the draft as the pilot does; the answer has those that were taken."""
        pilot = _pilot(call, ids)
        taken = pilots.take_texts(study=call.study, pilot=pilot, names=call.body["texts"])
        call.log(piloting.said_of_taken(pilot, taken))
        return Response(ChangedTextsSerializer({"texts": taken}).data)


def _pilots(call: ApiCall) -> Any:
    return Study.objects.seen_by(call.user).filter(pilot_of=call.study)


def _pilot(call: ApiCall, ids: dict[str, Any]) -> Study:
    pilot: Study = get_object_or_404(_pilots(call), slug=ids["pilot"])
    return pilot
