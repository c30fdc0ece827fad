"""Who came by the open link, from which network, and the classes that were announced."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models.assignments import Assignment
from annotation.models.studies import Study, new_invitation_code


class Announcement(models.Model):
    """A class comes by a link of its own: how many people, from when, until when."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="announcements")
    n_people = models.PositiveIntegerField()
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    # In the link that is given to the class: whoever has only the open link is not of it.
    code = models.CharField(max_length=20, default=new_invitation_code, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")

    class Meta:
        ordering = ["starts_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(ends_at__gt=F("starts_at"), n_people__gt=0),
                name="announcement_of_people_for_a_while",
            )
        ]

    def __str__(self) -> str:
        return f"{self.n_people} people from {self.starts_at:%Y-%m-%d %H:%M}"


class Arrival(models.Model):
    """Somebody took a place by an address that proves nothing: when, and from which network.

    The network is a keyed hash of its address, which is kept for a day. The group is a random name
    for those who came from one network, so that a flood can be looked at as one.
    """

    assignment = models.OneToOneField(Assignment, models.CASCADE, related_name="arrival")
    network = models.CharField(max_length=32, blank=True)
    group = models.CharField(max_length=32, blank=True)
    at = models.DateTimeField()
    # Later than `at` where a place that was given back was taken again.
    taken_at = models.DateTimeField()
    # Beyond what one network may take: by the invitation code, or with an announced class.
    has_code = models.BooleanField(default=False)
    announcement = models.ForeignKey(
        Announcement, models.SET_NULL, null=True, related_name="arrivals"
    )

    class Meta:
        indexes = [
            models.Index(fields=["network", "at"], name="arrival_network"),
            models.Index(fields=["group", "taken_at"], name="arrival_group"),
        ]

    def __str__(self) -> str:
        return f"arrival of {self.assignment}"
