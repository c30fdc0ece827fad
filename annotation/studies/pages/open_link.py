"""The open link of a study, by which people join."""

from django.http import HttpRequest
from django.urls import reverse

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.models import Study


def join_url(request: HttpRequest, study: Study) -> str:
    return request.build_absolute_uri(reverse("annotator:join", args=[study.join_token]))


def said_of_link(is_open: bool) -> Said:
    return _("The open link is on.") if is_open else _("The open link is off.")
