"""Visits whose people wrote something that nobody has read on the platform yet."""

from django.db.models import OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.lookups import Exact

from annotation.models import PlatformEvent, Visit

# Kinds of events, of which the last one of a visit counts. They hold no text.
UNREAD, READ = "wrote to us", "messages read"


def wrote() -> Q:
    """Visits with unread messages, as of the last poll."""
    events = PlatformEvent.objects.filter(visit=OuterRef("pk"), kind__in=(UNREAD, READ))
    last = events.order_by("-pk").values("kind")[:1]
    return Q(Exact(Subquery(last), Value(UNREAD)))


def with_unread(visits: QuerySet[Visit]) -> QuerySet[Visit]:
    """Those of some visits."""
    return visits.filter(wrote())
