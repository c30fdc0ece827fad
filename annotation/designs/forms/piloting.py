"""The form for the size of a pilot."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

# A tenth, but enough to see something in.
_SHARE, _USUAL = 10, 5


class PilotForm(forms.Form):
    """How many parts of the study the pilot has; its own design has the other numbers."""

    n_parts = forms.IntegerField(label=gettext_lazy("Number to draw"))

    def __init__(self, n_there: int, fewest: int, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        usual = min(max(n_there // _SHARE, _USUAL, fewest), n_there)
        field = self.fields["n_parts"]
        assert isinstance(field, forms.IntegerField)
        field.initial = usual
        field.help_text = _(
            "There are %(n)s to draw from. The design's seed determines the draw."
        ) % {"n": n_there}
        field.widget.attrs.update(min=fewest, max=n_there)
