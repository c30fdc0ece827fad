"""Amounts of money, as people type them."""

import re
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _

_AMOUNT = re.compile(r"[0-9]{1,12}(?:[.,][0-9]{1,2})?")
CURRENCIES = [(code, code) for code in ("EUR", "GBP", "USD")]
_SIGNS = {"EUR": "€", "GBP": "£", "USD": "$"}


class AmountField(forms.DecimalField):
    """To the cent: 12.50 or 12,50, with or without its own currency beside it.

    Nothing else: 1,250 could be either of two sums.
    """

    def __init__(self, *, currency: str = "", **options: Any) -> None:
        options.setdefault("decimal_places", 2)
        options.setdefault(
            "widget",
            forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "size": 12}),
        )
        super().__init__(**options)
        self.currency = currency

    def to_python(self, value: Any) -> Any:
        if value in self.empty_values or isinstance(value, Decimal):
            return super().to_python(value)
        written = str(value).strip()
        for name in filter(None, (self.currency, _SIGNS.get(self.currency, ""))):
            written = written.removeprefix(name).removesuffix(name).strip()
        if not _AMOUNT.fullmatch(written):
            raise forms.ValidationError(
                _(
                    "Enter only the amount, with at most two decimals and no thousands separator,"
                    " such as 1250 or 12.50."
                )
            )
        return Decimal(written.replace(",", "."))
