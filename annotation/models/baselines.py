"""Measures beside what people said: their values for the items, and the leaderboard."""

from typing import TYPE_CHECKING, Any

from django.conf import settings as project
from django.db import models
from django.db.models import F, Q

import scoring
from annotation.models.fields import FiguresField, MessageField
from annotation.models.jobs import Job
from annotation.models.studies import Study

if TYPE_CHECKING:
    from scoring.arrays import FloatArray


class Baseline(models.Model):
    """One measure of a study's items: computed here, or uploaded by whoever computed it."""

    # Uploaded values have no measure of ours.
    UPLOADED = "uploaded"
    MULTIPLE_CHOICE = "multiple_choice"
    # Figures that compare values with people's scores.
    FIGURES_OF_PEOPLE = frozenset(
        (
            *("people", "layers", "layers_by_overlap", "definition", "n", "right", "accuracy"),
            *("standard_error", "chance", "reason", "n_left_out", "n_tied", "by_subset"),
            *("shuffles", "dialogues"),
        )
    )

    study = models.ForeignKey(Study, models.CASCADE, related_name="baselines")
    job = models.ForeignKey(Job, models.SET_NULL, null=True, related_name="baselines")
    measure = models.CharField(max_length=40)
    # All that the values depend on beside the texts: model, layer, what is done with the context.
    settings = models.JSONField(default=dict, blank=True)
    # As tables show it; names its settings.
    name = models.CharField(max_length=200)
    # Of the model: the commit of its repository, or a digest of its weights.
    revision = models.CharField(max_length=100, blank=True)
    # Floats in the order of the items' numbers; nan where there is none.
    values = models.BinaryField()
    n_items = models.PositiveIntegerField()
    n_missing = models.PositiveIntegerField(default=0)
    # Of the items and texts that they were computed from: other ones have other values.
    digest = models.CharField(max_length=64)
    # Figures beside the values. Some compare them with people's scores, such as the accuracy of
    # multiple choice: `people` says with whose.
    figures = FiguresField(default=dict, blank=True)
    device = MessageField(max_length=100, blank=True)
    seconds = models.FloatField(null=True)
    computed_at = models.DateTimeField()
    code_version = models.CharField(max_length=40)
    by = models.ForeignKey(project.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["study", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="baseline_name_once"),
            models.CheckConstraint(
                condition=Q(n_missing__lte=F("n_items")), name="baseline_missing_are_items"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def array(self) -> "FloatArray":
        """The values, in the order of the items' numbers."""
        return scoring.unpacked_floats(bytes(self.values))

    @property
    def figures_without_people(self) -> dict[str, Any]:
        """What was not computed with people's scores; `people` is None."""
        if not self.figures.get("people"):
            return dict(self.figures)
        own = {
            name: figure
            for name, figure in self.figures.items()
            if name not in self.FIGURES_OF_PEOPLE
        }
        return {**own, "people": None}

    @staticmethod
    def packed(values: "FloatArray") -> bytes:
        """Values as `values` stores them."""
        return scoring.packed_floats(values)


class BaselineReport(models.Model):
    """A leaderboard as a job computed it: people's scores x measures x subsets."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="baseline_reports")
    job = models.ForeignKey(Job, models.SET_NULL, null=True, related_name="reports")
    # Whose scores, which subsets, how the intervals were drawn.
    parameters = models.JSONField(default=dict)
    figures = FiguresField()
    computed_at = models.DateTimeField()
    code_version = models.CharField(max_length=40)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"leaderboard of {self.study}, {self.computed_at:%Y-%m-%d %H:%M}"


class Training(models.Model):
    """A model that was trained on pairs with people's scores, and what it then finds in tests."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="trainings")
    job = models.ForeignKey(Job, models.SET_NULL, null=True, related_name="trainings")
    # Also that of its folder, below that of the study.
    name = models.CharField(max_length=60)
    # bi_encoder or cross_encoder.
    kind = models.CharField(max_length=20)
    # From which it started.
    model = models.CharField(max_length=200)
    revision = models.CharField(max_length=100, blank=True)
    # How it was trained, and on what.
    parameters = models.JSONField(default=dict)
    figures = FiguresField(default=dict)
    device = MessageField(max_length=100, blank=True)
    seconds = models.FloatField(null=True)
    trained_at = models.DateTimeField()
    code_version = models.CharField(max_length=40)
    by = models.ForeignKey(project.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["study", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="training_name_once")
        ]

    def __str__(self) -> str:
        return self.name
