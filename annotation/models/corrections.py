"""What a researcher corrects once answers are in; what was there before is kept."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.designs import Phase
from annotation.models.items import Context, Item
from annotation.models.studies import Study


class AdjudicationQuerySet(models.QuerySet["Adjudication"]):
    def current(self) -> "AdjudicationQuerySet":
        return self.filter(lifted_at=None)


class Adjudication(models.Model):
    """An expert's judgment of one item in one phase: it stands, and those of others are kept."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="adjudications")
    item = models.ForeignKey(Item, models.PROTECT, related_name="adjudications")
    phase = models.ForeignKey(Phase, models.PROTECT, related_name="adjudications")
    rating = models.DecimalField(max_digits=8, decimal_places=3, null=True)
    # Names of categories; empty where a rating was given.
    categories = models.JSONField(default=list, blank=True)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    # Taken back, or replaced by a later one.
    lifted_at = models.DateTimeField(null=True)

    objects = AdjudicationQuerySet.as_manager()

    class Meta:
        ordering = ["study", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "phase"],
                condition=Q(lifted_at=None),
                name="adjudication_one_current_per_item_and_phase",
            ),
            models.CheckConstraint(
                condition=Q(rating__isnull=False, categories=[])
                | Q(rating__isnull=True) & ~Q(categories=[]),
                name="adjudication_rating_or_categories",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="adjudication_has_reason"),
        ]

    def __str__(self) -> str:
        return f"adjudication of {self.item}"


class Relabelling(models.Model):
    """A change of a context's or an item's metadata after the import, with its reason."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="relabellings")
    context = models.ForeignKey(Context, models.CASCADE, null=True, related_name="relabellings")
    item = models.ForeignKey(Item, models.CASCADE, null=True, related_name="relabellings")
    # "domain" or "source" of a context; else a name in the metadata.
    field = models.CharField(max_length=200)
    # As JSON, so that an absent value (null) is told from an empty one.
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["study", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(context__isnull=True, item__isnull=False)
                | Q(context__isnull=False, item__isnull=True),
                name="relabelling_of_context_or_item",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="relabelling_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.field} of {self.context or self.item}"
