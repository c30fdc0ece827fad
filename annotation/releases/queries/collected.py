"""How the answers of a study were collected: when, from whom, for what; nobody's name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet

from annotation.core.platforms import platform_of
from annotation.core.queries import counted_answers, median_times, run_status
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.held_for_review import Held, held_for_review
from annotation.core.queries.median_times import WorkingTime
from annotation.core.queries.withdrawals import who_withdrew
from annotation.crowds.queries import ledger, wages
from annotation.kinds.queries import check_answers
from annotation.kinds.queries.check_answers import CheckSummary
from annotation.models import (
    Annotator,
    Assignment,
    Check,
    Consent,
    Design,
    Exclusion,
    ImportedTotals,
    Listing,
    PhaseRun,
    Study,
    Visit,
)
from annotation.models.kinds import CrowdPlatform, Source

_PLATFORMS = {
    CrowdPlatform.PANEL: "a panel",
    CrowdPlatform.PROLIFIC: "Prolific",
    CrowdPlatform.MTURK: "Mechanical Turk",
    CrowdPlatform.CONNECT: "CloudResearch Connect",
}


@dataclass(frozen=True)
class Offer:
    """What people were offered on a platform for one phase."""

    platform: str
    phase: int
    reward: Decimal
    currency: str
    minutes: int
    # Of everybody who did the work, with bonuses; None: nobody was timed.
    median_wage: Decimal | None


@dataclass(frozen=True)
class AgreedText:
    """One version of the consent text, and how many people of the study agreed to it."""

    version: int
    text: str
    n_people: int
    # Of them, those who took it back later.
    n_withdrawn: int = 0


@dataclass(frozen=True)
class Collected:
    # Of the answers that count.
    n_answers: int
    n_people: int
    n_imported_people: int
    working: WorkingTime
    began_at: datetime | None
    ended_at: datetime | None
    n_withdrawn: int
    n_excluded: int
    n_checks: int
    # Of them, those that give credit.
    n_credited: int
    checks: CheckSummary | None
    consents: Sequence[AgreedText]
    offers: Sequence[Offer]
    # Those by which people came whose answers count, and how many came by no platform.
    platforms: Sequence[str]
    n_by_link: int
    # By currency, what platforms confirmed: to people, and what they took for it.
    paid: Sequence[tuple[str, Decimal, Decimal]]
    # What was sent too fast, and nobody has reviewed yet.
    held: Held
    # Whose answers count though they were held as too fast: a researcher let them.
    n_let_count: int
    # Answers of an imported file that were left out, by the reason that the import had.
    left_out_of_file: Mapping[str, int]
    # Who completed a place that counts for somebody else, and has no other that counts.
    n_surplus: int

    @property
    def platforms_in_words(self) -> list[str]:
        """Where people came from."""
        return [
            *self.ways_in,
            *(["answers imported from a file"] if self.n_imported_people else []),
        ]

    @property
    def ways_in(self) -> list[str]:
        """Through what those came who answered here."""
        links = (
            ["a personal invitation or a public link to the web application Likeness"]
            if self.n_by_link
            else []
        )
        return [*self.platforms, *links]


def collected(study: Study, design: Design, population: Population) -> Collected:
    counted = counted_answers.counted_judgments(design, population).order_by()
    span = counted.aggregate(
        n=Count("pk"),
        people=Count("assignment__annotator", distinct=True),
        began=Min("answered_at"),
        ended=Max("answered_at"),
    )
    of_design = study.annotators.filter(
        source__in=counted_answers.SOURCES[population], assignments__booklet__design=design
    ).distinct()
    standing = Exclusion.objects.in_force()
    excluded = of_design.filter(
        Q(pk__in=standing.filter(annotator__isnull=False).values("annotator"))
        | Q(pk__in=standing.filter(annotator=None).values("assignment__annotator"))
    )
    is_paid = population == "people"
    who = study.annotators.filter(pk__in=counted.values("assignment__annotator"))
    n_imported = who.filter(source=Source.IMPORTED).count()
    by_platform = who.filter(assignments__runs__visits__in=_visits(study)).distinct()
    return Collected(
        n_answers=span["n"],
        n_people=span["people"],
        n_imported_people=n_imported,
        platforms=_platforms_of(study, by_platform),
        n_by_link=span["people"] - n_imported - by_platform.count(),
        working=median_times.working_time(counted),
        began_at=span["began"],
        ended_at=span["ended"],
        n_withdrawn=who_withdrew(of_design).count(),
        # Of whom nothing is left, nothing is left out either.
        n_excluded=excluded.exclude(pk__in=who_withdrew(of_design).values("pk")).count(),
        n_checks=study.checks.count(),
        n_credited=study.checks.exclude(style=Check.Style.TUTORIAL).count(),
        checks=check_answers.summary(study, population),
        consents=_consents(study, design, population),
        offers=_offers(study) if is_paid else (),
        paid=[
            (account.currency, account.paid, account.fees)
            for account in ledger.accounts(study)
            if is_paid and account.paid and _pays(study)
        ],
        held=held_for_review(design, population),
        n_let_count=of_design.filter(
            pk__in=PhaseRun.objects.filter(
                phase__design=design, was_held=True, is_counted=True
            ).values("assignment__annotator")
        )
        .exclude(pk__in=excluded.values("pk"))
        .count(),
        left_out_of_file=_left_out_of_file(design),
        n_surplus=of_design.filter(pk__in=_surplus(design))
        .exclude(pk__in=excluded.values("pk"))
        .exclude(pk__in=counted.values("assignment__annotator"))
        .count(),
    )


def _left_out_of_file(design: Design) -> dict[str, int]:
    totals = ImportedTotals.objects.filter(design=design).first()
    return dict(totals.left_out) if totals else {}


def _surplus(design: Design) -> QuerySet[Any]:
    """The people with runs that are surplus."""
    stored = PhaseRun.objects.filter(phase__design=design)
    runs = run_status.with_status(stored.exclude(assignment__state=Assignment.State.WITHDRAWN))
    surplus: QuerySet[Any] = runs.filter(status=run_status.SURPLUS).values("assignment__annotator")
    return surplus


def _consents(study: Study, design: Design, population: Population) -> list[AgreedText]:
    agreed = (
        Consent.objects.filter(
            annotator__study=study,
            annotator__source__in=counted_answers.SOURCES[population],
            annotator__assignments__booklet__design=design,
        )
        .order_by("text__version")
        .values_list("text__version", "text__text")
        .annotate(
            n=Count("annotator", distinct=True),
            n_withdrawn=Count(
                "annotator",
                distinct=True,
                filter=Q(annotator__in=who_withdrew(study.annotators.order_by())),
            ),
        )
    )
    return [AgreedText(*row) for row in agreed]


def _visits(study: Study) -> QuerySet[Visit]:
    return Visit.objects.filter(listing__study=study)


def _platforms_of(study: Study, people: QuerySet[Annotator]) -> list[str]:
    visits = _visits(study).filter(run__assignment__annotator__in=people).order_by()
    names = visits.values_list("platform", "listing__environment").distinct()
    return sorted(_named(platform, environment) for platform, environment in names)


def _named(platform: str, environment: str) -> str:
    """With the environment, where that is not the one that everybody thinks of."""
    name = _PLATFORMS[CrowdPlatform(platform)]
    return name if environment in _USUAL else f"{name} ({environment})"


def _pays(study: Study) -> bool:
    """Whether anything was offered where money is paid."""
    return study.listings.exclude(environment=_SANDBOX).exists()


def _offers(study: Study) -> list[Offer]:
    """What was offered where we pay; a panel pays its people itself, and does not say what."""
    offers = []
    published = study.listings.filter(published_at__isnull=False).exclude(environment=_SANDBOX)
    for listing in published.exclude(state=Listing.State.DRAFT).order_by("number"):
        if not platform_of(listing.platform).capabilities.is_paid:
            continue
        wage = wages.wages(listing).here
        offers.append(
            Offer(
                _named(listing.platform, listing.environment),
                listing.phase_number,
                listing.reward,
                listing.currency,
                listing.minutes,
                wage.median if wage else None,
            )
        )
    return offers


# Panels have no environment. A sandbox pays nobody.
_USUAL, _SANDBOX = ("", "production"), "sandbox"
