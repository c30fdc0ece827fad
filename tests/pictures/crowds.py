"""What a study offers on platforms: listings, visits to decide about, the ledger."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

from django.utils import timezone
from playwright.sync_api import Page

from annotation.basics.sentences import sentence as _
from annotation.basics.sentences import stored
from annotation.crowds.services import listings, spending
from annotation.models import Intent, Listing, Person, Study, Visit
from annotation.models.kinds import Outcome
from tests.pictures.research import Desk, at
from tests.pictures.scenes import Scene, send
from tests.pictures.waiting import arrive

_TITLES = {"en": "How alike are two answers?", "de": "Wie ähnlich sind zwei Antworten?"}


def _offered(desk: Desk) -> Study:
    """A study with a draft, and a listing whose people have come."""
    study = desk.fresh
    if study.listings.exists():
        return study
    spending.set_cap(study=study, currency="USD", cap=Decimal("250.00"), by=desk.user)
    draft = listings.create(study=study, platform="mturk", environment="sandbox", by=desk.user)
    listings.edit(
        listing=draft,
        values={
            "n_places": 40,
            "reward": Decimal("1.80"),
            "minutes": 12,
            "options": {"title": _TITLES.get(desk.language, _TITLES["en"]), "locales": ["XXX"]},
        },
    )
    out = listings.create(study=study, platform="mturk", environment="sandbox", by=desk.user)
    now = timezone.now()
    Listing.objects.filter(pk=out.pk).update(
        n_places=6, reward=Decimal("1.80"), state="published", published_at=now
    )
    ends = (
        (Outcome.FAILED_CHECKS, 14, ""),
        (Outcome.SCREENED_OUT, 2, ""),
        (
            Outcome.FAILED_CHECKS,
            31,
            stored(_("Submitted without the receipt, the proof that the last page was reached.")),
        ),
        ("", 9, ""),
    )
    for n, (outcome, minutes, doubt) in enumerate(ends):
        person = Person.objects.create(
            platform="mturk", environment="sandbox", platform_id=f"A{study.pk}W{n}"
        )
        visit = Visit.objects.create(
            listing=out,
            person=person,
            platform="mturk",
            environment="sandbox",
            submission_id=f"3ABC{study.pk}D{n}",
            state=Visit.State.ENDED if outcome else Visit.State.WORKING,
            outcome=outcome,
            doubt=doubt,
            remote_state=Visit.Remote.SUBMITTED,
            verified_at=None if doubt else now,
            ended_at=now if outcome else None,
        )
        Visit.objects.filter(pk=visit.pk).update(created_at=now - timedelta(minutes=minutes))
    Intent.objects.create(
        listing=out,
        visit=out.visits.order_by("pk")[0],
        kind=Intent.Kind.BONUS,
        reason_code="extra",
        currency="USD",
        pays=Decimal("0.50"),
        fee=Decimal("0.10"),
        commits=Decimal("0.60"),
        state=Intent.State.NEEDS_PERSON,
        error=stored(_("The platform has given no clear answer for a day.")),
        attempts=1,
        planned_at=now,
        first_sent_at=now,
        requested_by=desk.user,
    )
    return study


def _listing(page: Page, desk: Desk, name: str, number: int, query: str = "") -> None:
    study = _offered(desk)
    row = study.listings.get(number=number)
    desk.go(page, desk.of(study, name, row.pk) + query)


def _draft(page: Page, desk: Desk) -> None:
    _listing(page, desk, "listing", 1)


def _wrong(page: Page, desk: Desk) -> None:
    _draft(page, desk)
    send(page, "form.wide")
    page.locator(".errornote").wait_for()


def _published(page: Page, desk: Desk) -> None:
    _listing(page, desk, "listing", 2)


def _publish(page: Page, desk: Desk) -> None:
    _listing(page, desk, "listing_publish", 1)


def _filters(page: Page, desk: Desk) -> None:
    """Without a token the platform's list cannot be fetched."""
    study = _offered(desk)
    filters = [{"filter_id": "age", "title": "Age", "selected_range": {"lower": 18, "upper": 40}}]
    row, _made = study.listings.get_or_create(
        number=3,
        defaults={
            "platform": "prolific",
            "environment": "production",
            "options": {"filters": filters},
        },
    )
    desk.go(page, desk.of(study, "listing_filters", row.pk))


def _remove(page: Page, desk: Desk) -> None:
    _listing(page, desk, "listing_remove", 1)


def _top_up(page: Page, desk: Desk) -> None:
    _listing(page, desk, "listing_top_up", 2, "?n=20")


def _wage(page: Page, desk: Desk) -> None:
    _listing(page, desk, "listing_wage", 2, "?floor=15")


def _pause(page: Page, desk: Desk) -> None:
    _listing(page, desk, "listing_pause", 2)


def _resume(page: Page, desk: Desk) -> None:
    _listing(page, desk, "listing_resume", 2)


def _close(page: Page, desk: Desk) -> None:
    _listing(page, desk, "listing_close", 2)


def _decide(page: Page, desk: Desk) -> None:
    """The kind of reason that the platform asks for, and its least length."""
    desk.go(page, desk.of(_offered(desk), "visits"))
    page.locator("input[name=visit]").first.check()
    page.locator("input[name=action][value=reject]").check()
    send(page, "form[action$='/decide/']")
    page.locator("#id_reason").wait_for()
    arrive(page)


def _visit(page: Page, desk: Desk) -> None:
    study = _offered(desk)
    visit = Visit.objects.filter(listing__study=study).exclude(doubt="")[0]
    desk.go(page, desk.of(study, "visit", visit.pk))


def _settle(page: Page, desk: Desk) -> None:
    study = _offered(desk)
    intent = Intent.objects.filter(listing__study=study)[0]
    desk.go(page, f"{desk.of(study, 'ledger')}{intent.pk}/")


def _cap_wrong(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(_offered(desk), "platforms"))
    page.locator("#id_cap").fill("1,250")
    send(page, "form[action$='/cap/']")
    page.locator(".errorlist").wait_for()


def _scene(
    name: str, show: Callable[[Page, Desk], None], covers: str, *, status: int = 200
) -> Scene[Desk]:
    return Scene(name, "collect", (f"annotation_study_{covers}",), show, status)


SCENES: tuple[Scene[Desk], ...] = (
    at("platforms", "collect", "platforms", _offered),
    at("platforms-none", "collect", "platforms", lambda desk: desk.made),
    _scene("cap-wrong", _cap_wrong, "cap", status=400),
    at("dry-run", "collect", "dry_run", _offered),
    _scene("listing-draft", _draft, "listing"),
    _scene("listing-wrong", _wrong, "listing", status=400),
    _scene("listing-published", _published, "listing"),
    _scene("listing-publish", _publish, "listing_publish"),
    _scene("listing-remove", _remove, "listing_remove"),
    _scene("listing-top-up", _top_up, "listing_top_up"),
    _scene("listing-wage", _wage, "listing_wage"),
    _scene("listing-pause", _pause, "listing_pause"),
    _scene("listing-resume-refused", _resume, "listing_resume"),
    _scene("listing-close", _close, "listing_close"),
    at("visits", "collect", "visits", _offered),
    at("visits-failed", "collect", "visits", _offered, query="?show=failed"),
    at("visits-none", "collect", "visits", lambda desk: desk.made),
    _scene("decide-reject", _decide, "decide"),
    _scene("visit", _visit, "visit"),
    at("ledger", "collect", "ledger", _offered),
    at("ledger-none", "collect", "ledger", lambda desk: desk.made),
    _scene("settle", _settle, "settle"),
    # Last: the other scenes are of a study without it.
    _scene("listing-filters", _filters, "listing_filters"),
)
