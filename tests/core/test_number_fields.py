"""Fields of numbers: what they say of their limits."""

import pytest
from django import forms
from django.utils import translation

from annotation.core.forms.fields import NumberField


class Form(forms.Form):
    share = NumberField(min_value=0.000001, max_value=0.5)


@pytest.mark.parametrize(("language", "limit"), [("en", "0.5"), ("de", "0,5")])
def test_an_error_says_a_limit_as_the_language_writes_numbers(language: str, limit: str) -> None:
    with translation.override(language):
        form = Form({"share": "0.7"})

        (error,) = form.errors["share"]

    assert f" {limit}" in error


def test_a_small_limit_is_written_out() -> None:
    (error,) = Form({"share": "0"}).errors["share"]

    assert "0.000001" in error
