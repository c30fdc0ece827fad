"""Filters of templates: what the kind of a study says of its items (named in the settings)."""

from django import template

from annotation.basics.sentences import Said
from annotation.kinds.registry import kind_of
from annotation.models import Study

register = template.Library()


@register.filter
def target_tag(study: Study) -> Said:
    """What stands beside the text of an item that candidates are compared with, in its context."""
    return kind_of(study).items.target_tag


@register.filter
def candidate_tag(study: Study) -> Said:
    """The same of the text that is judged."""
    return kind_of(study).items.candidate_tag
