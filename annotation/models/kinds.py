"""The enumerations that several models share."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Source(models.TextChoices):
    """Who answers: fixed from the birth of an annotator and of a place."""

    REAL = "real", _("a person")
    SIMULATED = "simulated", _("a simulation")
    IMPORTED = "imported", _("an imported file")


class QuestionKind(models.TextChoices):
    BEST_WORST = "best_worst", _("best-worst")
    RATING = "rating", _("rating")
    LABEL = "label", _("label")
    SELECTION = "selection", _("selection")
    RANKING = "ranking", _("ranking")


class CrowdPlatform(models.TextChoices):
    """Where people are sent from who are paid, or credited, by somebody else."""

    PANEL = "panel", _("panel")
    PROLIFIC = "prolific", "Prolific"
    MTURK = "mturk", "Mechanical Turk"
    CONNECT = "connect", "CloudResearch Connect"


class Outcome(models.TextChoices):
    """How a visit ended; each has its own page, wording and code."""

    COMPLETED = "completed", _("completed")
    FAILED_CHECKS = "failed_checks", _("failed checks")
    SCREENED_OUT = "screened_out", _("screened out")
    NO_CONSENT = "no_consent", _("no consent")
    NOTHING_LEFT = "nothing_left", _("no questions left")
    TOO_EARLY = "too_early", _("too early")
