"""Inviting a researcher: a name and an e-mail address."""

from django import forms
from django.utils.translation import gettext_lazy


class InvitationForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "class": "vTextField"}),
    )
    email = forms.EmailField(
        label=gettext_lazy("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off", "class": "vTextField"}),
    )
