"""After how many days a study's personal data go."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.models import Study


class RetentionForm(forms.Form):
    days = forms.IntegerField(
        label=_("Days from the end of the study to erasure"), required=False, min_value=1
    )

    def __init__(self, study: Study, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.initial = {"days": study.retention_days}
        field = self.fields["days"]
        assert isinstance(field, forms.IntegerField)
        # The service knows the largest one, and says it.
        field.widget.attrs |= {"max": settings.RETENTION_MAX_DAYS, "inputmode": "numeric"}
        field.help_text = (
            _(
                "Leave empty for this installation's default, %(days)s days. Maximum: %(most)s"
                " days."
            )
            % {"days": settings.RETENTION_DAYS, "most": settings.RETENTION_MAX_DAYS}
            if settings.RETENTION_DAYS
            else _("Leave empty to keep the data until somebody erases them. Maximum: %(most)s.")
            % {"most": settings.RETENTION_MAX_DAYS}
        )
