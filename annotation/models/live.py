"""What a worker stores of a study that is under way, so that its live page computes nothing."""

from django.db import models

from annotation.models.designs import Design
from annotation.models.fields import FiguresField


class LiveCount(models.Model):
    """How many answers there are and when they came: one row, counted anew while answers come."""

    design = models.ForeignKey(Design, models.CASCADE, related_name="live_counts")
    # "people" or "simulated", as of a result.
    population = models.CharField(max_length=10)
    # Null: nobody has counted yet.
    counted_at = models.DateTimeField(null=True)
    # All that are current, checks left out; of them those that are scored.
    n_answers = models.PositiveIntegerField(default=0)
    n_counted = models.PositiveIntegerField(default=0)
    # {"answers" | "joined" | "completed": [[hour as ISO 8601 in UTC, how many], ...],
    #  "last_hour" | "last_day": answers in that time}
    hours = models.JSONField(default=dict)
    # Medians of very many answers by source, as `queries.progress.times` finds them: no page sorts
    # a million. As old as the statistics.
    times = models.JSONField(default=dict)
    # Whoever counts now; a claim that is old was left by a worker that died.
    claimed_at = models.DateTimeField(null=True)
    # When the statistics were last looked at, and how long they took.
    measured_at = models.DateTimeField(null=True)
    seconds = models.FloatField(default=0.0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["design", "population"], name="live_count_once_per_population"
            )
        ]

    def __str__(self) -> str:
        return f"{self.n_answers} answers ({self.population}) to {self.design}"


class ProgressPoint(models.Model):
    """Reliability and agreement as they were with so many answers; points make the curves."""

    design = models.ForeignKey(Design, models.CASCADE, related_name="progress_points")
    population = models.CharField(max_length=10)
    at = models.DateTimeField()
    n_judgments = models.PositiveIntegerField()
    last_judgment = models.BigIntegerField(null=True)
    sum_of_keys = models.BigIntegerField(default=0)
    # By phase, a few numbers each: read for the curves.
    figures = FiguresField()
    # By phase: distribution and uncertain items. Read of the latest point alone.
    details = FiguresField()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["design", "population"], name="progress_point_of")]

    def __str__(self) -> str:
        return f"{self.n_judgments} answers ({self.population}) to {self.design}"
