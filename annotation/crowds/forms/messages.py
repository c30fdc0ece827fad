"""A message to the person of a visit."""

from django import forms
from django.utils.translation import gettext_lazy

# The shortest limit of a platform: that of Mechanical Turk's API.
MAX_MESSAGE_LENGTH = 4_000


class MessageForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Message"),
        max_length=MAX_MESSAGE_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4, "class": "vLargeTextField"}),
        help_text=gettext_lazy("The person reads it on the platform. Write no personal data."),
    )
    number = forms.IntegerField(min_value=1, max_value=1_000_000, widget=forms.HiddenInput)
