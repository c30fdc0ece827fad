"""Numbers as the pages show them."""

from django import template

from annotation.basics import numbers

register = template.Library()


@register.filter
def percent(value: float | None, digits: int = 1) -> str:
    return numbers.percent(value, digits)


@register.filter
def number(value: float | None, digits: int = 3) -> str:
    return numbers.number(value, digits)


@register.filter
def signed(value: float | None) -> str:
    return numbers.signed(value)
