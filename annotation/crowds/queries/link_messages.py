"""Who of a roster can be sent their link by e-mail, who was, and to whom it failed."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Q, QuerySet, Subquery

from annotation.basics.sentences import read, stored
from annotation.basics.sentences import sentence as _
from annotation.models import Annotator, Job, LinkMessage, Study

GROUPS = ("new", "failed")
# Of a message whose worker died, or whose connection broke, while it was on its way.
UNCERTAIN = _("The job was interrupted, so this message may or may not have been sent.")


@dataclass(frozen=True)
class MailedLink:
    """What became of somebody's latest message; both empty if none was tried."""

    sent_at: datetime | None = None
    problem: str = ""


def may_be_sent(study: Study) -> QuerySet[Annotator]:
    """People of the roster with an address who have not started."""
    return (
        study.annotators.filter(
            person__platform="roster", withdrawn_at=None, assignments=None, consents=None
        )
        .exclude(person__email="")
        .select_related("person")
        .order_by("person__platform_id", "pk")
    )


def group(study: Study, name: str) -> QuerySet[Annotator]:
    """Those to whom nothing was sent yet ("new"), or to whom the latest message failed."""
    people = may_be_sent(study).annotate(
        mailed=Subquery(_tried().filter(annotator=OuterRef("pk")).values("state")[:1]),
        mailing=Subquery(_tried().filter(annotator=OuterRef("pk")).values("job__state")[:1]),
    )
    if name == "new":
        return people.filter(mailed=None)
    return people.filter(
        Q(mailed=LinkMessage.State.FAILED)
        | Q(mailed=LinkMessage.State.SENDING) & ~Q(mailing__in=Job.UNFINISHED)
    )


def mailed_links(people: Iterable[Annotator]) -> dict[int, MailedLink]:
    """By annotator, in one query: what became of the latest message that was tried."""
    by_annotator: dict[int, MailedLink] = {}
    rows = _tried().filter(annotator__in=[person.pk for person in people]).select_related("job")
    for row in rows:
        if row.annotator_id not in by_annotator:
            by_annotator[row.annotator_id] = MailedLink(row.sent_at, _problem(row))
    return by_annotator


def unfinished(study: Study) -> Job | None:
    """The job that sends now, if one does."""
    return study.jobs.filter(kind=Job.Kind.SEND_LINKS, state__in=Job.UNFINISHED).first()


def _tried() -> QuerySet[LinkMessage]:
    """The latest first. What only waited, such as in a job that was cancelled, was not tried."""
    return LinkMessage.objects.exclude(state=LinkMessage.State.WAITING).order_by("-pk")


def _problem(row: LinkMessage) -> str:
    if row.state == LinkMessage.State.SENDING and row.job.is_finished:
        return read(stored(UNCERTAIN))
    return row.problem
