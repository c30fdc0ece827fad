"""What a study's researchers are told of unasked: rules, channels, alerts, deliveries."""

import uuid
from datetime import datetime

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.basics import sentences
from annotation.models.studies import Study

STALLED_HOURS = 24


class AlertKind(models.TextChoices):
    STALLED = "stalled", pgettext_lazy("alert", "stalled")
    FINISHED = "finished", pgettext_lazy("alert", "all places complete")
    NO_WORKER = "no_worker", pgettext_lazy("alert", "no background worker running")
    SPENDING = "spending", pgettext_lazy("alert", "spending near the cap")
    AGREEMENT = "agreement", pgettext_lazy("alert", "agreement falling")


class AlertRule(models.Model):
    """What a study is watched for, and how far the watching is."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="alert_rule")
    # Without an answer for so long an open study has stalled.
    stalled_hours = models.PositiveIntegerField(
        default=STALLED_HOURS, validators=[MaxValueValidator(24 * 60)]
    )
    # Kinds of alerts that this study does without.
    muted = models.JSONField(default=list)
    # Since when it was seen to be open and to miss people, without a break.
    missing_since = models.DateTimeField(null=True)
    # The latest stored result that was looked at; its key alone, because results may go.
    seen_result = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return f"what {self.study} is watched for"


class AlertChannel(models.Model):
    """Where alerts of one study go: to a researcher's own address, or to a web address."""

    class Kind(models.TextChoices):
        EMAIL = "email", _("e-mail")
        WEBHOOK = "webhook", _("webhook")

    study = models.ForeignKey(Study, models.CASCADE, related_name="alert_channels")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    # The address is that of the account, read when a message goes out.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="alert_channels"
    )
    url = models.CharField(max_length=500, blank=True)
    # What messages are signed with, as `annotation.basics.encryption` stores it; shown once.
    secret = models.CharField(max_length=80, blank=True)
    language = models.CharField(max_length=12, default="en")
    is_on = models.BooleanField(default=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="email", user__isnull=False, url="", secret="")
                | Q(kind="webhook", user__isnull=True) & ~Q(url="") & ~Q(secret=""),
                name="alert_channel_to_user_or_url",
            ),
            models.UniqueConstraint(
                fields=["study", "user"],
                condition=Q(kind="email"),
                name="alert_channel_once_per_user",
            ),
            models.UniqueConstraint(
                fields=["study", "url"],
                condition=Q(kind="webhook"),
                name="alert_channel_once_per_url",
            ),
        ]

    def __str__(self) -> str:
        return self.url if self.user is None else self.user.get_username()


class AlertQuerySet(models.QuerySet["Alert"]):
    def standing(self) -> "AlertQuerySet":
        return self.filter(cleared_at=None)


class Alert(models.Model):
    """A condition that began, and may have ended; while it stands it is not raised again."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="alerts")
    kind = models.CharField(max_length=12, choices=AlertKind.choices)
    # What of the study: a currency with the share of its cap, a phase; empty: all of it.
    subject = models.CharField(max_length=40, blank=True)
    figures = models.JSONField(default=dict)
    raised_at = models.DateTimeField()
    cleared_at = models.DateTimeField(null=True)

    objects = AlertQuerySet.as_manager()

    class Meta:
        ordering = ["-raised_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "kind", "subject"],
                condition=Q(cleared_at=None),
                name="alert_stands_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.study}"


class AlertDeliveryQuerySet(models.QuerySet["AlertDelivery"]):
    def due(self, now: datetime) -> "AlertDeliveryQuerySet":
        return self.filter(state="waiting", next_try_at__lte=now, channel__is_on=True)


class AlertDelivery(models.Model):
    """One message to one channel: of an alert, or a test. Its id is the same in every try."""

    class State(models.TextChoices):
        WAITING = "waiting", pgettext_lazy("message", "waiting")
        SENT = "sent", pgettext_lazy("message", "sent")
        GIVEN_UP = "given_up", pgettext_lazy("message", "given up")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    channel = models.ForeignKey(AlertChannel, models.CASCADE, related_name="deliveries")
    # Null: a test.
    alert = models.ForeignKey(Alert, models.CASCADE, null=True, related_name="deliveries")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    created_at = models.DateTimeField()
    # Not before; whoever sends it moves this ahead first, so that no two do.
    next_try_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    # As `sentences.stored` writes it: why the last try failed.
    error = models.TextField(blank=True)

    objects = AlertDeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["channel", "alert"], name="alert_delivery_once_per_channel"
            ),
            models.CheckConstraint(
                condition=Q(state="sent", sent_at__isnull=False)
                | ~Q(state="sent") & Q(sent_at=None),
                name="alert_delivery_sent_since",
            ),
        ]
        indexes = [models.Index(fields=["state", "next_try_at"], name="alert_delivery_due")]

    def __str__(self) -> str:
        return f"message to {self.channel}"

    @property
    def problem(self) -> str:
        return sentences.read(self.error)
