"""The audit log: who did what to a study or to an account."""

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from annotation.basics import clock
from annotation.models.studies import Study


class AuditEvent(models.Model):
    """One line. It is written once; no page changes or deletes it."""

    class Kind(models.TextChoices):
        CREATED = "created", pgettext_lazy("log", "created")
        CHANGED = "changed", pgettext_lazy("log", "changed")
        DELETED = "deleted", pgettext_lazy("log", "deleted")
        DOWNLOADED = "downloaded", pgettext_lazy("log", "downloaded")
        ACCOUNT = "account", pgettext_lazy("log", "account")

    # The door of what was not done by a page.
    API = "api"

    at = models.DateTimeField(default=clock.now)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="audit_events")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    # Which it was stays known after it was deleted.
    study = models.ForeignKey(
        Study, models.DO_NOTHING, null=True, db_constraint=False, related_name="audit_events"
    )
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="events_of_account"
    )
    # What the study or account was called.
    about = models.CharField(max_length=200)
    # As `sentences.stored` writes it, to be said anew in each reader's language.
    said = models.TextField()
    # The sentence without its values; empty of a text that is no sentence.
    template = models.TextField(blank=True)
    # How somebody came who did not come by a page.
    door = models.CharField(max_length=10, blank=True)

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["study", "-at"], name="audit_event_of_study")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.about}"
