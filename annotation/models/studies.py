"""A study: one data collection of one researcher."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.basics import keys
from annotation.basics.scale import Scale
from annotation.models.kinds import QuestionKind

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

    from annotation.models.designs import Design


# 32**8 codes: a right one always passes, so wrong ones need no count.
INVITATION_LENGTH = 8


MAX_SCREEN_SECONDS = 60


def new_join_token() -> str:
    return secrets.token_urlsafe(12)


def new_invitation_code() -> str:
    return keys.new_code(INVITATION_LENGTH)


def default_screen_seconds() -> float:
    return float(settings.SCREEN_SECONDS)


class StudyQuerySet(models.QuerySet["Study"]):
    def archived(self) -> StudyQuerySet:
        return self.filter(archived_at__isnull=False)

    def listed(self) -> StudyQuerySet:
        """Those that lists show unless the archived ones are asked for."""
        return self.filter(archived_at=None)

    def seen_by(self, user: User | AnonymousUser) -> StudyQuerySet:
        """The user's own studies and those shared with them; a superuser sees all."""
        if not user.is_authenticated or not user.is_active or not user.is_staff:
            return self.none()
        if user.is_superuser:
            return self
        shares = StudyShare.objects.filter(study=models.OuterRef("pk"), user=user)
        return self.filter(models.Q(owner=user) | models.Exists(shares))

    def edited_by(self, user: User | AnonymousUser) -> StudyQuerySet:
        """Those that the user may change, too: what is shared for reading alone is left out."""
        seen = self.seen_by(user)
        if not user.is_authenticated or user.is_superuser:
            return seen
        readers = StudyShare.objects.filter(
            study=models.OuterRef("pk"), user=user, role=StudyShare.Role.READER
        )
        return seen.exclude(~models.Q(owner=user) & models.Exists(readers))


class Study(models.Model):
    """One data collection, from its items to its data set."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        OPEN = "open", _("open")
        PAUSED = "paused", _("paused")
        CLOSED = "closed", _("closed")
        FINISHED = "finished", _("finished")
        # Its values were collected elsewhere and came from a file: nobody is ever asked here.
        IMPORTED = "imported", _("imported")

    # Nobody new comes any more.
    OVER = (State.CLOSED, State.FINISHED, State.IMPORTED)
    # Nobody is asked: not yet, or never.
    UNASKED = (State.DRAFT, State.IMPORTED)

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    language = models.CharField(
        max_length=12, default="en", help_text=_("Of the texts and of the annotator's pages.")
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    kind = models.CharField(
        max_length=12, choices=QuestionKind.choices, default=QuestionKind.BEST_WORST
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="studies", editable=False
    )
    shared_with = models.ManyToManyField(
        settings.AUTH_USER_MODEL,
        through="annotation.StudyShare",
        related_name="shared_studies",
        blank=True,
    )
    earlier_round = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="later_rounds", editable=False
    )
    # The job that writes items, a design or finished answers into a draft, or was killed while it
    # did: until it is done, or what it wrote is deleted, only some of them are here, and nothing
    # can be made of them (annotation/studies/services/filling.py).
    filling_job = models.ForeignKey(
        "annotation.Job", models.SET_NULL, null=True, editable=False, related_name="+"
    )
    # A pilot is a study of its own: what it asks may be worded differently than what comes of it.
    pilot_of = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="pilots", editable=False
    )
    # Nothing is published on a paid platform unless somebody switches this off.
    dry_run = models.BooleanField(default=True, editable=False)
    preset = models.CharField(max_length=40, blank=True, editable=False)

    instructions = models.TextField(blank=True, help_text=_("Markdown."))
    thanks = models.TextField(blank=True, help_text=_("Markdown, shown after the last answer."))
    most_question = models.CharField(
        _("question for the best"), max_length=300, default="Which is most similar?"
    )
    least_question = models.CharField(
        _("question for the worst"), max_length=300, default="Which is least similar?"
    )
    rating_question = models.CharField(_("question for a rating"), max_length=300, blank=True)
    # As `annotation.basics.scale.Scale.as_json` writes it; empty where nothing is rated.
    scale = models.JSONField(default=dict, blank=True)
    # As `Categories.as_json` (annotation/basics) writes it; empty where nothing is labelled.
    categories = models.JSONField(default=dict, blank=True)
    # {"turns": [{"speaker", "text"}], "candidates": [text], "best": 1, "worst": 3, "explanation"}
    worked_example = models.JSONField(default=dict, blank=True)
    # {"prompt", "options": [text], "right": 1, "feedback"}; empty: no comprehension question
    comprehension = models.JSONField(default=dict, blank=True)
    # As `Questionnaires.as_json` (annotation/basics) writes it; empty: people are asked nothing
    # about themselves.
    questionnaires = models.JSONField(default=dict, blank=True)

    link_open = models.BooleanField(
        _("open link"),
        default=True,
        help_text=_("Anybody who has the link may take a place."),
    )
    join_token = models.CharField(
        max_length=40, unique=True, default=new_join_token, editable=False
    )
    # Whoever has it may join from a network from which many have joined already.
    invitation_code = models.CharField(max_length=20, default=new_invitation_code, editable=False)
    idle_minutes = models.PositiveIntegerField(
        default=settings.IDLE_MINUTES,
        validators=[MinValueValidator(5), MaxValueValidator(60 * 24 * 60)],
        help_text=_("Without activity for this long, a place is given to somebody else."),
    )
    min_screen_seconds = models.FloatField(
        default=default_screen_seconds,
        validators=[MinValueValidator(0), MaxValueValidator(MAX_SCREEN_SECONDS)],
    )
    max_booklets = models.PositiveIntegerField(
        _("booklets per person"),
        default=1,
        validators=[MaxValueValidator(10_000)],
        help_text=_("How many booklets one person may answer; 0 means as many as are left."),
    )

    # Whoever agreed to an earlier version of the consent text is asked anew; 0: nobody is.
    consent_asked = models.PositiveIntegerField(default=0, editable=False)

    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, editable=False)
    # Null while it is open again. Of an imported study: since when it is one.
    closed_at = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)
    # After so many days personal data are erased; null: the installation's number.
    retention_days = models.PositiveIntegerField(
        null=True, editable=False, validators=[MinValueValidator(1)]
    )
    # Since when the task that erases has found the time to be over; null: it is not, or not yet.
    retention_due_seen_at = models.DateTimeField(null=True, editable=False)
    # Left out of the lists of studies since; everything else goes on as before.
    archived_at = models.DateTimeField(null=True, editable=False)
    # When personal data were erased first; what comes afterwards goes with the next sweep.
    erased_at = models.DateTimeField(null=True, editable=False)

    objects = StudyQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "studies"
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=("draft", "imported"))
                | models.Q(opened_at__isnull=False),
                name="study_open_since",
            ),
            models.CheckConstraint(
                condition=~models.Q(state="imported")
                | models.Q(opened_at=None, finished_at=None, closed_at__isnull=False),
                name="study_imported_never_opened",
            ),
            # What takes people or answers does not vanish from sight.
            models.CheckConstraint(
                condition=models.Q(archived_at=None)
                | models.Q(state__in=("draft", "finished", "imported")),
                name="study_archived_takes_no_answers",
            ),
            models.CheckConstraint(
                condition=models.Q(pilot_of=None) | ~models.Q(pilot_of=models.F("pk")),
                name="study_no_pilot_of_itself",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def collected_until(self) -> datetime | None:
        """From when on nobody new came: the day from which personal data have their time."""
        return self.finished_at or self.closed_at

    @property
    def has_material(self) -> bool:
        """Whether there is something to ask about: items, or incidents to select from."""
        if self.filling_job is not None and self.filling_job.fills_material:
            return False
        if self.kind == QuestionKind.SELECTION:
            return self.context_groups.exists()
        return self.items.exists()

    @property
    def is_item_based(self) -> bool:
        """Whether each question is about one item, to be rated or labelled."""
        return self.kind in {QuestionKind.RATING, QuestionKind.LABEL}

    @property
    def has_worded_scale(self) -> bool:
        """Whether what is rated is shown as buttons with words, and not with a slider."""
        return self.kind == QuestionKind.RATING and bool(
            self.scale and Scale.of(self.scale).is_worded
        )

    @property
    def is_draft(self) -> bool:
        return self.state == self.State.DRAFT

    @property
    def is_imported(self) -> bool:
        """Whether its values were collected elsewhere, so that nobody is asked here."""
        return self.state == self.State.IMPORTED

    @property
    def is_imported_table(self) -> bool:
        """Whether only values were imported, and no answers."""
        return self.is_imported and not self.annotators.exists()

    @property
    def takes_new_people(self) -> bool:
        return self.state == self.State.OPEN

    @property
    def takes_answers(self) -> bool:
        """Whoever was let in may finish, also while the study is paused or closed."""
        return self.state in {self.State.OPEN, self.State.PAUSED, self.State.CLOSED}

    @property
    def design(self) -> Design:
        """The design that is edited, opened and answered: the latest."""
        design = self.designs.order_by("-number").first()
        if design is None:
            raise LookupError(f"study {self.slug} has no design")
        return design

    @property
    def example(self) -> dict[str, Any] | None:
        return self.worked_example or None


class StudyShare(models.Model):
    """With whom a study is shared, and for what."""

    class Role(models.TextChoices):
        # Everything but sharing and deleting the study.
        EDITOR = "editor", _("editor")
        # Sees results and data under pseudonyms; changes nothing.
        READER = "reader", _("reader")

    study = models.ForeignKey(Study, models.CASCADE, related_name="shares")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.EDITOR)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="study_share_once"),
            models.CheckConstraint(
                condition=models.Q(role__in=("editor", "reader")), name="study_share_role"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study} for {self.user}: {self.role}"
