"""A class that comes by the open link."""

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.answering.services.join_limits import MAX_HOURS, MAX_PEOPLE
from annotation.basics import clock


class AnnouncementForm(forms.Form):
    """How many people come, from when, and for how long."""

    n_people = forms.IntegerField(label=_("People"), min_value=1, max_value=MAX_PEOPLE)
    starts_at = forms.DateTimeField(
        label=_("From"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    hours = forms.IntegerField(label=_("Hours"), min_value=1, max_value=MAX_HOURS)

    def __init__(self, data: Any = None) -> None:
        now = timezone.localtime(clock.now()).replace(second=0, microsecond=0)
        super().__init__(data, initial={"starts_at": now, "hours": 2})
        self.fields["starts_at"].help_text = _("Time zone: %(zone)s.") % {
            "zone": timezone.get_current_timezone_name()
        }
