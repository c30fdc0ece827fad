"""Visits as they are looked at before they are paid: time, checks, agreement, comments."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Count, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.basics.sentences import Said, read
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.crowds.queries.listings import (
    asked_to_return,
    clear_to_approve,
    decided,
    to_review,
)
from annotation.crowds.queries.messages import wrote
from annotation.kinds.queries import check_answers
from annotation.kinds.registry import kind_of
from annotation.models import (
    AnnotatorStatistics,
    Exclusion,
    Intent,
    Judgment,
    Listing,
    Study,
    Visit,
)
from annotation.models.kinds import Outcome
from scoring import CheckScore

ZERO = Decimal("0.00")
# By one click, while a person waits: each is planned by itself.
MAX_APPROVED_AT_ONCE = 200

# Filters of the page: (name, condition).
SHOWN: dict[str, Q] = {
    "review": to_review(),
    # Not a tab: those of the first that are approved in one click.
    "passed": clear_to_approve(),
    "failed": to_review() & Q(outcome=Outcome.FAILED_CHECKS),
    "asked": asked_to_return(),
    "doubt": ~Q(doubt=""),
    "wrote": wrote(),
    "working": Q(state=Visit.State.WORKING),
    "decided": decided(),
    "all": Q(),
}


@dataclass(frozen=True)
class VisitRow:
    """One visit on the review screen."""

    visit: Visit
    pseudonym: str
    n_answered: int
    minutes: float | None
    checks: CheckScore | None
    agreement: str
    comments: list[str]
    doubt: str
    exclusion: Exclusion | None
    intents: list[Intent]
    # What was refused or given up.
    failed_intents: list[Intent]

    @property
    def failed_approval(self) -> Intent | None:
        """An approval that was refused or given up; none is proposed again."""
        approvals = [
            intent for intent in self.failed_intents if intent.kind == Intent.Kind.APPROVE
        ]
        return approvals[-1] if approvals else None

    @property
    def is_decided(self) -> bool:
        """Whether an approval or a rejection stands, or is on its way."""
        return self._has(Intent.Kind.APPROVE, Intent.Kind.REJECT)

    @property
    def may_be_compensated(self) -> bool:
        """Whether it can be paid for otherwise than by an approval, and is not paid by one."""
        return (
            platform_of(self.visit.platform).capabilities.can_compensate
            and self.visit.remote_state not in {Visit.Remote.SUBMITTED, Visit.Remote.APPROVED}
            and not self._has(Intent.Kind.APPROVE)
        )

    @property
    def payments(self) -> list[Intent]:
        """What this visit was paid already, or will be unless the platform refuses."""
        return [intent for intent in self.intents if intent.pays]

    @property
    def is_compensated(self) -> bool:
        return self._has(Intent.Kind.COMPENSATE)

    def _has(self, *kinds: Intent.Kind) -> bool:
        return any(intent.kind in kinds for intent in self.intents)

    @property
    def may_be_decided(self) -> bool:
        """Whether the platform waits for a decision."""
        return self.visit.remote_state == Visit.Remote.SUBMITTED and not self.is_decided

    @property
    def approved_at(self) -> datetime | None:
        """When its platform approves it by itself, if nobody decides before."""
        if not self.may_be_decided:
            return None
        return platform_of(self.visit.platform).approves_at(self.visit)

    @property
    def is_shown(self) -> bool:
        """Whether its platform shows what becomes of it there."""
        return platform_of(self.visit.platform).capabilities.shows_submissions

    @property
    def panel_id(self) -> str:
        """Those who give credit have only this to know people by."""
        is_paid = platform_of(self.visit.platform).capabilities.is_paid
        return self.visit.person.platform_id if self.visit.person and not is_paid else ""

    @property
    def proposes(self) -> str:
        """What the page proposes: who did the work is paid; if empty, somebody must look."""
        if not self.may_be_decided:
            return ""
        return "" if self._unclear else self.likeliest_decision

    @property
    def likeliest_decision(self) -> str:
        """What is chosen beforehand where one visit is decided: its remarks stand above it."""
        return "exclude" if self.visit.outcome == Outcome.FAILED_CHECKS else "approve"

    @property
    def remarks(self) -> list[Said]:
        """Why it is not simply proposed for approval."""
        if not self.may_be_decided:
            return [self.doubt] if self.doubt else []
        sentences = self._unclear
        if self.visit.outcome == Outcome.FAILED_CHECKS:
            sentences.append(
                _("Failed the checks. Suggestion: pay, but leave the answers out of the data.")
            )
        return sentences

    @property
    def _unclear(self) -> list[Said]:
        sentences: list[Said] = [self.doubt] if self.doubt else []
        if self.is_compensated:
            sentences.append(
                _(
                    "A compensation has already been ordered. If it is paid and you approve this "
                    "visit, the person is paid twice."
                )
            )
        if self.failed_approval:
            sentences.append(
                _("An earlier approval was not carried out. %(why)s")
                % {"why": self.failed_approval.said or self.failed_approval.note}
            )
        if self.exclusion:
            sentences.append(_("Already left out of the data."))
        if self.visit.verified_at is None and not self.doubt:
            sentences.append(_("The platform has not confirmed who this was."))
        if not self.visit.outcome:
            sentences.append(_("Submitted on the platform, but not finished here."))
        elif self.visit.outcome not in {Outcome.COMPLETED, Outcome.FAILED_CHECKS}:
            sentences.append(
                _(
                    "This visit ended before the work was finished. Check whether you still owe "
                    "this person something."
                )
            )
        return sentences

    @property
    def hourly(self) -> Decimal | None:
        """Effective wage per hour of who did the work, in the listing's currency."""
        did = self.visit.outcome in {Outcome.COMPLETED, Outcome.FAILED_CHECKS}
        if not self.minutes or not did or not self.visit.listing or not self.visit.listing.reward:
            return None
        per_hour = self.visit.listing.reward * 60 / Decimal(str(self.minutes))
        return per_hour.quantize(Decimal("0.01"))


def of_study(study: Study, *, shown: str, listing: Listing | None = None) -> QuerySet[Visit]:
    """The visits that a filter of the page shows, those who wait longest first."""
    rows = Visit.objects.filter(SHOWN[shown], listing__study=study)
    if listing is not None:
        rows = rows.filter(listing=listing)
    return rows.select_related(
        "listing", "ticket", "person", "run__assignment__annotator", "run__phase"
    ).order_by("submitted_at", "ended_at", "pk")


@dataclass(frozen=True)
class PassedVisits:
    """Visits that can be approved in one click, and what that costs: (reward, fee, currency)."""

    ids: Sequence[int]
    sums: Sequence[tuple[Decimal, Decimal, str]]


def passed(study: Study) -> PassedVisits:
    """Those who passed the checks, who wait longest first; more than so many are for the next."""
    waiting = of_study(study, shown="passed").values_list("pk", "listing")[:MAX_APPROVED_AT_ONCE]
    n_by_listing = Counter(listing for _pk, listing in waiting)
    sums: dict[str, tuple[Decimal, Decimal]] = {}
    for listing in study.listings.filter(pk__in=n_by_listing):
        n, (rewards, fees) = n_by_listing[listing.pk], sums.get(listing.currency, (ZERO, ZERO))
        fee = platform_of(listing.platform).fee(listing, listing.reward, is_bonus=False)
        sums[listing.currency] = (rewards + n * listing.reward, fees + n * fee)
    return PassedVisits(
        [pk for pk, _listing in waiting],
        [(rewards, fees, currency) for currency, (rewards, fees) in sorted(sums.items())],
    )


def counts(study: Study) -> dict[str, int]:
    """How many visits each filter shows."""
    n_by_tab: dict[str, int] = Visit.objects.filter(listing__study=study).aggregate(
        **{name: Count("pk", filter=condition) for name, condition in SHOWN.items() if condition},
        all=Count("pk"),
    )
    return n_by_tab


def rows(study: Study, visits: Iterable[Visit]) -> list[VisitRow]:
    """What the page shows of some visits, in a number of queries that does not grow."""
    some = list(visits)
    held = [visit.run.assignment for visit in some if visit.run]
    people = list({assignment.annotator_id: assignment.annotator for assignment in held}.values())
    checks = check_answers.scores_of(study, people)
    agreement = _agreement(study, [person.pk for person in people])
    answered: dict[int, int] = defaultdict(int)
    comments: dict[int, list[str]] = defaultdict(list)
    for pk, comment in (
        Judgment.objects.current()
        .filter(assignment__in=held)
        .order_by("pk")
        .values_list("assignment_id", "comment")
    ):
        answered[pk] += 1
        if comment:
            comments[pk].append(comment)
    intents: dict[int, list[Intent]] = defaultdict(list)
    for intent in Intent.objects.standing().filter(visit__in=some).order_by("planned_at", "pk"):
        assert intent.visit_id is not None
        intents[intent.visit_id].append(intent)
    over = Intent.objects.filter(
        visit__in=some, state__in=(Intent.State.REFUSED, Intent.State.GIVEN_UP)
    )
    failed: dict[int, list[Intent]] = defaultdict(list)
    for intent in over.order_by("settled_at"):
        assert intent.visit_id is not None
        failed[intent.visit_id].append(intent)
    excluded = {
        key: row
        for row in Exclusion.objects.in_force()
        .filter(Q(assignment__in=held) | Q(annotator__in=people))
        .select_related("by")
        for key in [("assignment", row.assignment_id), ("annotator", row.annotator_id)]
        if key[1] is not None
    }
    visit_rows = []
    for visit in some:
        assignment = visit.run.assignment if visit.run else None
        person = assignment.annotator if assignment else None
        visit_rows.append(
            VisitRow(
                visit=visit,
                pseudonym=person.pseudonym if person else "",
                n_answered=answered[assignment.pk] if assignment else 0,
                minutes=_minutes(visit),
                checks=checks.get(person.pk) if person else None,
                agreement=agreement.get(person.pk, "") if person else "",
                comments=comments[assignment.pk] if assignment else [],
                doubt=read(visit.doubt) if visit.doubt else "",
                exclusion=(
                    excluded.get(("assignment", assignment.pk))
                    or excluded.get(("annotator", assignment.annotator_id))
                    if assignment
                    else None
                ),
                intents=intents[visit.pk],
                failed_intents=failed[visit.pk],
            )
        )
    return visit_rows


class CreditRecord(NamedTuple):
    """A visit as a panel is told of it."""

    person_id: str
    submission_id: str
    outcome: str
    code: str
    begun_at: datetime
    finished_at: datetime | None
    n_answers: int
    pseudonym: str


def credit(listing: Listing) -> Iterator[CreditRecord]:
    """A row for every visit of a panel's listing, in the order in which they began.

    The code is what its last page shows; none if that leads back by an address. Answers are
    those of the listing's phase.
    """
    platform = platform_of(listing.platform)
    # A person who withdrew has none any more.
    answers = (
        Judgment.objects.current()
        .filter(
            assignment=OuterRef("run__assignment"),
            question__block__phase=OuterRef("run__phase"),
        )
        .order_by()
        .values("assignment")
        .annotate(n=Count("pk"))
        .values("n")
    )
    visits = (
        listing.visits.annotate(
            n_answers=Coalesce(Subquery(answers, output_field=IntegerField()), 0)
        )
        .select_related("listing", "person", "run__assignment__annotator")
        .order_by("pk")
    )
    for visit in visits.iterator(chunk_size=1000):
        code = ""
        if visit.outcome:
            code = platform.completion(visit, Outcome(visit.outcome), receipt="").code
        yield CreditRecord(
            person_id=visit.person.platform_id if visit.person else "",
            submission_id=visit.submission_id,
            outcome=visit.outcome,
            code=code,
            begun_at=visit.created_at,
            finished_at=visit.ended_at,
            n_answers=visit.n_answers,
            pseudonym=visit.run.assignment.annotator.pseudonym if visit.run else "",
        )


def _minutes(visit: Visit) -> float | None:
    """From coming in to the last page by our clock; else by the platform's times."""
    if visit.ended_at:
        return _between(visit.created_at, visit.ended_at)
    if visit.accepted_at and visit.submitted_at:
        return _between(visit.accepted_at, visit.submitted_at)
    return None


def _between(begun: datetime, ended: datetime) -> float:
    return max((ended - begun).total_seconds(), 0.0) / 60


def _agreement(study: Study, people: list[int]) -> dict[int, str]:
    """With the others, of those who can be compared."""
    latest = study.results.order_by().values("population").annotate(last=Max("pk")).values("last")
    rows = AnnotatorStatistics.objects.filter(
        result__in=latest, annotator__in=people, compliance__isnull=False
    )
    part = kind_of(study).people
    return {row.annotator_id: part.agreement_text(row.compliance) for row in rows}
