"""Work in the background, and what it stored."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.basics import sentences
from annotation.models.designs import Design
from annotation.models.fields import FiguresField
from annotation.models.items import Item
from annotation.models.people import Annotator
from annotation.models.studies import Study


class Job(models.Model):
    """A piece of work; Celery carries its id, this row carries everything else."""

    class Kind(models.TextChoices):
        IMPORT_ITEMS = "import_items", pgettext_lazy("job", "import items")
        MAKE_DESIGN = "make_design", pgettext_lazy("job", "make the design")
        SCORE = "score", pgettext_lazy("job", "score")
        EXPORT = "export", pgettext_lazy("job", "prepare the download")
        BASELINES = "baselines", pgettext_lazy("job", "compute baselines")
        TRAIN = "train", pgettext_lazy("job", "train a model")
        RELEASE = "release", pgettext_lazy("job", "make a release")
        COMPARE = "compare", pgettext_lazy("job", "scores with and without people")
        CONTINUE = "continue", pgettext_lazy("job", "take the items of the earlier round")
        LEXICAL = "lexical", pgettext_lazy("job", "lexical statistics")
        SEND_LINKS = "send_links", pgettext_lazy("job", "send personal links")
        COPY = "copy", pgettext_lazy("job", "copy the items")

    class State(models.TextChoices):
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        # By a person; it is never taken up again.
        CANCELLED = "cancelled", pgettext_lazy("job", "cancelled")

    UNFINISHED = (State.QUEUED, State.RUNNING)
    # What can be started once more.
    ENDED_EARLY = (State.FAILED, State.CANCELLED)
    # These may take hours; the other kinds end with the study's size.
    LONG_KINDS = (Kind.BASELINES, Kind.TRAIN)
    # Their problems quote files and addresses, and so may say who people are.
    NAMING_KINDS = (Kind.IMPORT_ITEMS, Kind.SEND_LINKS)
    # These take the items of another study.
    COPYING_KINDS = (Kind.CONTINUE, Kind.COPY)

    study = models.ForeignKey(Study, models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    parameters = models.JSONField(default=dict)
    # What it found, where that is only looked at and is no result of the study.
    figures = FiguresField(null=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    progress = models.FloatField(default=0.0)
    # Both as `sentences.stored` writes them, an error a line; to be read as `said`, `problems`.
    message = models.CharField(max_length=500, blank=True)
    error = models.TextField(blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Whoever holds this token does the work; a worker taken for dead finds another one here.
    run_token = models.UUIDField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(progress__gte=0.0, progress__lte=1.0), name="job_progress_is_a_share"
            ),
            # Pressing a button twice starts one job.
            models.UniqueConstraint(
                fields=["study", "kind"],
                condition=Q(state__in=("queued", "running")),
                name="job_one_unfinished_per_kind",
            ),
        ]
        indexes = [models.Index(fields=["state", "heartbeat_at"], name="job_unfinished")]

    def __str__(self) -> str:
        return f"{self.what} ({self.state})"

    @property
    def what(self) -> str:
        """What the work is, in words."""
        if "sampled" in self.parameters:
            return str(pgettext_lazy("job", "draw pairs"))
        if "finished" in self.parameters:
            return str(pgettext_lazy("job", "import existing answers"))
        return str(self.get_kind_display())

    @property
    def is_long(self) -> bool:
        """Whether the work may take hours: such jobs have a queue and workers of their own."""
        # Drawing pairs by a model encodes every text first.
        encodes = bool(self.parameters.get("sampled", {}).get("model"))
        return encodes or self.kind in self.LONG_KINDS

    @property
    def fills_material(self) -> bool:
        """Whether it writes what is asked about, and not only a design of it."""
        return self.kind != self.Kind.MAKE_DESIGN

    @property
    def is_finished(self) -> bool:
        return self.state not in self.UNFINISHED

    @property
    def has_ended_early(self) -> bool:
        """Whether it failed or was cancelled."""
        return self.state in self.ENDED_EARLY

    @property
    def may_name_people(self) -> bool:
        """Whether its problems may say who people are, which readers of a study are not told."""
        return self.kind in self.NAMING_KINDS

    @property
    def said(self) -> str:
        """What the work is at, in the reader's language."""
        return sentences.read(self.message)

    @property
    def problems(self) -> list[str]:
        """Why it failed, for the person who started it, in the reader's language."""
        # Not splitlines, which also cuts at characters that a quoted name may hold.
        return [sentences.read(line) for line in self.error.split("\n") if line]


class WhenDoneManager(models.Manager[Any]):
    """What jobs have stored with all its rows: they write it in several transactions.

    A job is done with the last of them. The base manager has also what others have left.
    """

    def get_queryset(self) -> models.QuerySet[Any]:
        return super().get_queryset().filter(job__state=Job.State.DONE)


class Result(models.Model):
    """What a job stored, with what it was computed from; never computed again on a page view."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="results")
    design = models.ForeignKey(Design, models.PROTECT, related_name="results")
    job = models.OneToOneField(Job, models.PROTECT, related_name="result")
    kind = models.CharField(max_length=30)
    # "people" (real and imported answers) or "simulated": never both.
    population = models.CharField(max_length=10)
    computed_at = models.DateTimeField()
    code_version = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict)
    n_judgments = models.PositiveIntegerField()
    last_judgment = models.BigIntegerField(null=True)
    statistics = FiguresField()

    objects = WhenDoneManager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.study}, {self.computed_at:%Y-%m-%d %H:%M}"


class ItemScore(models.Model):
    """An item's score in one result; null for an item that was never shown."""

    result = models.ForeignKey(Result, models.CASCADE, related_name="item_scores")
    item = models.ForeignKey(Item, models.PROTECT, related_name="scores")
    appearances = models.PositiveIntegerField()
    best = models.PositiveIntegerField()
    worst = models.PositiveIntegerField()
    score = models.FloatField(null=True)
    # Interval and standard error of the score; null where there is none.
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    standard_error = models.FloatField(null=True)
    # Ranks in the pool that the significant differences leave, from 1, and the groups of items of
    # which no two differ significantly.
    rank_low = models.PositiveIntegerField(null=True)
    rank_high = models.PositiveIntegerField(null=True)
    first_group = models.PositiveIntegerField(null=True)
    last_group = models.PositiveIntegerField(null=True)
    # Max-diff logit within the pool, in logits; null where it was not fitted.
    utility = models.FloatField(null=True)
    utility_error = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["result", "item"], name="score_once_per_item"),
            # Never shown is not the same as average.
            models.CheckConstraint(
                condition=Q(appearances=0, score=None) | Q(appearances__gt=0, score__isnull=False),
                name="score_only_where_shown",
            ),
        ]

    def __str__(self) -> str:
        return f"score of {self.item}"

    @property
    def rescaled(self) -> float | None:
        return None if self.score is None else (self.score + 1) / 2


class AnnotatorStatistics(models.Model):
    """How one annotator answered, in one result; deleted when they withdraw."""

    result = models.ForeignKey(Result, models.CASCADE, related_name="annotators")
    annotator = models.ForeignKey(Annotator, models.CASCADE, related_name="statistics")
    n_judgments = models.PositiveIntegerField()
    # With the others: of best-worst answers the share of the implied pairs in the order of their
    # scores, of ratings the correlation with their mean, of labels the share that is what most of
    # them say; null where nothing can be compared.
    compliance = models.FloatField(null=True)
    # Of best-worst answers the implied pairs, else the questions that were compared.
    n_pairs = models.PositiveIntegerField()
    n_left_out = models.PositiveIntegerField()
    # Chi-square of the displayed positions of the picks; null where those are unknown.
    best_chi_square = models.FloatField(null=True)
    best_p = models.FloatField(null=True)
    worst_chi_square = models.FloatField(null=True)
    worst_p = models.FloatField(null=True)
    # As `scoring.Flag` writes them; the `other` of a copy is the primary key of whose it is.
    flags = FiguresField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["result", "annotator"], name="statistics_once_per_annotator"
            )
        ]

    def __str__(self) -> str:
        return f"statistics of {self.annotator}"


class WorkerMark(models.Model):
    """When a worker last came to a queue: a row for each, by which the pages know that it runs."""

    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"worker seen at {self.seen_at:%H:%M:%S}"
