"""Tokens by which programs of a researcher use the API."""

from datetime import datetime

from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """One program's way in. Only a hash of it is kept: it is shown when it is made, this once."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    key_hash = models.CharField(max_length=64, unique=True)
    # Its first characters, by which its owner knows it again.
    begins = models.CharField(max_length=8)
    can_write = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    # Not valid from then on; None: as long as it is not revoked.
    expires_at = models.DateTimeField(null=True)
    # To the minute.
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["user", "-pk"]

    def __str__(self) -> str:
        return self.name

    def is_valid(self, now: datetime) -> bool:
        return self.expires_at is None or now < self.expires_at
