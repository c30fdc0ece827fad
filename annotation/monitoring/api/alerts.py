"""What a study is watched for, where its alerts go, and what became of each message.

The secret of a webhook is never answered here: the page shows it, once.
"""

from typing import Any

from django.conf import settings
from django.shortcuts import get_object_or_404
from django.utils import translation
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.public_addresses import MAX_ADDRESS_LENGTH
from annotation.basics.sentences import sentence as _
from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, Strict, Values
from annotation.core.queries.researchers import of_study
from annotation.models import Alert, AlertChannel, AlertDelivery, AlertKind, AlertRule, Study
from annotation.monitoring.queries import alerts as queries
from annotation.monitoring.services import alert_channels


class AlertSerializer(serializers.ModelSerializer[Alert]):
    said = serializers.SerializerMethodField(help_text="In a sentence.")
    figures = serializers.DictField()

    class Meta:
        model = Alert
        fields = ["id", "kind", "subject", "said", "figures", "raised_at", "cleared_at"]
        read_only_fields = fields

    def get_said(self, alert: Alert) -> str:
        return str(queries.said(alert))


class AlertsQuery(PageQuery):
    kind = serializers.ChoiceField(choices=AlertKind.choices, required=False)
    standing = serializers.BooleanField(
        required=False, help_text="Only those that stand now, or only those that have ended."
    )


class AlertList(ApiView):
    @operation(
        "alerts_list", query=AlertsQuery, answers={200: paged_of(AlertSerializer)}, tag="alerts"
    )
    def get(self, call: ApiCall) -> Response:
        """Conditions that began, the latest first; one that stands is not raised again."""
        rows = call.study.alerts.order_by("-raised_at", "-pk")
        if "kind" in call.query:
            rows = rows.filter(kind=call.query["kind"])
        if "standing" in call.query:
            rows = rows.filter(cleared_at__isnull=call.query["standing"])
        return paged(call, rows, lambda page: AlertSerializer(page, many=True).data)


# -- Rules --------------------------------------------------------------------------------------


class RulesSerializer(serializers.Serializer[Any]):
    stalled_hours = serializers.IntegerField()
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=AlertKind.choices))


class WantedRulesSerializer(Strict):
    stalled_hours = serializers.IntegerField(required=False, min_value=1, max_value=24 * 60)
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=AlertKind.choices),
        required=False,
        max_length=len(AlertKind.values),
        help_text="What the study is watched for; of the others nothing is said.",
    )


class AlertRules(ApiView):
    @operation("alert_rules_read", answers={200: RulesSerializer}, tag="alerts")
    def get(self, call: ApiCall, **ids: Any) -> Response:
        """What the study is watched for."""
        return Response(_rules(_rule(call.study)))

    @operation(
        "alert_rules_edit",
        body=WantedRulesSerializer,
        answers={200: RulesSerializer},
        tag="alerts",
    )
    def patch(self, call: ApiCall, **ids: Any) -> Response:
        """Change what the study is watched for; what is left out stays as it is."""
        rule = _rule(call.study)
        kinds = call.body.get("kinds")
        rule = alert_channels.set_rules(
            study=call.study,
            stalled_hours=call.body.get("stalled_hours", rule.stalled_hours),
            muted=rule.muted if kinds is None else {*AlertKind.values} - {*kinds},
            by=call.user,
        )
        return Response(_rules(rule))


def _rule(study: Study) -> AlertRule:
    return AlertRule.objects.filter(study=study).first() or AlertRule(study=study)


def _rules(rule: AlertRule) -> Any:
    kinds = [kind for kind in AlertKind.values if kind not in rule.muted]
    return RulesSerializer({"stalled_hours": rule.stalled_hours, "kinds": kinds}).data


# -- Channels -----------------------------------------------------------------------------------


class ChannelSerializer(serializers.ModelSerializer[AlertChannel]):
    where = serializers.SerializerMethodField(
        help_text="The account that is written to, or the host: an address may hold a secret."
    )

    class Meta:
        model = AlertChannel
        fields = ["id", "kind", "where", "language", "is_on", "created_at"]
        read_only_fields = fields

    def get_where(self, channel: AlertChannel) -> str:
        return alert_channels.name_of(channel)


class NewChannelSerializer(Strict):
    kind = serializers.ChoiceField(choices=AlertChannel.Kind.choices)
    username = serializers.CharField(
        required=False, max_length=150, help_text="Of an e-mail: a researcher of this study."
    )
    url = serializers.CharField(
        required=False, max_length=MAX_ADDRESS_LENGTH, help_text="Of a webhook: https, and public."
    )
    language = serializers.ChoiceField(
        choices=settings.LANGUAGES, required=False, help_text="Of the messages. Left out: English."
    )

    def validate(self, given: Values) -> Values:
        needed, other = (
            ("username", "url")
            if given["kind"] == AlertChannel.Kind.EMAIL
            else ("url", "username")
        )
        if needed not in given:
            sentence = _("This kind of channel needs it.")
            raise serializers.ValidationError({needed: str(sentence)})
        if other in given:
            sentence = _("This kind of channel does not use it.")
            raise serializers.ValidationError({other: str(sentence)})
        return given


class ChannelList(ApiView):
    @operation(
        "alert_channels_list",
        query=PageQuery,
        answers={200: paged_of(ChannelSerializer)},
        tag="alerts",
    )
    def get(self, call: ApiCall) -> Response:
        """Where the alerts go."""
        rows = call.study.alert_channels.select_related("user").order_by("pk")
        return paged(call, rows, lambda page: ChannelSerializer(page, many=True).data)

    @operation(
        "alert_channels_add",
        body=NewChannelSerializer,
        answers={201: ChannelSerializer},
        tag="alerts",
    )
    def post(self, call: ApiCall) -> Response:
        """Write to a researcher of the study, or post to a web address.

        The secret by which a webhook's messages are signed is not answered: press “New signing
        secret” on the page Alerts.
        """
        given = call.body
        language = given.get("language") or translation.get_language() or "en"
        if given["kind"] == AlertChannel.Kind.EMAIL:
            user = of_study(call.study, call.user).filter(username=given["username"]).first()
            if user is None:
                sentence = _("Alerts go only to the owner and editors of this study.")
                raise serializers.ValidationError({"username": str(sentence)})
            made = alert_channels.add_email(
                study=call.study, user=user, language=language, by=call.user
            )
        else:
            made = alert_channels.add_webhook(
                study=call.study, url=given["url"], language=language, by=call.user
            )
        return Response(ChannelSerializer(made).data, status=201)


class SwitchSerializer(Strict):
    is_on = serializers.BooleanField()


class ChannelDetail(ApiView):
    @operation("alert_channels_read", answers={200: ChannelSerializer}, tag="alerts")
    def get(self, call: ApiCall, **ids: Any) -> Response:
        """One channel."""
        return Response(ChannelSerializer(_channel(call, ids)).data)

    @operation(
        "alert_channels_switch",
        body=SwitchSerializer,
        answers={200: ChannelSerializer},
        tag="alerts",
    )
    def patch(self, call: ApiCall, **ids: Any) -> Response:
        """Switch it on or off."""
        channel = _channel(call, ids)
        alert_channels.switch(channel=channel, is_on=call.body["is_on"], by=call.user)
        return Response(ChannelSerializer(channel).data)

    @operation("alert_channels_remove", answers={204: None}, tag="alerts")
    def delete(self, call: ApiCall, **ids: Any) -> Response:
        """Nothing goes there any more."""
        alert_channels.remove(channel=_channel(call, ids), by=call.user)
        return Response(status=204)


def _channel(call: ApiCall, ids: Values) -> AlertChannel:
    channels = call.study.alert_channels.select_related("user")
    return get_object_or_404(channels, pk=ids["channel_id"])


# -- Messages -----------------------------------------------------------------------------------


class MessageSerializer(serializers.ModelSerializer[AlertDelivery]):
    channel = serializers.IntegerField(source="channel_id", read_only=True)
    alert = serializers.IntegerField(
        source="alert_id", allow_null=True, read_only=True, help_text="Null: a test."
    )
    problem = serializers.CharField(help_text="Why the last try failed; empty: it did not.")

    class Meta:
        model = AlertDelivery
        fields = [
            "id",
            "channel",
            "alert",
            "state",
            "created_at",
            "attempts",
            "next_try_at",
            "sent_at",
            "problem",
        ]
        read_only_fields = fields


class ChannelTest(ApiView):
    @operation("alert_channels_test", answers={202: MessageSerializer}, tag="alerts")
    def post(self, call: ApiCall, **ids: Any) -> Response:
        """Have a message sent there that says it is a test; a few times an hour."""
        made = alert_channels.send_test(channel=_channel(call, ids), by=call.user)
        return Response(MessageSerializer(made).data, status=202)


class MessagesQuery(PageQuery):
    channel = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    state = serializers.ChoiceField(choices=AlertDelivery.State.choices, required=False)


class MessageList(ApiView):
    @operation(
        "alert_messages_list",
        query=MessagesQuery,
        answers={200: paged_of(MessageSerializer)},
        tag="alerts",
    )
    def get(self, call: ApiCall) -> Response:
        """What became of each message, the latest first."""
        rows = AlertDelivery.objects.filter(channel__study=call.study)
        if "channel" in call.query:
            rows = rows.filter(channel=call.query["channel"])
        if "state" in call.query:
            rows = rows.filter(state=call.query["state"])
        rows = rows.order_by("-created_at", "pk")
        return paged(call, rows, lambda page: MessageSerializer(page, many=True).data)
