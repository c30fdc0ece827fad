"""Personal links by e-mail: in a job, each message once, and none to who has started.

Only a hash of a key is stored, so every message brings a new link, and the one before it stops
working. If the mail server refuses a message for certain, the link before it works again. A
message is claimed before it is sent: a worker that dies in between leaves one of which nobody
knows whether it was sent, which is said and not sent again unasked.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from smtplib import (
    SMTPNotSupportedError,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPSenderRefused,
)
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.urls import reverse

from annotation.basics import clock, keys
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said, ngettext, stored
from annotation.basics.sentences import sentence as _
from annotation.core.services import jobs, mail_problems
from annotation.core.services.locks import lock_study
from annotation.crowds.queries import link_messages as queries
from annotation.crowds.services import link_letters
from annotation.crowds.services.link_letters import Letter
from annotation.models import Annotator, Job, LinkMessage, Study

logger = logging.getLogger("annotation.link_messages")

State = LinkMessage.State
_OK = 250


class RefusedError(AnnotationError):
    """This message was not sent, for certain; the others may be."""


class UncertainError(AnnotationError):
    """The connection broke while this message was on its way."""


class NoServerError(AnnotationError):
    """No message would be sent: the server is away, or refuses us altogether."""


@dataclass(frozen=True)
class _NewLink:
    annotator: int
    email: str
    name: str
    link: str
    key_hash: str
    key_hash_before: str | None


def refusal(study: Study) -> Said:
    """Why no links can be sent by e-mail now; empty if they can."""
    if not settings.EMAIL_HOST:
        return _(
            "This server cannot send e-mail because EMAIL_HOST is not set. The "
            "operator can set EMAIL_HOST, EMAIL_PORT and EMAIL_USE_TLS in .env "
            "and restart Likeness (see the section “Settings” in the chapter “Likeness on a "
            "server”)."
        )
    if study.state == Study.State.FINISHED:
        return _("The study is finished. Nobody can answer any more.")
    if study.state == Study.State.CLOSED:
        return _("The study is closed. Nobody can join by a link until you open it again.")
    if queries.unfinished(study):
        return _("Links of this study are being sent. Wait until that has finished.")
    return ""


def start(
    *, study: Study, annotators: Sequence[Annotator], letter: Letter, base_url: str, by: User
) -> Job:
    """Queue the messages. Raises StateError if none can be sent."""
    parameters = _parameters(study, annotators, letter, base_url, by)
    job = jobs.start(study=study, kind=Job.Kind.SEND_LINKS, parameters=parameters, by=by)
    if job.parameters != parameters:
        raise StateError(_("Links of this study are being sent. Wait until that has finished."))
    return job


def send_here(
    *,
    study: Study,
    annotators: Sequence[Annotator],
    letter: Letter,
    base_url: str,
    **options: Any,
) -> Job:
    """Send them now, in this process: for commands."""
    parameters = _parameters(study, annotators, letter, base_url, study.owner)
    return jobs.run_here(study=study, kind=Job.Kind.SEND_LINKS, parameters=parameters, **options)


def _parameters(
    study: Study, annotators: Sequence[Annotator], letter: Letter, base_url: str, by: User
) -> dict[str, Any]:
    if reason := refusal(study):
        raise StateError(reason)
    if not annotators:
        raise StateError(
            _("There is nobody to send a link to. People who have started keep theirs.")
        )
    if reason := link_letters.contact_refusal(letter, by):
        raise AnnotationError(reason)
    return {
        "annotators": [annotator.pk for annotator in annotators],
        "subject": letter.subject,
        "text": letter.text,
        "base_url": base_url.rstrip("/"),
        "contact": link_letters.contact_of(by),
    }


def said_of_sending(n: int) -> Said:
    return ngettext(
        "Started sending %(n)s link by e-mail.",
        "Started sending %(n)s links by e-mail.",
        n,
    ) % {"n": n}


@jobs.does(Job.Kind.SEND_LINKS)
def send_job(run: jobs.Run) -> None:
    """Send what this job has not sent yet."""
    job = run.job
    _claim_rows(job)
    messages = LinkMessage.objects.filter(job=job)
    n_all = messages.count()
    connection = get_connection()
    try:
        for pk in list(messages.filter(state=State.WAITING).values_list("pk", flat=True)):
            # Others see it, and a job that was cancelled ends here.
            run.progress(_share(job, n_all), _so_far(job))
            _refuse_ended(job.study_id)
            _send(job, pk, connection)
    except NoServerError as error:
        messages.filter(state=State.WAITING).update(
            state=State.FAILED, error=stored(error.said[0])
        )
        stopped = AnnotationError(error.said[0])
        stopped.said.append(_so_far(job))
        raise stopped from error
    finally:
        connection.close()
    run.progress(1.0, _so_far(job))


def _refuse_ended(study_id: int) -> None:
    """What is left stays unsent, so that it can be sent once the study is open again."""
    if Study.objects.filter(pk=study_id, state__in=Study.OVER).exists():
        raise StateError(
            _("The study has ended in the meantime, so a new link would let nobody in.")
        )


def _claim_rows(job: Job) -> None:
    with transaction.atomic():
        people = queries.may_be_sent(job.study).filter(pk__in=job.parameters["annotators"])
        # Rows of a run before this one stay as they are.
        LinkMessage.objects.bulk_create(
            [LinkMessage(job=job, annotator=person) for person in people], ignore_conflicts=True
        )
        LinkMessage.objects.filter(job=job, state=State.SENDING).update(
            state=State.FAILED, error=stored(queries.UNCERTAIN)
        )


def _share(job: Job, n_all: int) -> float:
    n_left = LinkMessage.objects.filter(job=job, state=State.WAITING).count()
    return 1 - n_left / n_all if n_all else 1.0


def _so_far(job: Job) -> Said:
    messages = LinkMessage.objects.filter(job=job)
    n_sent = messages.filter(state=State.SENT).count()
    sentence = ngettext(
        "%(n)s message sent, %(failed)s failed", "%(n)s messages sent, %(failed)s failed", n_sent
    )
    return sentence % {"n": n_sent, "failed": messages.filter(state=State.FAILED).count()}


def _send(job: Job, pk: int, connection: Any) -> None:
    message = LinkMessage.objects.filter(pk=pk, state=State.WAITING)
    # Before the key is changed: where the server is away, the link that people have stays.
    try:
        _connect(connection)
    except NoServerError as error:
        message.update(state=State.FAILED, error=stored(error.said[0]))
        raise
    if not message.update(state=State.SENDING):
        return  # another worker has it
    sending = LinkMessage.objects.filter(pk=pk, state=State.SENDING)
    new = _new_link(job, pk)
    if new is None:
        sending.delete()
        return
    try:
        _deliver(job, new, connection)
    except UncertainError as error:
        sending.update(state=State.FAILED, error=stored(error.said[0]))
    except (RefusedError, NoServerError) as error:
        sending.update(state=State.FAILED, error=stored(error.said[0]))
        # Nobody has the new link: the one before it, which may have been handed out, works again.
        Annotator.objects.filter(pk=new.annotator, key_hash=new.key_hash).update(
            key_hash=new.key_hash_before
        )
        if isinstance(error, NoServerError):
            raise
    else:
        sending.update(state=State.SENT, sent_at=clock.shared_now())


@transaction.atomic
def _new_link(job: Job, message: int) -> _NewLink | None:
    """Give somebody a new key; None if they have started, or are not on the roster any more."""
    # Starting takes the same lock first, so nobody starts in between.
    study = lock_study(job.study_id)
    annotator = queries.may_be_sent(study).filter(link_messages=message).first()
    if annotator is None or annotator.person is None:
        return None
    before = annotator.key_hash
    key = keys.new_key(study_id=study.pk, nonce=keys.new_nonce())
    annotator.key_hash = keys.key_hash(key)
    annotator.save(update_fields=["key_hash"])
    person = annotator.person
    return _NewLink(
        annotator=annotator.pk,
        email=person.email,
        name=person.name or person.platform_id,
        link=job.parameters["base_url"] + reverse("annotator:own", args=[key]),
        key_hash=annotator.key_hash,
        key_hash_before=before,
    )


def _connect(connection: Any) -> None:
    """Open a connection, or make sure that the one that is open still works."""
    # Servers close a connection that was idle or that has sent enough.
    if (server := getattr(connection, "connection", None)) is not None:
        try:
            code, _said = server.noop()
        except OSError:
            code = 0
        if code != _OK:
            connection.close()
    try:
        connection.open()
    except OSError as error:  # as are all of smtplib's
        connection.close()
        logger.warning("no connection to the mail server: %s", type(error).__name__)
        raise NoServerError(mail_problems.of_server(error)) from error


def _deliver(job: Job, new: _NewLink, connection: Any) -> None:
    """Hand one message to the mail server; raises one of the three errors above."""
    values = link_letters.values_for(
        study=job.study, name=new.name, link=new.link, contact=job.parameters["contact"]
    )
    letter = Letter(job.parameters["subject"], job.parameters["text"]).filled(values)
    message = EmailMessage(subject=letter.subject, body=letter.text, to=[new.email])
    try:
        try:
            connection.send_messages([message])
        except SMTPSenderRefused as error:
            if error.smtp_code >= 500:
                raise
            # Nothing was sent yet: a server that wants a new connection after so many gets one.
            connection.close()
            _connect(connection)
            connection.send_messages([message])
    except NoServerError:
        raise
    except Exception as error:
        # A connection that broke cannot be used again; the next message opens another one.
        connection.close()
        # The log never gets the message of an error: it quotes the address.
        logger.warning("a link of study %s: %s", job.study_id, type(error).__name__)
        raise _what_happened(error) from error


def _what_happened(error: Exception) -> AnnotationError:
    match error:
        case SMTPRecipientsRefused():
            code = max((code for code, _said in error.recipients.values()), default=0)
            return RefusedError(
                _("The mail server refused this address with the code %(code)s.") % {"code": code}
            )
        case SMTPSenderRefused():
            return NoServerError(mail_problems.of_server(error))
        case SMTPResponseException():
            return RefusedError(
                _("The mail server refused this message with the code %(code)s.")
                % {"code": error.smtp_code}
            )
        case SMTPNotSupportedError():
            return RefusedError(mail_problems.of_server(error))
        case OSError():
            return UncertainError(queries.UNCERTAIN)
        case _:
            return RefusedError(_("This address cannot receive a message. Please correct it."))
