"""Who else uses a study."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.http import Http404
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.sentences import sentence as _
from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, Strict
from annotation.models import StudyShare
from annotation.studies.pages import sharing
from annotation.studies.services import researchers

_MEANING = "Editors do everything but share and delete; readers change nothing and see pseudonyms."


class ColleagueSerializer(serializers.ModelSerializer[StudyShare]):
    username = serializers.CharField(source="user.username")

    class Meta:
        model = StudyShare
        fields = ["username", "role"]
        read_only_fields = fields


class NewColleagueSerializer(Strict):
    username = serializers.CharField(max_length=254, help_text="Or the e-mail address.")
    role = serializers.ChoiceField(
        choices=StudyShare.Role.choices, default=StudyShare.Role.EDITOR, help_text=_MEANING
    )


class RoleSerializer(Strict):
    role = serializers.ChoiceField(choices=StudyShare.Role.choices, help_text=_MEANING)


class Shares(ApiView):
    @operation(
        "shares_list", query=PageQuery, answers={200: paged_of(ColleagueSerializer)}, tag="sharing"
    )
    def get(self, call: ApiCall) -> Response:
        """With whom the study is shared; its owner is not among them."""
        rows = call.study.shares.select_related("user").order_by("user__username")
        return paged(call, rows, lambda page: ColleagueSerializer(page, many=True).data)

    @operation(
        "shares_add",
        body=NewColleagueSerializer,
        answers={201: ColleagueSerializer},
        tag="sharing",
    )
    def post(self, call: ApiCall) -> Response:
        """Let another researcher use the study; only its owner may."""
        call.refuse_others(sharing.ONLY_THE_OWNER)
        user = researchers.share(study=call.study, **call.body)
        call.log(sharing.said_of_role(user, call.body["role"]))
        return Response(_shown(call, user), status=201)


class Share(ApiView):
    @operation(
        "shares_edit", body=RoleSerializer, answers={200: ColleagueSerializer}, tag="sharing"
    )
    def patch(self, call: ApiCall, **ids: Any) -> Response:
        """Say whether a colleague edits or reads; only the owner may."""
        call.refuse_others(sharing.ONLY_THE_OWNER)
        user = _colleague(call, ids["username"])
        researchers.set_role(study=call.study, user=user, role=call.body["role"])
        call.log(sharing.said_of_role(user, call.body["role"]))
        return Response(_shown(call, user))

    @operation("shares_remove", answers={204: None}, tag="sharing")
    def delete(self, call: ApiCall, **ids: Any) -> Response:
        """Take the study, and its pilots, away from somebody; only its owner may."""
        call.refuse_others(sharing.ONLY_THE_OWNER)
        user = _colleague(call, ids["username"])
        researchers.unshare(study=call.study, user=user)
        call.log(_("No longer shared with %(name)s.") % {"name": user.get_username()})
        return Response(status=204)


def _colleague(call: ApiCall, username: str) -> User:
    # No name has this character, and PostgreSQL does not look for it.
    if "\x00" in username:
        raise Http404
    user: Any = get_object_or_404(call.study.shared_with, username=username)
    return cast(User, user)


def _shown(call: ApiCall, user: User) -> Any:
    return ColleagueSerializer(call.study.shares.get(user=user)).data


# -- History ------------------------------------------------------------------------------------
