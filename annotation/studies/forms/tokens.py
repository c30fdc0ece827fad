"""A new token of the API."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.core.services.tokens import MAX_DAYS


class TokenForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("For which program"),
        max_length=60,
        help_text=gettext_lazy("In your words, so that you know later what to revoke."),
    )
    can_write = forms.TypedChoiceField(
        label=gettext_lazy("It may"),
        choices=[
            ("0", gettext_lazy("read your studies")),
            ("1", gettext_lazy("do whatever you may do with them")),
        ],
        coerce=lambda value: value == "1",
        initial="0",
    )
    days = forms.IntegerField(
        label=gettext_lazy("Valid for so many days"),
        min_value=1,
        max_value=MAX_DAYS,
        required=False,
        initial=365,
        help_text=gettext_lazy("Empty: until you revoke it."),
    )
