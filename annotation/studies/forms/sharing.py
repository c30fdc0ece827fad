"""With whom a study is shared, and in which role."""

from django import forms
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.models import StudyShare


class ShareForm(forms.Form):
    # The service looks the name up, and says what is wrong with it.
    username = forms.CharField(
        required=False,
        label=gettext_lazy("User name or e-mail address of a colleague"),
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off"}),
    )
    role = forms.ChoiceField(
        label=pgettext_lazy("role", "Role"),
        choices=StudyShare.Role.choices,
        initial=StudyShare.Role.READER,
    )
