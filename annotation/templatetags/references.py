"""Keys of references as links."""

from django import template
from django.utils.safestring import SafeString

from annotation.basics.references import linked

register = template.Library()


@register.filter
def references(text: object) -> SafeString:
    """Any text, a lazy translation among them."""
    return linked(str(text))
