"""What a study holds of people, when that goes, and which consent they gave."""

from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, Strict
from annotation.core.queries import consents
from annotation.core.queries.retention_days import days_of
from annotation.models import ConsentText, Study
from annotation.people.pages import privacy
from annotation.people.queries import retention as held
from annotation.people.services import retention


class HeldSerializer(serializers.Serializer[Any]):
    n_people = serializers.IntegerField()
    n_visits = serializers.IntegerField()
    n_messages = serializers.IntegerField()
    n_reminders = serializers.IntegerField()
    n_texts = serializers.IntegerField(
        help_text="People who wrote something about themselves in their own words."
    )


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
    def get(self, call: ApiCall, **ids: Any) -> Response:
        """What the study holds of people, and when that goes."""
        return Response(_retention(call.study))

    @operation(
        "retention_edit",
        body=WantedRetentionSerializer,
        answers={200: RetentionSerializer},
        tag="privacy",
    )
    def patch(self, call: ApiCall, **ids: Any) -> Response:
        """Say for how many days after the end personal data are kept; only the owner may."""
        call.refuse_others(privacy.ONLY_THE_OWNER)
        study = retention.set_days(study=call.study, days=call.body["days"])
        call.log(privacy.said_of_days(days_of(study)))
        return Response(_retention(study))


def _retention(study: Study) -> Any:
    return RetentionSerializer(
        {
            "days": study.retention_days,
            "days_in_force": days_of(study),
            "due_at": held.due_at(study),
            "is_due": held.is_due(study),
            "held": held.held(study),
            "obstacles": [str(obstacle) for obstacle in held.obstacles(study)],
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
    def get(self, call: ApiCall) -> Response:
        """The versions of the consent text, the latest first. A new text makes a new version."""
        rows = consents.texts(call.study)
        return paged(call, rows, lambda page: ConsentTextSerializer(page, many=True).data)
