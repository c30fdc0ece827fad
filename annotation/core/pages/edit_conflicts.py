"""Two researchers at one form: what one saved is not overwritten unseen by the other."""

import hashlib

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext as _

from annotation.core.pages.frame import user_of
from annotation.core.services import audit_log
from annotation.models import AuditEvent, Study


def basis_of(form: forms.Form) -> str:
    """What is stored in each field now, as the page carries it along: field:digest."""
    return ",".join(
        f"{name}:{_digest(form.get_initial_for_field(field, name))}"
        for name, field in form.fields.items()
    )


def changed_meanwhile(request: HttpRequest, study: Study, form: forms.Form) -> str:
    """Who saved what since the page was shown; empty if nobody did or nothing would be lost."""
    shown = dict(
        pair.split(":", 1) for pair in request.POST.get("basis", "").split(",") if ":" in pair
    )
    labels = [
        str(field.label)
        for name, field in form.fields.items()
        if name in shown
        and name in form.changed_data
        and shown[name] != _digest(form.get_initial_for_field(field, name))
    ]
    if not labels:
        return ""
    others = audit_log.of_study(study).exclude(by=user_of(request))
    latest = others.exclude(kind=AuditEvent.Kind.DOWNLOADED).select_related("by").first()
    return _(
        "%(who)s saved changes while you were typing: %(fields)s. Your text is still here: save "
        "again to overwrite their changes, or open the page again from the menu to see them."
    ) % {
        "who": latest.by.get_username() if latest else _("Somebody"),
        "fields": ", ".join(labels),
    }


def _digest(value: object) -> str:
    text = "" if value is None else str(value)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
