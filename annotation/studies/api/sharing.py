"""Who else uses a study, how long it keeps who people were, and who did what in it."""

from typing import Any, cast

from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth.models import User
from django.http import Http404
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.sentences import sentence as _
from annotation.core.api.operations import ApiView, Asked, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, Strict
from annotation.core.queries import consents, log_lines
from annotation.core.services import history
from annotation.models import ConsentText, Study, StudyShare
from annotation.people.pages import privacy
from annotation.people.queries import retention as held
from annotation.people.services import retention
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
    def get(self, asked: Asked) -> Response:
        """With whom the study is shared; its owner is not among them."""
        rows = asked.study.shares.select_related("user").order_by("user__username")
        return paged(asked, rows, lambda page: ColleagueSerializer(page, many=True).data)

    @operation(
        "shares_add",
        body=NewColleagueSerializer,
        answers={201: ColleagueSerializer},
        tag="sharing",
    )
    def post(self, asked: Asked) -> Response:
        """Let another researcher use the study; only its owner may."""
        asked.refuse_others(sharing.ONLY_THE_OWNER)
        user = researchers.share(study=asked.study, **asked.body)
        asked.log(sharing.said_of_role(user, asked.body["role"]))
        return Response(_shown(asked, user), status=201)


class Share(ApiView):
    @operation(
        "shares_edit", body=RoleSerializer, answers={200: ColleagueSerializer}, tag="sharing"
    )
    def patch(self, asked: Asked, **ids: Any) -> Response:
        """Say whether a colleague edits or reads; only the owner may."""
        asked.refuse_others(sharing.ONLY_THE_OWNER)
        user = _colleague(asked, ids["username"])
        researchers.set_role(study=asked.study, user=user, role=asked.body["role"])
        asked.log(sharing.said_of_role(user, asked.body["role"]))
        return Response(_shown(asked, user))

    @operation("shares_remove", answers={204: None}, tag="sharing")
    def delete(self, asked: Asked, **ids: Any) -> Response:
        """Take the study, and its pilots, away from somebody; only its owner may."""
        asked.refuse_others(sharing.ONLY_THE_OWNER)
        user = _colleague(asked, ids["username"])
        researchers.unshare(study=asked.study, user=user)
        asked.log(_("No longer shared with %(name)s.") % {"name": user.get_username()})
        return Response(status=204)


def _colleague(asked: Asked, username: str) -> User:
    # No name has this character, and PostgreSQL does not look for it.
    if "\x00" in username:
        raise Http404
    user: Any = get_object_or_404(asked.study.shared_with, username=username)
    return cast(User, user)


def _shown(asked: Asked, user: User) -> Any:
    return ColleagueSerializer(asked.study.shares.get(user=user)).data


# -- Personal data ------------------------------------------------------------------------------


class HeldSerializer(serializers.Serializer[Any]):
    n_people = serializers.IntegerField()
    n_visits = serializers.IntegerField()
    n_messages = serializers.IntegerField()
    n_reminders = serializers.IntegerField()


class ErasureSerializer(serializers.Serializer[Any]):
    began_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    n_people = serializers.IntegerField()
    n_visits = serializers.IntegerField()
    n_messages = serializers.IntegerField()


class RetentionSerializer(serializers.Serializer[Any]):
    days = serializers.IntegerField(
        allow_null=True, help_text="After the end, as this study has it; null: as installed."
    )
    days_in_force = serializers.IntegerField(help_text="0: nothing is erased by itself.")
    due_at = serializers.DateTimeField(allow_null=True)
    is_due = serializers.BooleanField()
    held = HeldSerializer(help_text="How much there is that leads to persons.")
    obstacles = serializers.ListField(
        child=serializers.CharField(), help_text="Why nothing can be erased yet."
    )
    erasures = ErasureSerializer(many=True)


class WantedRetentionSerializer(Strict):
    days = serializers.IntegerField(
        allow_null=True, min_value=1, help_text="Null: as this installation has it."
    )


class Retention(ApiView):
    @operation("retention_read", answers={200: RetentionSerializer}, tag="privacy")
    def get(self, asked: Asked, **ids: Any) -> Response:
        """What the study holds of people, and when that goes."""
        return Response(_retention(asked.study))

    @operation(
        "retention_edit",
        body=WantedRetentionSerializer,
        answers={200: RetentionSerializer},
        tag="privacy",
    )
    def patch(self, asked: Asked, **ids: Any) -> Response:
        """Say for how many days after the end personal data are kept; only the owner may."""
        asked.refuse_others(privacy.ONLY_THE_OWNER)
        study = retention.set_days(study=asked.study, days=asked.body["days"])
        asked.log(privacy.said_of_days(held.days_of(study)))
        return Response(_retention(study))


def _retention(study: Study) -> Any:
    return RetentionSerializer(
        {
            "days": study.retention_days,
            "days_in_force": held.days_of(study),
            "due_at": held.due_at(study),
            "is_due": held.is_due(study),
            "held": held.held(study),
            "obstacles": [str(said) for said in held.obstacles(study)],
            "erasures": study.erasures.all(),
        }
    ).data


class ConsentTextSerializer(serializers.ModelSerializer[ConsentText]):
    n_agreed = serializers.IntegerField(help_text="How many people agreed to this version.")
    first_at = serializers.DateTimeField(allow_null=True)
    last_at = serializers.DateTimeField(allow_null=True)

    class Meta:
        model = ConsentText
        fields = ["version", "text", "created_at", "n_agreed", "first_at", "last_at"]
        read_only_fields = fields


class Consents(ApiView):
    @operation(
        "consents_list",
        query=PageQuery,
        answers={200: paged_of(ConsentTextSerializer)},
        tag="privacy",
    )
    def get(self, asked: Asked) -> Response:
        """The versions of the consent text, the latest first. A new text makes a new version."""
        rows = consents.texts(asked.study)
        return paged(asked, rows, lambda page: ConsentTextSerializer(page, many=True).data)


# -- History ------------------------------------------------------------------------------------

_KINDS = {
    ADDITION: "created",
    CHANGE: "changed",
    DELETION: "deleted",
    history.DOWNLOAD: "downloaded",
}


class LineSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    by = serializers.CharField(help_text="Name of the account.")
    kind = serializers.ChoiceField(choices=[*_KINDS.values()])
    door = serializers.ChoiceField(
        choices=["page", history.API], help_text="Whether a person did it, or a program."
    )
    said = serializers.CharField()


class HistoryQuery(PageQuery):
    by = serializers.CharField(required=False, max_length=150, help_text="Name of the account.")
    kind = serializers.ChoiceField(choices=[*_KINDS.values()], required=False)
    first = serializers.DateField(required=False, help_text="From this day on.")
    last = serializers.DateField(required=False, help_text="Until the end of this day.")
    search = serializers.CharField(
        required=False, max_length=200, help_text="Words of the line, in the caller's language."
    )


class History(ApiView):
    @operation(
        "history_list", query=HistoryQuery, answers={200: paged_of(LineSerializer)}, tag="history"
    )
    def get(self, asked: Asked) -> Response:
        """The audit log of the study, the latest line first."""
        query = asked.query
        entries = log_lines.of_study(asked.study)
        if "by" in query:
            entries = entries.filter(user__username=query["by"])
        numbers = {name: number for number, name in _KINDS.items()}
        wanted = log_lines.Wanted(
            kind=numbers.get(query.get("kind", "")),
            first=query.get("first"),
            last=query.get("last"),
            words=query.get("search", ""),
        )
        found = log_lines.chosen(entries, wanted)
        return paged(asked, found, lambda page: LineSerializer(_lines(page), many=True).data)


def _lines(page: list[LogEntry]) -> list[dict[str, Any]]:
    return [
        {
            "at": line.at,
            "by": line.who,
            "kind": _KINDS.get(entry.action_flag, "changed"),
            "door": history.door_of(entry) or "page",
            "said": line.said,
        }
        for entry, line in zip(page, log_lines.lines(page), strict=True)
    ]
