"""What a study is watched for, and where its alerts go."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from annotation.basics.public_addresses import MAX_ADDRESS_LENGTH
from annotation.core.queries.researchers import of_study
from annotation.models import AlertKind, AlertRule, Study


class RulesForm(forms.Form):
    """Thresholds, and the kinds of alerts a study has."""

    stalled_hours = forms.IntegerField(
        label=_("Hours without an answer before the study counts as stalled"),
        min_value=1,
        max_value=24 * 60,
        widget=forms.NumberInput(attrs={"autocomplete": "off"}),
    )
    kinds = forms.MultipleChoiceField(
        label=_("Alerts to raise"),
        choices=AlertKind.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, rule: AlertRule, data: Any = None) -> None:
        watched = [kind for kind in AlertKind.values if kind not in rule.muted]
        super().__init__(
            data, initial={"stalled_hours": rule.stalled_hours, "kinds": watched}, prefix="rules"
        )


class _Researcher(forms.ModelChoiceField):  # type: ignore[type-arg] # generic in the stubs only
    def label_from_instance(self, obj: Any) -> str:
        name = obj.get_username()
        # Gettext's programs do not read the inside of an f-string.
        email = obj.email or _("no e-mail address")
        return f"{name} ({email})"


class EmailForm(forms.Form):
    """Whom of the study's researchers to write to, and in which language."""

    user = _Researcher(label=_("Researcher"), queryset=User.objects.none())
    language = forms.ChoiceField(label=_("Language of the messages"), choices=settings.LANGUAGES)

    def __init__(self, study: Study, user: User, data: Any = None, language: str = "en") -> None:
        super().__init__(data, initial={"user": user, "language": language}, prefix="email")
        self.fields["user"].queryset = of_study(study, user)  # type: ignore[attr-defined]


class WebhookForm(forms.Form):
    url = forms.CharField(
        label=_("Address"),
        max_length=MAX_ADDRESS_LENGTH,
        help_text=_("It must begin with https:// and be on the public internet."),
        widget=forms.TextInput(
            attrs={"class": "vTextField", "autocomplete": "off", "inputmode": "url"}
        ),
    )
    language = forms.ChoiceField(label=_("Language of the messages"), choices=settings.LANGUAGES)

    def __init__(self, data: Any = None, language: str = "en") -> None:
        super().__init__(data, initial={"language": language}, prefix="webhook")
