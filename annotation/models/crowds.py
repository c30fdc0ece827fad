"""What a study offers on a crowd platform, and what is asked of the platform: the ledger."""

import secrets
import uuid
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.basics import sentences
from annotation.models.assignments import Visit
from annotation.models.kinds import CrowdPlatform
from annotation.models.studies import Study


def new_launch_token() -> str:
    return secrets.token_urlsafe(12)


class Listing(models.Model):
    """One phase of a study as it is offered on one platform, in one environment."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        PUBLISHING = "publishing", _("publishing")
        PUBLISHED = "published", _("published")
        PAUSED = "paused", _("paused")
        CLOSED = "closed", _("closed")

    study = models.ForeignKey(Study, models.CASCADE, related_name="listings")
    number = models.PositiveIntegerField()
    platform = models.CharField(max_length=20, choices=CrowdPlatform.choices)
    # Production, sandbox, or the name that the operator gave an endpoint; empty for panels.
    environment = models.CharField(max_length=60, blank=True)
    # Where that environment was called when something was first asked for; empty: nothing was.
    endpoint = models.CharField(max_length=300, blank=True)
    phase_number = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=12, choices=State.choices, default=State.DRAFT)
    # In the address that people are sent to.
    token = models.CharField(max_length=40, unique=True, default=new_launch_token)
    # How many visits are asked for; each answers one booklet.
    n_places = models.PositiveIntegerField(default=0)
    reward = models.DecimalField(
        max_digits=8,
        decimal_places=2,
        default=Decimal("0.00"),
        validators=[MinValueValidator(Decimal(0))],
    )
    currency = models.CharField(max_length=3, default="USD")
    # Expected, for the wage per hour that is shown beforehand.
    minutes = models.PositiveIntegerField(default=10)
    # What the platform asks beside that, as its `Options` dataclass writes it.
    options = models.JSONField(default=dict)
    # The platform's own prices, by what is offered, as its adapter reads them.
    quote = models.JSONField(default=dict)
    # A code for each outcome, drawn when the listing is made: nobody guesses one.
    codes = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    # When a poll was last begun or held; null: the next sweep asks.
    polled_at = models.DateTimeField(null=True)
    # When the last poll began that read everything: what came before is known.
    read_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="listing_number_once"),
            models.CheckConstraint(condition=Q(reward__gte=0), name="listing_reward_not_negative"),
            models.CheckConstraint(
                condition=Q(state__in=("draft", "publishing")) | Q(published_at__isnull=False),
                name="listing_published_since",
            ),
        ]

    def __str__(self) -> str:
        return f"listing {self.number} of {self.study}"

    @property
    def submission_realm(self) -> str:
        """Within which the ids of submissions are unique. Panels know nothing of each other."""
        return self.environment or f"listing-{self.pk}"

    @property
    def is_open(self) -> bool:
        """Whether people may be sent here by the platform just now."""
        return self.state in {self.State.PUBLISHED, self.State.PUBLISHING}


class Ticket(models.Model):
    """What was made on the platform: a HIT, or a Prolific study."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        EXPIRED = "expired", _("expired")
        CLOSED = "closed", _("closed")

    listing = models.ForeignKey(Listing, models.PROTECT, related_name="tickets")
    # As the listing has them, so that the database can hold them together.
    platform = models.CharField(max_length=20, choices=CrowdPlatform.choices)
    environment = models.CharField(max_length=60, blank=True)
    remote_id = models.CharField(max_length=100)
    # The platform's name for several of them, such as a HIT type.
    group_id = models.CharField(max_length=100, blank=True)
    n_places = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    # As the platform said last.
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["platform", "environment", "remote_id"], name="ticket_remote_id_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.remote_id} of {self.listing}"


class Budget(models.Model):
    """What a study may spend at most, in one currency; enforced before every intent."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="budgets")
    currency = models.CharField(max_length=3)
    cap = models.DecimalField(max_digits=12, decimal_places=2)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "currency"], name="budget_once_per_currency"),
            models.CheckConstraint(condition=Q(cap__gte=0), name="budget_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.cap} {self.currency} for {self.study}"


class IntentQuerySet(models.QuerySet["Intent"]):
    def standing(self) -> "IntentQuerySet":
        """All but those that are known to have come to nothing."""
        return self.exclude(state__in=(Intent.State.REFUSED, Intent.State.GIVEN_UP))

    def offered(self) -> "IntentQuerySet":
        """As the property of one: see `Intent.is_offered`."""
        return self.filter(
            kind=Intent.Kind.COMPENSATE, state=Intent.State.CONFIRMED, taken_at=None
        )

    def unsettled(self) -> "IntentQuerySet":
        return self.filter(state__in=Intent.UNSETTLED)


class Intent(models.Model):
    """Something that shall happen on a platform, written down before it is asked for.

    It is sent once; what became of it where no answer came is found out by asking.
    """

    # How long a compensation can be accepted on a platform, and a day for clocks that differ.
    OFFERED_FOR = timedelta(days=31)
    # The reason code of what keeps somebody who took part from taking part again.
    TOOK_PART = "done"
    # That of an approval that takes a rejection back.
    OVERTURN = "overturn"

    class Kind(models.TextChoices):
        PUBLISH = "publish", _("publish")
        PAUSE = "pause", _("pause")
        RESUME = "resume", _("resume")
        CLOSE = "close", _("close")
        APPROVE = "approve", _("approve")
        REJECT = "reject", _("reject")
        ASK_RETURN = "ask_return", _("ask to return")
        BONUS = "bonus", _("bonus")
        GRANT = "grant", _("let into the next part")
        REVOKE = "revoke", _("close the next part again")
        MESSAGE = "message", _("message")
        COMPENSATE = "compensate", _("compensation")
        CREDIT = "credit", _("give credit")

    class State(models.TextChoices):
        PLANNED = "planned", _("planned")
        SENDING = "sending", _("sending")
        CONFIRMED = "confirmed", _("confirmed")
        REFUSED = "refused", _("refused")
        AMBIGUOUS = "ambiguous", _("ambiguous")
        NEEDS_PERSON = "needs_person", _("needs a decision")
        # Settled by a person who looked: it did not happen, and shall not.
        GIVEN_UP = "given_up", _("given up")

    UNSETTLED = (State.PLANNED, State.SENDING, State.AMBIGUOUS)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    listing = models.ForeignKey(Listing, models.PROTECT, related_name="intents")
    # Whose work it is about, or which ticket; neither for the first ticket of a listing.
    visit = models.ForeignKey(Visit, models.PROTECT, null=True, related_name="intents")
    ticket = models.ForeignKey(Ticket, models.PROTECT, null=True, related_name="intents")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    # What tells two of a kind apart that may both stand: the reason of a bonus, the n-th HIT.
    reason_code = models.CharField(max_length=60, blank=True)
    # What the platform is told, complete: it is not looked up again when it is sent.
    payload = models.JSONField(default=dict)
    currency = models.CharField(max_length=3)
    # What may be spent because of it and was not foreseen by an earlier one, with fees.
    commits = models.DecimalField(max_digits=12, decimal_places=2, default=Decimal("0.00"))
    # What the person receives by it, and what the platform takes for that.
    pays = models.DecimalField(max_digits=12, decimal_places=2, default=Decimal("0.00"))
    fee = models.DecimalField(max_digits=12, decimal_places=2, default=Decimal("0.00"))
    state = models.CharField(max_length=12, choices=State.choices, default=State.PLANNED)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Whoever holds this sends it; a worker that died leaves it behind.
    lease = models.UUIDField(null=True)
    planned_at = models.DateTimeField()
    first_sent_at = models.DateTimeField(null=True)
    last_sent_at = models.DateTimeField(null=True)
    next_try_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True)
    # When the platform showed that an offer was accepted: a compensation is paid by that alone.
    taken_at = models.DateTimeField(null=True)
    # Of the platform, as soon as it is known: a HIT, a batch of bonuses, a study.
    remote_id = models.CharField(max_length=100, blank=True)
    # Equal payments that the platform already showed before this one was made. Null: not read.
    alike_before = models.PositiveSmallIntegerField(null=True)
    # As `sentences.stored` writes it; to be read as `said`.
    error = models.TextField(blank=True)
    # Null: by the software's own rules, such as the next phase after its pause.
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    # A person's word on how it was settled by hand.
    note = models.TextField(blank=True)

    objects = IntentQuerySet.as_manager()

    class Meta:
        ordering = ["planned_at", "id"]
        constraints = [
            # Nobody is paid twice for the same thing, whatever two people press at once.
            models.UniqueConstraint(
                fields=["visit", "kind", "reason_code"],
                condition=Q(visit__isnull=False) & ~Q(state__in=("refused", "given_up")),
                name="intent_once_per_visit",
            ),
            models.UniqueConstraint(
                fields=["ticket", "kind", "reason_code"],
                condition=Q(visit=None, ticket__isnull=False)
                & ~Q(state__in=("refused", "given_up")),
                name="intent_once_per_ticket",
            ),
            models.UniqueConstraint(
                fields=["listing", "kind", "reason_code"],
                condition=Q(visit=None, ticket=None) & ~Q(state__in=("refused", "given_up")),
                name="intent_once_per_listing",
            ),
            models.CheckConstraint(
                condition=Q(commits__gte=0, pays__gte=0, fee__gte=0),
                name="intent_amounts_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(state="planned", attempts=0)
                | Q(first_sent_at__isnull=False)
                | Q(state__in=("refused", "given_up")),
                name="intent_sent_since",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=("confirmed", "refused", "given_up"))
                | Q(settled_at__isnull=False),
                name="intent_settled_since",
            ),
        ]
        indexes = [models.Index(fields=["state", "next_try_at"], name="intent_unsettled")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.state})"

    @property
    def token(self) -> str:
        """By which the platform knows that it is asked for the same thing again."""
        return self.id.hex

    @property
    def reference(self) -> str:
        """A short form of the same, to be found again in a text that the platform keeps."""
        return self.id.hex[:12]

    @property
    def is_offered(self) -> bool:
        """A compensation that is there to be accepted, and is not known to have been."""
        return (
            self.kind == self.Kind.COMPENSATE
            and self.state == self.State.CONFIRMED
            and self.taken_at is None
        )

    def has_lapsed(self, now: datetime) -> bool:
        """Whether nobody can accept this compensation any more."""
        return (
            self.is_offered
            and self.settled_at is not None
            and now >= self.settled_at + self.OFFERED_FOR
        )

    @property
    def state_label(self) -> str:
        return str(_("offered")) if self.is_offered else self.get_state_display()

    @property
    def what(self) -> str:
        """What is asked for, in the reader's language."""
        if self.kind == self.Kind.GRANT and self.reason_code == self.TOOK_PART:
            # The same request of the platform as for a second part, with the opposite purpose.
            return gettext("keep from further tasks")
        if self.kind == self.Kind.PUBLISH and self.ticket_id:
            return gettext("add places")
        return str(self.get_kind_display())

    @property
    def said(self) -> str:
        """Why it is not confirmed, in the reader's language."""
        return sentences.read(self.error) if self.error else ""


class PlatformEvent(models.Model):
    """What a platform said, as it said it; kept before anything is concluded from it."""

    class Source(models.TextChoices):
        CALL = "call", _("answer to a call")
        POLL = "poll", _("poll")
        WEBHOOK = "webhook", _("webhook")
        LAUNCH = "launch", _("launch")

    listing = models.ForeignKey(Listing, models.CASCADE, null=True, related_name="events")
    visit = models.ForeignKey(Visit, models.PROTECT, null=True, related_name="events")
    intent = models.ForeignKey(Intent, models.PROTECT, null=True, related_name="events")
    source = models.CharField(max_length=10, choices=Source.choices)
    kind = models.CharField(max_length=60)
    # The platform's own id of the event, where it may be told twice.
    event_id = models.CharField(max_length=100, blank=True)
    payload = models.JSONField(default=dict)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["source", "event_id"],
                condition=~Q(event_id=""),
                name="event_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.seen_at:%Y-%m-%d %H:%M:%S}"
