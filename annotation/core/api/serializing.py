"""What is read strictly: a name that is ignored would leave the caller with something else."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.core.forms.fields import LongText
from annotation.core.queries.counted_answers import POPULATIONS

Values = dict[str, Any]


class Strict(serializers.Serializer[Any]):
    """Refuses names that it does not know."""

    def to_internal_value(self, data: Any) -> Values:
        unknown = sorted({*map(str, data)} - {*self.fields}) if isinstance(data, Mapping) else []
        if unknown:
            known = ", ".join(self.fields) or _("none")
            message = _("There is no such parameter. You can use: %(names)s.")
            raise serializers.ValidationError(
                {name[:100]: [message % {"names": known}] for name in unknown}
            )
        values: Values = super().to_internal_value(data)
        return values


class Nothing(Strict):
    """Nothing may be said."""


class PageQuery(Strict):
    page = serializers.IntegerField(min_value=1, default=1, help_text="Counted from 1.")
    page_size = serializers.IntegerField(
        min_value=1, max_value=200, default=50, help_text="How many are on a page."
    )


class PopulationQuery(Strict):
    population = serializers.ChoiceField(
        choices=POPULATIONS,
        default="people",
        help_text="Whose answers: of people (real and imported) or simulated ones; never both.",
    )


def fields_of(
    *form_classes: type[forms.Form], without: tuple[str, ...] = ()
) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
    """Fields of a serializer for those of forms, which keep the rules; none has to be given."""
    fields: dict[str, serializers.Field[Any, Any, Any, Any]] = {}
    for form_class in form_classes:
        for name, field in form_class.base_fields.items():
            if name not in fields and name not in without:
                fields[name] = _field_of(field)
    return fields


def _field_of(field: Any) -> serializers.Field[Any, Any, Any, Any]:
    options: Values = {"required": False, "label": field.label, "help_text": field.help_text}
    if isinstance(field, forms.BooleanField):
        return serializers.BooleanField(**options)
    if isinstance(field, forms.ChoiceField):
        choices: Any = field.choices
        if isinstance(field, forms.MultipleChoiceField):
            child = serializers.ChoiceField(choices=list(choices))
            return serializers.ListField(child=child, **options)
        return serializers.ChoiceField(choices=list(choices), **options)
    if isinstance(field, forms.IntegerField):
        bounds: Any = {"min_value": field.min_value, "max_value": field.max_value}
        # To Django a field of floats is one of integers.
        has_parts = isinstance(field, forms.FloatField | forms.DecimalField)
        number = serializers.FloatField if has_parts else serializers.IntegerField
        return number(allow_null=not field.required, **bounds, **options)
    if isinstance(field, LongText):
        options |= {"trim_whitespace": False}
    return serializers.CharField(
        allow_blank=not field.required, max_length=field.max_length, **options
    )


def data_of(form: forms.Form, changes: Mapping[str, Any]) -> Values:
    """What a browser would send for a form whose fields are changed here and there.

    Raises ValidationError for a field that this form has not.
    """
    if unknown := sorted({*changes} - {*form.fields}):
        message = _("This study has no such field; it has: %(names)s.")
        raise serializers.ValidationError(
            {name: message % {"names": ", ".join(form.fields)} for name in unknown}
        )
    there = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    return {
        name: "" if value is None else value
        for name, value in {**there, **changes}.items()
        # A box that is not ticked sends nothing.
        if value is not False
    }


def wrong_fields(form: forms.Form) -> serializers.ValidationError:
    """What a form refuses, field by field."""
    return serializers.ValidationError(
        {name: [str(error) for error in errors] for name, errors in form.errors.items()}
    )
