"""Personal links that were sent by e-mail: when, or why not; never a key, never an address."""

from django.db import models
from django.db.models import Q

from annotation.basics import sentences
from annotation.models.jobs import Job
from annotation.models.people import Annotator


class LinkMessage(models.Model):
    """One message with somebody's personal link, as one job sends it."""

    class State(models.TextChoices):
        WAITING = "waiting"
        # Claimed by a worker. Where that worker died, nobody knows whether it was sent.
        SENDING = "sending"
        SENT = "sent"
        FAILED = "failed"

    job = models.ForeignKey(Job, models.CASCADE, related_name="link_messages")
    annotator = models.ForeignKey(Annotator, models.CASCADE, related_name="link_messages")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    sent_at = models.DateTimeField(null=True)
    # As `sentences.stored` writes it; it quotes no address.
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["job", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["job", "annotator"], name="link_message_once_per_job"),
            models.CheckConstraint(
                condition=Q(state="sent", sent_at__isnull=False)
                | ~Q(state="sent") & Q(sent_at=None),
                name="link_message_sent_since",
            ),
        ]

    def __str__(self) -> str:
        return f"link of {self.annotator} ({self.state})"

    @property
    def problem(self) -> str:
        """Why it was not sent, in the reader's language."""
        return sentences.read(self.error)
