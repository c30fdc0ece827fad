"""What a study has spent and may still spend, and every step that led there."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from annotation.core.platforms import platform_of
from annotation.core.queries import commitments
from annotation.models import Budget, Intent, Listing, Study, Visit

ZERO = Decimal("0.00")
_NONE: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Account:
    """One currency of a study.

    Parameters
    ----------
    cap : Decimal or None
        None if nobody has allowed anything: then nothing is spent.
    committed : Decimal
        What may be spent because of what was asked for, in the worst case, with fees.
    paid, fees : Decimal
        What platforms confirmed, or paid by themselves: to people, and what they took for it.
    under_way : Decimal
        Of payments that are planned, being sent or doubtful, and of compensations that are
        offered and not accepted yet.
    """

    currency: str
    cap: Decimal | None
    committed: Decimal
    paid: Decimal
    fees: Decimal
    under_way: Decimal
    n_doubtful: int
    n_for_people: int


def accounts(study: Study) -> list[Account]:
    """One for each currency that has a cap or an intent, in their order."""
    caps = dict(Budget.objects.filter(study=study).values_list("currency", "cap"))
    # As `Intent.is_offered` says it: it is paid once it is accepted.
    offered = Q(kind=Intent.Kind.COMPENSATE, state=Intent.State.CONFIRMED, taken_at=None)
    confirmed = Q(state=Intent.State.CONFIRMED) & ~offered
    waiting = Q(state__in=(*Intent.UNSETTLED, Intent.State.NEEDS_PERSON)) | offered
    sums: dict[str, Mapping[str, Any]] = {
        row["currency"]: row
        for row in Intent.objects.filter(listing__study=study)
        .order_by()
        .values("currency")
        .annotate(
            paid=Sum("pays", filter=confirmed),
            fees=Sum("fee", filter=confirmed),
            waiting=Sum("pays", filter=waiting),
            n_doubtful=Count("pk", filter=Q(state=Intent.State.AMBIGUOUS)),
            n_for_people=Count("pk", filter=Q(state=Intent.State.NEEDS_PERSON)),
        )
    }
    unasked: dict[str, list[UnrequestedPayment]] = defaultdict(list)
    for payment in paid_unasked(study):
        unasked[payment.currency].append(payment)
    return [
        Account(
            currency,
            caps.get(currency),
            commitments.committed(study, currency),
            _money(sums, currency, "paid")
            + sum((payment.paid for payment in unasked[currency]), ZERO),
            _money(sums, currency, "fees")
            + sum((payment.fee for payment in unasked[currency]), ZERO),
            _money(sums, currency, "waiting"),
            int(sums.get(currency, _NONE).get("n_doubtful", 0)),
            int(sums.get(currency, _NONE).get("n_for_people", 0)),
        )
        for currency in sorted({*caps, *sums, *unasked})
    ]


@dataclass(frozen=True)
class UnrequestedPayment:
    """A visit that the platform paid without being asked, and what it took for that."""

    visit: Visit
    currency: str
    paid: Decimal
    fee: Decimal


def paid_unasked(study: Study) -> Iterator[UnrequestedPayment]:
    """Approved by the platform's clock, by its rules, or on its own pages: by no intent of ours.

    An approval that stands is counted as what it is, whatever the platform shows meanwhile.
    """
    approvals = Intent.objects.standing().filter(visit=OuterRef("pk"), kind=Intent.Kind.APPROVE)
    visits = (
        Visit.objects.filter(
            ~Exists(approvals),
            listing__study=study,
            remote_state__in=(Visit.Remote.APPROVED, Visit.Remote.SCREENED_OUT),
        )
        .select_related("listing", "run__assignment__annotator")
        .order_by("pk")
    )
    fees: dict[tuple[int, Decimal], Decimal] = {}
    for visit in visits.iterator(chunk_size=1000):
        listing, platform = visit.listing, platform_of(visit.platform)
        assert listing is not None  # the query looks through it
        paid = platform.earned(visit)
        if not paid or not platform.capabilities.is_paid:
            continue
        if (fee := fees.get((listing.pk, paid))) is None:
            fee = fees[listing.pk, paid] = platform.fee(listing, paid, is_bonus=False)
        yield UnrequestedPayment(visit, listing.currency, paid, fee)


def _money(sums: Mapping[str, Mapping[str, Any]], currency: str, name: str) -> Decimal:
    # SQLite sums decimals as floats: two places are what was stored.
    amount: Decimal = sums.get(currency, _NONE).get(name) or ZERO
    return amount.quantize(ZERO)


def entries(study: Study, *, state: str = "") -> QuerySet[Intent]:
    """The intents of a study, the latest first."""
    rows = Intent.objects.filter(listing__study=study).select_related(
        "listing", "visit__run__assignment__annotator", "ticket", "requested_by"
    )
    if state:
        rows = rows.filter(state=state)
    return rows.order_by("-planned_at", "-pk")


class PaymentRecord(NamedTuple):
    """A step that pays somebody, or what a platform paid by itself, as a table tells it."""

    listing: Listing
    pseudonym: str
    submission_id: str
    kind: str
    reason_code: str
    currency: str
    paid: Decimal
    fee: Decimal
    state: str
    # Of what a platform paid by itself the rest is not known.
    planned_at: datetime | None = None
    settled_at: datetime | None = None
    requested_by: str = ""
    intent: str = ""


def payments(study: Study) -> Iterator[PaymentRecord]:
    """A row for every intent that pays somebody, in the order in which they were planned.

    Then one for each visit that the platform paid by itself: it has no intent.
    """
    rows = (
        Intent.objects.filter(listing__study=study, pays__gt=0)
        .select_related("listing", "visit__run__assignment__annotator", "requested_by")
        .order_by("planned_at", "pk")
    )
    for row in rows.iterator(chunk_size=1000):
        run = row.visit.run if row.visit else None
        yield PaymentRecord(
            listing=row.listing,
            pseudonym=run.assignment.annotator.pseudonym if run else "",
            submission_id=row.visit.submission_id if row.visit else "",
            kind=row.kind,
            reason_code=row.reason_code,
            currency=row.currency,
            paid=row.pays,
            fee=row.fee,
            state="offered" if row.is_offered else row.state,
            planned_at=row.planned_at,
            settled_at=row.settled_at,
            requested_by=row.requested_by.get_username() if row.requested_by else "",
            intent=str(row.pk),
        )
    for payment in paid_unasked(study):
        listing, run = payment.visit.listing, payment.visit.run
        assert listing is not None  # `paid_unasked` looks through it
        yield PaymentRecord(
            listing=listing,
            pseudonym=run.assignment.annotator.pseudonym if run else "",
            submission_id=payment.visit.submission_id,
            kind=Intent.Kind.APPROVE,
            reason_code="by the platform",
            currency=payment.currency,
            paid=payment.paid,
            fee=payment.fee,
            state=Intent.State.CONFIRMED,
        )
