"""Listings that platforms still show, and people of paid ones who are at work just now."""

from datetime import timedelta

from django.db.models import QuerySet

from annotation.basics import clock
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.models import Assignment, Listing, Study, Visit


def listings_out(study: Study) -> "QuerySet[Listing]":
    """Those over which people may come, or could again."""
    states = (Listing.State.PUBLISHING, Listing.State.PUBLISHED, Listing.State.PAUSED)
    return study.listings.filter(state__in=states).order_by("number")


def n_paid_at_work(study: Study) -> int:
    """People of paid listings who answer now, without those who idled for too long."""
    paid = [
        listing.pk
        for listing in study.listings.all()
        if platform_of(listing.platform).capabilities.is_paid
    ]
    since = clock.now() - timedelta(minutes=study.idle_minutes)
    at_work = Visit.objects.filter(
        listing__in=paid,
        state=Visit.State.WORKING,
        remote_state__in=(Visit.Remote.UNSEEN, Visit.Remote.ACTIVE),
        run__assignment__state=Assignment.State.ACTIVE,
        run__assignment__last_active_at__gte=since,
    )
    return at_work.values("run__assignment__annotator").distinct().count()


def finish_refusal(study: Study) -> Said:
    """Why people on platforms would work for nothing; empty if nobody would."""
    out = [listing for listing in listings_out(study) if listing.is_open]
    if out:
        return _("Listings are still published: %(numbers)s. Close them first.") % {
            "numbers": ", ".join(str(listing.number) for listing in out)
        }
    if n := n_paid_at_work(study):
        return ngettext(
            "%(n)s person from a paid listing is still answering. Wait until they are done.",
            "%(n)s people from a paid listing are still answering. Wait until they are done.",
            n,
        ) % {"n": n}
    return ""


def listings_stay(study: Study) -> list[Said]:
    """What to know about published listings: a step of the study does not inform platforms."""
    sentences: list[Said] = []
    for listing in listings_out(study):
        values = {"n": listing.number, "platform": listing.get_platform_display()}
        if listing.is_open:
            sentences.append(
                _(
                    "Listing %(n)s (%(platform)s) is still published: people keep coming "
                    "from there and are turned away. Pause or close it as well."
                )
                % values
            )
        else:
            sentences.append(
                _(
                    "Listing %(n)s (%(platform)s) stays paused. Close it if nobody else "
                    "should come."
                )
                % values
            )
    return sentences
