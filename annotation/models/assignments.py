"""One annotator's hold on one booklet, its phases, and the sittings on a platform."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.designs import Booklet, Phase, Place, Question
from annotation.models.kinds import Outcome
from annotation.models.people import Annotator, Person


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def live(self) -> "AssignmentQuerySet":
        return self.filter(state__in=Assignment.LIVE)

    def holding(self) -> "AssignmentQuerySet":
        """Those whose place nobody else may take."""
        return self.live().filter(is_surplus=False)


class Assignment(models.Model):
    """One annotator's hold on one booklet."""

    class State(models.TextChoices):
        ACTIVE = "active", _("active")
        WAITING = "waiting", _("waiting")
        SUBMITTED = "submitted", _("submitted")
        LAPSED = "lapsed", _("timed out")
        WITHDRAWN = "withdrawn", _("withdrawn")

    LIVE = ("active", "waiting", "submitted")

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="assignments")
    booklet = models.ForeignKey(Booklet, models.PROTECT, related_name="assignments")
    # The place held now or last; a surplus assignment remembers the one that was retaken.
    place = models.ForeignKey(Place, models.PROTECT, null=True, related_name="assignments")
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    is_surplus = models.BooleanField(default=False)
    # Somebody of the same name came from elsewhere, and no platform has confirmed that this was
    # the same person: it neither uses up the booklet nor counts; see `disputes.settle_dispute`.
    is_disputed = models.BooleanField(default=False)
    # Screens of questions that were drawn for this person, after those of the booklet; the same
    # in each phase.
    n_own_screens = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    last_active_at = models.DateTimeField()

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["place"],
                condition=Q(state__in=("active", "waiting", "submitted"), is_surplus=False),
                name="assignment_one_live_per_place",
            ),
            models.UniqueConstraint(
                fields=["annotator", "booklet"],
                condition=Q(is_disputed=False),
                name="assignment_booklet_once_per_annotator",
            ),
        ]
        indexes = [models.Index(fields=["state", "last_active_at"], name="assignment_overdue")]

    def __str__(self) -> str:
        return f"{self.annotator} on {self.booklet}"

    @property
    def n_screens(self) -> int:
        """Screens in each phase."""
        return self.booklet.n_screens + self.n_own_screens

    @property
    def is_open(self) -> bool:
        """Whether answers are still taken: a lapsed one is taken up again by answering."""
        return self.state in {self.State.ACTIVE, self.State.LAPSED}


class PhaseRun(models.Model):
    """An assignment in one phase. Of a place and phase, the run completed first is counted."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="runs")
    phase = models.ForeignKey(Phase, models.PROTECT, related_name="runs")
    opens_at = models.DateTimeField()
    # From then on the phase can no longer be begun; null: it can be as long as the study goes on.
    closes_at = models.DateTimeField(null=True)
    opened_early_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    reason = models.TextField(blank=True)
    completed_at = models.DateTimeField(null=True)
    lapsed_at = models.DateTimeField(null=True)
    # Where to write when it opens; emptied once that was done, and by withdrawal.
    reminder_email = models.EmailField(blank=True)
    # The address of the page to come back by, as the one who asked reaches it.
    way_back = models.CharField(max_length=300, blank=True)
    reminded_at = models.DateTimeField(null=True)
    # When a worker took it upon itself to write; others leave it alone for a while.
    reminding_since = models.DateTimeField(null=True)
    # Set with `completed_at`: whose place it was, and whether this run is the one that is scored.
    place = models.ForeignKey(Place, models.PROTECT, null=True, related_name="runs")
    is_counted = models.BooleanField(default=False)
    # Answered in less than the minimum time: not scored until a researcher lets it count.
    is_held = models.BooleanField(default=False)
    # Had been held until a researcher reviewed it.
    was_held = models.BooleanField(default=False)
    # What its answers add up to, checks left out: a worker counts them once the run is complete,
    # for they change by withdrawal alone, which empties these again. Read by `queries.run_sums`.
    n_answers = models.PositiveIntegerField(null=True)
    # A primary key; null where there is no answer.
    last_judgment = models.BigIntegerField(null=True)
    sum_of_keys = models.BigIntegerField(null=True)
    # With checks: of how many answers a browser counted what `Judgment.n_away` and `n_pasted` are,
    # and in how many it counted any.
    n_watched = models.PositiveIntegerField(null=True)
    n_with_focus_lost = models.PositiveIntegerField(null=True)
    n_with_paste = models.PositiveIntegerField(null=True)

    class Meta:
        # Pages ask who is held for review, and what is not counted yet; few are, of however many.
        indexes = [
            models.Index(fields=["phase"], condition=Q(is_held=True), name="phase_run_held"),
            models.Index(
                fields=["phase"], condition=Q(n_answers=None), name="phase_run_not_summed"
            ),
        ]
        ordering = ["assignment", "phase"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "phase"], name="run_phase_once_per_assignment"
            ),
            models.UniqueConstraint(
                fields=["place", "phase"],
                condition=Q(is_counted=True),
                name="run_one_counted_per_place_and_phase",
            ),
            models.CheckConstraint(
                condition=Q(is_counted=False) | Q(completed_at__isnull=False, place__isnull=False),
                name="run_counted_is_complete",
            ),
            models.CheckConstraint(
                condition=~Q(is_counted=True, is_held=True), name="run_held_is_not_counted"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.phase} of {self.assignment}"

    @property
    def questions(self) -> models.QuerySet[Question]:
        """Those of the booklet in this phase, and those that were drawn for this person."""
        mine = Q(booklet=self.assignment.booklet_id)
        if self.assignment.n_own_screens:
            mine |= Q(assignment=self.assignment_id)
        return Question.objects.filter(mine, block__phase=self.phase_id)


class Visit(models.Model):
    """One sitting on a platform: one HIT assignment or one Prolific submission."""

    class State(models.TextChoices):
        """What we know of it; what was decided about paying stands in its intents."""

        # Came in and may answer.
        WORKING = "working", _("working")
        # Reached an outcome here.
        ENDED = "ended", _("ended")
        # Another one took its place: the same person's next, or another holder of the same id.
        CLOSED = "closed", _("closed")
        # The platform has it, and it never came here, or not to an end.
        REMOTE = "remote", _("only on the platform")

    class Remote(models.TextChoices):
        """What the platform says of it; one word for all platforms."""

        UNSEEN = "", _("not seen")
        ACTIVE = "active", _("active")
        SUBMITTED = "submitted", _("submitted")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")
        RETURNED = "returned", _("returned")
        TIMED_OUT = "timed_out", _("timed out")
        SCREENED_OUT = "screened_out", _("screened out")

    # Taken back by the person, or refused: nobody is paid for it, and it is not scored.
    GIVEN_UP = ("returned", "rejected")

    # Null where nothing was claimed: without consent, nothing left, too early, never came.
    run = models.ForeignKey(PhaseRun, models.PROTECT, null=True, related_name="visits")
    listing = models.ForeignKey(
        "annotation.Listing", models.PROTECT, null=True, related_name="visits"
    )
    ticket = models.ForeignKey(
        "annotation.Ticket", models.PROTECT, null=True, related_name="visits"
    )
    # Whom the platform pays; kept until that is settled, also where the answers are withdrawn.
    person = models.ForeignKey(Person, models.SET_NULL, null=True, related_name="visits")
    platform = models.CharField(max_length=20)
    environment = models.CharField(max_length=60, blank=True)
    submission_id = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=20, choices=State.choices, default=State.WORKING)
    remote_state = models.CharField(
        max_length=12, choices=Remote.choices, default=Remote.UNSEEN, blank=True
    )
    outcome = models.CharField(max_length=20, choices=Outcome.choices, blank=True)
    # The holder may answer in this visit, and in no other of the same person.
    key_hash = models.CharField(max_length=64, unique=True, null=True)
    # Shown by the last page alone: the platform tells it us again as a proof of the work.
    receipt_hash = models.CharField(max_length=64, blank=True)
    # The platform vouches for who it is: by a signed launch, or by showing the submission.
    verified_at = models.DateTimeField(null=True)
    # Shown as to be paid when the money for it was free: an approval must fit below the cap.
    came_after_release = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)
    # The platform's times: begun, handed in, until when it could be.
    accepted_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    deadline = models.DateTimeField(null=True)
    # What was handed in there: fields of a form, or the code that was typed.
    handed_in = models.JSONField(default=dict)
    # Why a person must look at it; as `sentences.stored` writes it, empty: nobody must.
    doubt = models.TextField(blank=True)
    note = models.TextField(blank=True)

    class Meta:
        constraints = [
            # A returned assignment's id may be handed to another worker.
            models.UniqueConstraint(
                fields=["platform", "environment", "submission_id", "person"],
                condition=~Q(submission_id=""),
                name="visit_submission_once_per_person",
            ),
            # An id belongs to one at a time.
            models.UniqueConstraint(
                fields=["platform", "environment", "submission_id"],
                condition=~Q(submission_id="") & ~Q(state="closed"),
                name="visit_submission_held_by_one",
            ),
            models.CheckConstraint(
                condition=~Q(state="ended") | ~Q(outcome="") & Q(ended_at__isnull=False),
                name="visit_ended_with_outcome",
            ),
            models.CheckConstraint(
                condition=~Q(outcome="completed") | Q(run__isnull=False),
                name="visit_completed_in_a_run",
            ),
        ]

    def __str__(self) -> str:
        return f"visit {self.pk} on {self.platform}"
