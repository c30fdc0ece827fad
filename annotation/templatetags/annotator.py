"""What the annotator's templates need beyond Django's own tags."""

from math import ceil

from django import template
from django.utils.formats import get_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics import keys
from annotation.basics.markdown import render_markdown
from annotation.models import Study

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    return render_markdown(text)


@register.filter
def store(study: Study) -> str:
    """A short name for what a browser keeps about a study; it does not lead to its link."""
    return keys.key_hash(f"store/{study.join_token}")[:8]


@register.filter
def decimal_mark(number: str) -> str:
    """A value of a scale as the page's language writes it: 2.50, or 2,50 in German."""
    return number.replace(".", get_format("DECIMAL_SEPARATOR"))


@register.filter
def time_left(minutes: float) -> str:
    """A kind round number: nobody can know it to the minute when much is left."""
    if minutes <= 1.5:
        return _("About a minute left")
    if minutes > 100:
        hours = round(minutes / 60)
        return ngettext("About %(n)d hour left", "About %(n)d hours left", hours) % {"n": hours}
    n = ceil(minutes) if minutes <= 20 else 5 * ceil(minutes / 5)
    return ngettext("About %(n)d minute left", "About %(n)d minutes left", n) % {"n": n}
