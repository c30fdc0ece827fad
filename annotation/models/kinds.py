"""The enumerations that several models share."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Source(models.TextChoices):
    """Who answers: fixed from the birth of an annotator and of a place."""

    REAL = "real", _("real")
    SIMULATED = "simulated", _("simulated")
    IMPORTED = "imported", _("imported")


class QuestionKind(models.TextChoices):
    BEST_WORST = "best_worst", _("best-worst")
    RATING = "rating", _("rating")
    LABEL = "label", _("label")
    SELECTION = "selection", _("selection")
