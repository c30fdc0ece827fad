"""What people answered about themselves."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.people import Annotator


class QuestionnaireReply(models.Model):
    """Somebody's answers to one questionnaire; a draft until it is completed."""

    class Moment(models.TextChoices):
        BEFORE = "before", _("before the task")
        BETWEEN = "between", _("before the second part")
        AFTER = "after", _("after the task")

    annotator = models.ForeignKey(Annotator, models.CASCADE, related_name="replies")
    moment = models.CharField(max_length=10, choices=Moment.choices)
    # By key of the question, as `annotation.basics.person_questions.Value`.
    values = models.JSONField(default=dict)
    # Keys of the questions that they preferred not to answer.
    declined = models.JSONField(default=list)
    # An answer has ended the study for this person.
    screened_out = models.BooleanField(default=False)
    saved_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "questionnaire replies"
        constraints = [
            models.UniqueConstraint(fields=["annotator", "moment"], name="reply_once_per_moment"),
            models.CheckConstraint(
                condition=Q(screened_out=False) | Q(completed_at__isnull=False),
                name="reply_screened_out_is_complete",
            ),
        ]

    def __str__(self) -> str:
        return f"questionnaire {self.moment} of {self.annotator}"
