"""Questions whose answer is known, and what people were told of their answers to them."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.items import Item, Pool
from annotation.models.judgments import Judgment
from annotation.models.studies import Study


class Check(models.Model):
    """What has a known answer: an item to rate or label, or a pool that is one tuple.

    The answer itself is the items' `expected`: of a pool the highest is the best and the lowest
    the worst. Named categories stand here.
    """

    class Style(models.TextChoices):
        TUTORIAL = "tutorial", _("tutorial: explains the answer")
        LOUD = "loud", _("loud: asks again after a wrong answer")
        SILENT = "silent", _("silent: only noted")

    study = models.ForeignKey(Study, models.CASCADE, related_name="checks")
    item = models.OneToOneField(Item, models.CASCADE, null=True, related_name="known_answer")
    pool = models.OneToOneField(Pool, models.CASCADE, null=True, related_name="known_answer")
    style = models.CharField(max_length=10, choices=Style.choices)
    # In the language of the study; shown with the answer.
    explanation = models.TextField(blank=True)
    # A rating so far from the expected one is still right.
    tolerance = models.DecimalField(max_digits=8, decimal_places=3, default=0)
    # Of a label question: the names of the right categories.
    categories = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["study", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(item__isnull=True, pool__isnull=False)
                | Q(item__isnull=False, pool__isnull=True),
                name="check_of_item_or_pool",
            ),
            models.CheckConstraint(
                condition=Q(tolerance__gte=0), name="check_tolerance_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.style} check {self.item or self.pool}"


class Telling(models.Model):
    """An answer to a check whose giver was told whether it is right."""

    judgment = models.OneToOneField(Judgment, models.PROTECT, related_name="telling")
    told_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"told of {self.judgment}"
