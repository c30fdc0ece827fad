"""Listings on platforms, and a platform of tests that frames, previews and shows submissions."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils import timezone

from annotation.core.platforms import base, costs, errors
from annotation.core.platforms.capabilities import Capabilities
from annotation.crowds.platforms import panel
from annotation.models import Listing, Study, Ticket, Visit
from annotation.models.kinds import CrowdPlatform, Outcome

ORIGIN = "https://crowd.example"
PREVIEW = "PREVIEW"

PANEL_OPTIONS = {"person": "participant", "submission": "session"}


def make_listing(study: Study, **columns: Any) -> Listing:
    """A published listing of a panel, unless the columns say otherwise."""
    columns = {
        "number": study.listings.count() + 1,
        "platform": CrowdPlatform.PANEL,
        "state": Listing.State.PUBLISHED,
        "n_places": 10,
        "options": PANEL_OPTIONS if columns.get("platform", "panel") == "panel" else {},
        "codes": {outcome: f"CODE-{outcome}".upper() for outcome in Outcome.values},
        "published_at": timezone.now(),
        **columns,
    }
    return Listing.objects.create(study=study, **columns)


def make_ticket(listing: Listing, remote_id: str = "HIT1", **columns: Any) -> Ticket:
    return Ticket.objects.create(
        listing=listing,
        platform=listing.platform,
        environment=listing.environment,
        remote_id=remote_id,
        **{"n_places": 9, "created_at": timezone.now(), **columns},
    )


class Framed(base.Platform):
    """Everything that an MTurk-like platform does to people, and no calls.

    `use_framed` puts it in the place of Mechanical Turk.
    """

    # Where its own pages are; a test with a browser has a real one.
    origin = ORIGIN
    key = CrowdPlatform.MTURK
    capabilities = Capabilities(
        is_paid=True, is_framed=True, has_preview=True, shows_submissions=True
    )

    def environments(self) -> list[base.Environment]:
        return [base.Environment("sandbox", "Sandbox")]

    def obstacles(self, listing: Listing) -> list[Any]:
        return []

    def read_launch(self, listing: Listing, query: Mapping[str, str]) -> base.Launch:
        ids = {name: query.get(name, "") for name in ("worker", "sitting", "hit")}
        if ids["sitting"] == PREVIEW:
            return base.Launch(ticket_id=ids["hit"], is_preview=True)
        if not all(value.isalnum() for value in ids.values()):
            raise errors.LaunchError("The address is not complete.")
        return base.Launch(
            ids["worker"], ids["sitting"], ids["hit"], is_signed=query.get("signed") == "yes"
        )

    def completion(self, visit: Visit, outcome: Outcome, receipt: str) -> base.Completion:
        return base.Completion(
            url=f"{Framed.origin}/submit",
            fields=[("assignmentId", visit.submission_id), ("receipt", receipt)],
        )

    def framing(self, listing: Listing) -> base.Framing:
        return base.Framing(ancestors=[Framed.origin], form_targets=[Framed.origin])

    def estimate(self, listing: Listing) -> costs.Estimate:
        return panel.Panel().estimate(listing)


def use_framed(monkeypatch: Any) -> None:
    """From now on a listing on Mechanical Turk is one of `Framed`."""
    monkeypatch.setitem(
        settings.CROWD_PLATFORMS, CrowdPlatform.MTURK, "tests.support.crowds.Framed"
    )
