"""The direction of a text in a template: `dir="{{ text|direction }}"`."""

from django import template

from annotation.basics.text_direction import Direction, text_direction

register = template.Library()


@register.filter
def direction(text: object) -> Direction:
    return text_direction("" if text is None else str(text))
