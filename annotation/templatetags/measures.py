"""Names of measures as the pages show them."""

from django import template

from annotation.basics import measure_names

register = template.Library()


@register.filter
def measure_name(name: str) -> str:
    return measure_names.shown_name(name)
