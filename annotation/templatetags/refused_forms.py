"""One note at the top of a researcher's page: which fields of its forms are wrong."""

from typing import Any

from django import template
from django.forms import BaseForm
from django.template.context import Context

register = template.Library()


@register.inclusion_tag("core/_error_note.html", takes_context=True)
def error_note(context: Context) -> dict[str, Any]:
    """The errors of every form that the view handed to the page, so no page repeats the note."""
    request = context.get("request")
    if request is None or not request.user.is_authenticated:
        # The page of signing in is Django's own, with a note of its own.
        return {}
    values: list[Any] = list(context.flatten().values())
    # A view may hand the same form over by two names.
    forms = dict.fromkeys(form for form in values if isinstance(form, BaseForm) and form.errors)
    fields = [field for form in forms for field in form.visible_fields() if field.errors]
    # Hidden fields have no place on the page to which a link could lead.
    sentences = [
        sentence
        for form in forms
        for errors in (form.non_field_errors(), *(each.errors for each in form.hidden_fields()))
        for sentence in errors
    ]
    return {
        "fields": fields,
        "sentences": sentences,
        "was_posted": request.method == "POST",
    }
