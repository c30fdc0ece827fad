"""The open link: its invitation code, and the classes that were announced."""

from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from annotation.answering.services import join_limits
from annotation.core.api.operations import ApiView, Asked, operation
from annotation.core.api.serializing import Strict
from annotation.crowds.pages import collecting
from annotation.models import Announcement


class InvitationSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    url = serializers.URLField(help_text="The open link with the code in it.")
    joins_per_network = serializers.IntegerField(
        help_text="How many may join from one network in an hour without the code."
    )


class Invitation(ApiView):
    @operation("invitation_read", answers={200: InvitationSerializer}, tag="people")
    def get(self, call: Asked, **ids: Any) -> Response:
        """By which code anybody may join, also from a network from which many have."""
        return _invitation(call)

    @operation("invitation_renew", answers={201: InvitationSerializer}, tag="people")
    def post(self, call: Asked, **ids: Any) -> Response:
        """A new code; the one before lets nobody in any more."""
        join_limits.renew_code(study=call.study)
        call.log(collecting.RENEWED)
        return _invitation(call, status=201)


def _invitation(call: Asked, *, status: int = 200) -> Response:
    study = call.study
    study.refresh_from_db()
    answer = {
        "code": join_limits.code_shown(study),
        "url": collecting.invitation_url(call.request, study),
        "joins_per_network": join_limits.limit_of(study),
    }
    return Response(InvitationSerializer(answer).data, status=status)


class AnnouncementSerializer(serializers.ModelSerializer[Announcement]):
    by = serializers.CharField(source="by.username")
    url = serializers.SerializerMethodField(help_text="The link to give to the class.")
    n_came = serializers.IntegerField(help_text="Who were let in by it so far.")

    class Meta:
        model = Announcement
        fields = ["id", "n_people", "starts_at", "ends_at", "by", "url", "n_came"]
        read_only_fields = fields

    def get_url(self, announced: Announcement) -> str:
        return collecting.class_url(self.context["request"], announced)


class NewAnnouncementSerializer(Strict):
    n_people = serializers.IntegerField(min_value=1, max_value=join_limits.MAX_PEOPLE)
    starts_at = serializers.DateTimeField()
    hours = serializers.IntegerField(min_value=1, max_value=join_limits.MAX_HOURS)


class AnnouncementList(ApiView):
    @operation(
        "announcements_list", answers={200: AnnouncementSerializer(many=True)}, tag="people"
    )
    def get(self, call: Asked, **ids: Any) -> Response:
        """Classes that come or are here."""
        rows = join_limits.standing(call.study)
        return Response(_announcements(call, rows, many=True).data)

    @operation(
        "announcements_add",
        body=NewAnnouncementSerializer,
        answers={201: AnnouncementSerializer},
        tag="people",
    )
    def post(self, call: Asked, **ids: Any) -> Response:
        """Announce a class that comes from one network by a link of its own."""
        announced = join_limits.announce(study=call.study, by=call.user, **call.body)
        call.log(collecting.said_of_announcement(announced))
        row = join_limits.standing(call.study).get(pk=announced.pk)
        return Response(_announcements(call, row).data, status=201)


def _announcements(call: Asked, rows: Any, *, many: bool = False) -> Any:
    return AnnouncementSerializer(rows, many=many, context={"request": call.request})


class AnnouncementDetail(ApiView):
    @operation("announcements_cancel", answers={204: None}, tag="people")
    def delete(self, call: Asked, **ids: Any) -> Response:
        """Let nobody more in by it."""
        announced = get_object_or_404(call.study.announcements, pk=ids["announcement_id"])
        sentence = collecting.said_of_cancelling(announced)
        join_limits.cancel(announcement=announced)
        call.log(sentence)
        return Response(status=204)
