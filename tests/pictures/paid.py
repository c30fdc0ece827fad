"""Paid studies at the points of their way that docs/platforms.md explains."""

import hashlib
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.utils import timezone

from annotation.answering.services import instructions, visits
from annotation.basics.sentences import sentence as _
from annotation.basics.sentences import stored
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Launch
from annotation.crowds.platforms.prolific.options import Options as ProlificOptions
from annotation.crowds.services import launches, listings, spending
from annotation.crowds.stored_personal_data import to_be_added
from annotation.designs.services import designs
from annotation.kinds.best_worst.taste import draw_best_worst_taste
from annotation.models import Intent, Listing, Study, Ticket, Visit
from annotation.models.kinds import Outcome
from annotation.people.services import exclusions
from annotation.simulation import demo
from annotation.studies.services import contacts, studies
from tests.pictures.research import Desk

PUBLIC_URL = "https://likeness.example.org"
PANEL = {
    "person": "participantId",
    "submission": "assignmentId",
    "redirects": {"completed": "https://panel.example.org/done?who={person}&sitting={submission}"},
}
_TITLE = "Alike turns"
_REWARD = Decimal("1.50")


def _id(listing: Listing, what: str) -> str:
    """As the platform's ids look, and always the same."""
    digits = hashlib.sha256(f"{listing.platform} {what}".encode()).hexdigest()[:24]
    return digits if listing.platform == "prolific" else f"3{digits.upper()}"


class PaidStudies:
    """Each is made when it is asked for first."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        # Nobody else of that name is here.
        desk.user.username = "grace"
        desk.user.save(update_fields=["username"])

    @cached_property
    def planned(self) -> Study:
        """A dry run that may spend nothing yet; a draft for Prolific and one of a panel."""
        study = self._open_study()
        self._prolific(study)
        self._panel(study)
        return study

    @cached_property
    def ready(self) -> Study:
        """A draft for Prolific that can be published."""
        study = self._open_study()
        self._prolific(study)
        return self._may_spend(study)

    @cached_property
    def running(self) -> Study:
        """Published on Prolific, on an endpoint of Mechanical Turk's API and on a panel."""
        study = self._may_spend(self._open_study())
        for listing in (self._prolific(study), self._mturk(study), self._panel(study)):
            self._publish(listing)
        prolific, mturk, _panel = study.listings.order_by("number")
        self._handed_in(prolific, 1, minutes=10)
        self._did_not_agree(prolific, 2)
        for number, minutes in enumerate((13, 9, 11), start=3):
            self._handed_in(mturk, number, minutes=minutes)
        for number, minutes in enumerate((14, 16), start=6):
            self._approve(self._handed_in(mturk, number, minutes=minutes))
        self._leave_out(self.excluded_visit(study))
        self._remarked(prolific.visits.order_by("pk")[0])
        return study

    @cached_property
    def demo(self) -> Study:
        """The English study that `make run` shows."""
        return demo.load(owner=self.desk.user)[1]

    @staticmethod
    def excluded_visit(study: Study) -> Visit:
        """One that was paid and left out of the data."""
        return Visit.objects.filter(
            listing__study=study, remote_state=Visit.Remote.APPROVED
        ).order_by("pk")[0]

    @staticmethod
    def visit_without_consent(study: Study) -> Visit:
        return Visit.objects.get(listing__study=study, outcome=Outcome.NO_CONSENT)

    @staticmethod
    def unsettled(study: Study) -> Intent:
        return Intent.objects.get(listing__study=study, state=Intent.State.NEEDS_PERSON)

    # -- studies and listings ---------------------------------------------------------------------

    def _open_study(self) -> Study:
        study = self.desk.add_items(self.desk.create(_TITLE))
        designs.make(design=study.design)
        study = contacts.fill_in(study=study, contact="Ada Example, ada@example.org")
        if lacking := to_be_added(study, "prolific"):
            text = f"{studies.current_consent(study).text} {lacking.sentence}"
            study = studies.edit(study=study, changes={"consent": text})
        return studies.open_study(study=study)

    def _may_spend(self, study: Study) -> Study:
        spending.set_cap(study=study, currency="USD", cap=Decimal(300), by=self.desk.user)
        return spending.set_dry_run(study=study, dry_run=False, by=self.desk.user)

    def _prolific(self, study: Study) -> Listing:
        options = ProlificOptions(
            title="Which sentences are alike?",
            description="Read short dialogues, and choose the sentences that are most similar.",
            pricing="academic",
        )
        return self._listing(study, "prolific", "production", options.as_data())

    def _mturk(self, study: Study) -> Listing:
        options = {"title": "Which sentences are alike?", "description": "Compare sentences."}
        return self._listing(study, "mturk", "lab", options)

    def _panel(self, study: Study) -> Listing:
        return self._listing(study, "panel", "", PANEL)

    def _listing(
        self, study: Study, platform: str, environment: str, options: dict[str, Any]
    ) -> Listing:
        listing = listings.create(
            study=study, platform=platform, environment=environment, by=self.desk.user
        )
        values: dict[str, Any] = {"n_places": 10, "minutes": 10, "options": options}
        if platform != "panel":
            values |= {"reward": _REWARD, "currency": "USD"}
        return listings.edit(listing=listing, values=values)

    def _publish(self, listing: Listing) -> None:
        """As if a platform had confirmed it."""
        now = timezone.now() - timedelta(hours=2)
        Listing.objects.filter(pk=listing.pk).update(state="published", published_at=now)
        if listing.platform == "panel":
            return
        Ticket.objects.create(
            listing=listing,
            platform=listing.platform,
            environment=listing.environment,
            remote_id=self.ticket_id(listing),
            n_places=10,
            created_at=now,
        )
        worst = platform_of(listing.platform).estimate(listing).worst
        self._intent(
            listing, None, Intent.Kind.PUBLISH, pays="0.00", commits=str(worst), minutes_ago=120
        )

    @staticmethod
    def ticket_id(listing: Listing) -> str:
        return _id(listing, "ticket")

    # -- visits -----------------------------------------------------------------------------------

    def _launch(self, listing: Listing, number: int) -> Launch:
        person, submission = _id(listing, f"person {number}"), _id(listing, f"visit {number}")
        return Launch(person, submission, self.ticket_id(listing), is_signed=True)

    def _handed_in(self, listing: Listing, number: int, *, minutes: int) -> Visit:
        """Somebody who answered everything, and whom the platform has vouched for."""
        study = listing.study
        entered = launches.enter(
            listing=listing,
            launch=self._launch(listing, number),
            consent=studies.current_consent(study),
        )
        run = entered.visit.run
        assert run is not None  # there are places enough
        instructions.begin(annotator=run.assignment.annotator)
        taste = draw_best_worst_taste(study, noise=0.3, seed=5)
        self.desk.answer_booklet(run.assignment, taste, number, n_questions=None)
        visits.submit(visit=entered.visit)
        return self._seen(entered.visit, minutes, minutes_ago=90 - 9 * number)

    def _did_not_agree(self, listing: Listing, number: int) -> Visit:
        visit = launches.decline(listing=listing, launch=self._launch(listing, number))
        return self._seen(visit, 0, minutes_ago=90 - 9 * number)

    def _seen(self, visit: Visit, minutes: int, *, minutes_ago: int) -> Visit:
        ended = timezone.now() - timedelta(minutes=minutes_ago)
        begun = ended - timedelta(minutes=minutes)
        Visit.objects.filter(pk=visit.pk).update(
            created_at=begun,
            accepted_at=begun,
            ended_at=ended,
            submitted_at=ended,
            verified_at=ended,
            remote_state=Visit.Remote.SUBMITTED,
        )
        visit.refresh_from_db()
        return visit

    def _approve(self, visit: Visit) -> None:
        Visit.objects.filter(pk=visit.pk).update(remote_state=Visit.Remote.APPROVED)
        self._intent(visit.listing, visit, Intent.Kind.APPROVE, pays="1.50", fee="0.30")

    def _leave_out(self, visit: Visit) -> None:
        assert visit.run is not None
        exclusions.exclude(
            annotator=visit.run.assignment.annotator,
            reason="Answered far too fast",
            by=self.desk.user,
        )

    def _remarked(self, visit: Visit) -> None:
        """A bonus of which the platform did not say whether it was paid."""
        self._intent(
            visit.listing,
            visit,
            Intent.Kind.BONUS,
            reason="remark",
            pays="0.75",
            fee="0.30",
            commits="1.05",
            state=Intent.State.NEEDS_PERSON,
            error=stored(_("The platform has given no clear answer for a day.")),
        )

    def _intent(
        self,
        listing: Listing | None,
        visit: Visit | None,
        kind: Intent.Kind,
        *,
        reason: str = "",
        pays: str,
        fee: str = "0.00",
        commits: str = "0.00",
        minutes_ago: int = 5,
        state: Intent.State = Intent.State.CONFIRMED,
        error: str = "",
    ) -> None:
        assert listing is not None
        at = timezone.now() - timedelta(minutes=minutes_ago)
        Intent.objects.create(
            listing=listing,
            visit=visit,
            kind=kind,
            reason_code=reason,
            currency="USD",
            pays=Decimal(pays),
            fee=Decimal(fee),
            commits=Decimal(commits),
            state=state,
            error=error,
            attempts=1,
            planned_at=at,
            first_sent_at=at,
            settled_at=at if state == Intent.State.CONFIRMED else None,
            requested_by=self.desk.user,
        )
