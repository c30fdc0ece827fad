"""Which lines of the audit log are to be seen."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.core.queries.log_lines import LogFilter
from annotation.models import AuditEvent, Study


class LogForm(forms.Form):
    who = forms.ModelChoiceField(
        label=_("Person"), queryset=User.objects.none(), required=False, empty_label=_("everybody")
    )
    study = forms.ModelChoiceField(
        label=_("Study"), queryset=Study.objects.none(), required=False, empty_label=_("all")
    )
    kind = forms.ChoiceField(
        label=_("Kind"), choices=[("", _("all")), *AuditEvent.Kind.choices], required=False
    )
    first = forms.DateField(
        label=_("From"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    last = forms.DateField(
        label=_("Until"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    words = forms.CharField(label=_("Search text"), required=False, max_length=200)

    def __init__(
        self,
        data: Any,
        people: QuerySet[User],
        studies: QuerySet[Study] | None = None,
        *,
        has_accounts: bool = True,
    ) -> None:
        """`studies`: among which to choose; none if all lines are of one or of an account.

        `has_accounts`: whether lines about accounts are among them.
        """
        super().__init__(data, label_suffix="")
        if not has_accounts:
            kinds: Any = self.fields["kind"]
            kinds.choices = [kind for kind in kinds.choices if kind[0] != AuditEvent.Kind.ACCOUNT]
        self.fields["who"].queryset = people  # type: ignore[attr-defined] # of a choice of models
        if studies is None:
            del self.fields["study"]
        else:
            self.fields["study"].queryset = studies  # type: ignore[attr-defined] # the same

    @property
    def wanted(self) -> LogFilter:
        """What was understood; a field that was not says so beside itself."""
        self.is_valid()
        given = self.cleaned_data
        return LogFilter(
            user=given.get("who"),
            study=given.get("study"),
            kind=given.get("kind", ""),
            first=given.get("first"),
            last=given.get("last"),
            words=given.get("words", ""),
        )
