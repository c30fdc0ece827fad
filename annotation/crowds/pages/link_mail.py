"""Sending personal links by e-mail: the text, a preview of the first message, and the button."""

import hashlib
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import log, refusals, show, study_page, to, user_of
from annotation.crowds.queries import link_messages as queries
from annotation.crowds.services import link_letters, link_messages
from annotation.crowds.services.link_letters import Letter
from annotation.models import Annotator, Study
from annotation.monitoring.services import alert_channels


def summary(study: Study, people: Sequence[Annotator]) -> dict[str, Any]:
    """What the page of the roster says of e-mail."""
    failed = list(queries.group(study, "failed")[:50])
    problems = queries.mailed_links(failed)
    return {
        "refusal": link_messages.refusal(study),
        "n_new": queries.group(study, "new").count(),
        "n_failed": queries.group(study, "failed").count(),
        "failed": [(message.person, problems[message.pk].problem) for message in failed],
        "may_be_sent": set(
            queries.may_be_sent(study)
            .filter(pk__in=[person.pk for person in people])
            .values_list("pk", flat=True)
        ),
        "mailed": queries.mailed_links(people),
    }


@study_page
@require_http_methods(["GET", "POST"])
def send_links(request: HttpRequest, study: Study) -> HttpResponse:
    """Edit the message, see the first one, then send all of them."""
    data = request.POST if request.method == "POST" else request.GET
    who = data.get("who", "")
    group = "" if who else data.get("to", "new")
    people = _recipients(study, group, who)
    obstacle: Said = link_messages.refusal(study)
    if not obstacle and not people:
        obstacle = _("There is nobody to send a link to. People who have started keep theirs.")
    by = user_of(request)
    typed = link_letters.preset(study)
    problem: Said = link_letters.contact_refusal(typed, by)
    step = ""
    if request.method == "POST" and not obstacle:
        typed = Letter(data.get("subject", ""), data.get("text", ""))
        step = data.get("step", "preview")
        try:
            typed = link_letters.read(typed.subject, typed.text)
            problem = link_letters.contact_refusal(typed, by)
        except AnnotationError as error:
            problem = error.message
        if problem:
            step = "edit"
        if step == "send" and data.get("recipients") == _fingerprint(people):
            with refusals(request):
                job = link_messages.start(
                    study=study,
                    annotators=people,
                    letter=typed,
                    base_url=request.build_absolute_uri("/"),
                    by=by,
                )
                log(request, study, link_messages.said_of_sending(len(people)))
                return to(study, "job", job.pk)
            return to(study, "roster")
    return show(
        request,
        study,
        "crowds/send_links.html",
        title=_("Send links by e-mail"),
        section="collect",
        status=400 if problem and request.method == "POST" else 200,
        obstacle=obstacle,
        group=group,
        who=who,
        n=len(people),
        typed=typed,
        problem=problem,
        has_contact=bool(alert_channels.address_of(by)),
        # Only administrators can open accounts.
        account=reverse("admin:auth_user_change", args=[by.pk]) if by.is_superuser else "",
        # Somebody has started, or was added, since the preview: it is shown again.
        has_changed=step == "send",
        preview=_preview(request, study, typed, people[0])
        if people and step in {"preview", "send"}
        else None,
        recipients=_fingerprint(people),
        sender=settings.DEFAULT_FROM_EMAIL,
        placeholders=[f"{{{placeholder}}}" for placeholder in link_letters.PLACEHOLDERS],
    )


def _recipients(study: Study, group: str, who: str) -> list[Annotator]:
    if group in queries.GROUPS:
        return list(queries.group(study, group))
    if not who.isdecimal() or len(who) > 18:
        raise Http404
    # Who has started meanwhile is refused with a sentence; who is not here is not found.
    if not study.annotators.filter(pk=who).exists():
        raise Http404
    return list(queries.may_be_sent(study).filter(pk=who))


def _fingerprint(people: Sequence[Annotator]) -> str:
    """Names exactly those to whom the preview would be sent."""
    return hashlib.sha256(",".join(str(person.pk) for person in people).encode()).hexdigest()[:16]


def _preview(
    request: HttpRequest, study: Study, letter: Letter, first: Annotator
) -> dict[str, str]:
    person = first.person
    assert person is not None  # of a roster
    # The link itself is made when the message is sent, and shown to nobody else.
    link = request.build_absolute_uri(reverse("annotator:own", args=["KEY"]))
    values = link_letters.values_for(
        study=study,
        name=person.name or person.platform_id,
        link=link.replace("KEY", "…"),
        contact=link_letters.contact_of(user_of(request)),
    )
    filled = letter.filled(values)
    return {"to": person.email, "subject": filled.subject, "text": filled.text}
