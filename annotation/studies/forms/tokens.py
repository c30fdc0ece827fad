"""A new token of the API."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.core.services.tokens import MAX_DAYS


class TokenForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name of the program"),
        max_length=60,
        help_text=gettext_lazy("Choose a name that tells you later which token to revoke."),
    )
    can_write = forms.TypedChoiceField(
        label=gettext_lazy("The token can"),
        choices=[
            ("0", gettext_lazy("read your studies")),
            ("1", gettext_lazy("read and change your studies")),
        ],
        coerce=lambda value: value == "1",
        initial="0",
    )
    days = forms.IntegerField(
        label=gettext_lazy("Valid for (days)"),
        min_value=1,
        max_value=MAX_DAYS,
        required=False,
        initial=365,
        help_text=gettext_lazy("Leave empty for a token that does not expire."),
    )
