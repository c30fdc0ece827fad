"""Prolific's file about participants."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _

MAX_BYTES = 10 * 1024 * 1024


class DemographicsForm(forms.Form):
    file = forms.FileField(label=gettext_lazy("Demographic data, as Prolific exports them (CSV)"))
    merges_rare = forms.BooleanField(
        label=gettext_lazy("Merge values that fewer than 5 people share, to publish the file"),
        required=False,
        initial=True,
    )

    def sent(self) -> bytes:
        """The file. Raises AnnotationError."""
        if not self.is_valid():
            raise AnnotationError(_("Choose the file first."))
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise AnnotationError(
                _("The file is larger than %(n)s MB.") % {"n": MAX_BYTES // 1024 // 1024}
            )
        content: bytes = file.read()
        return content
