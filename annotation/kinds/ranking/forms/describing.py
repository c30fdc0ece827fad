"""The texts of a ranking study: one question, which says what comes first."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.kinds.forms.describing import DescribeForm


class DescribeRankingForm(DescribeForm):
    """With the question by which people put items in order."""

    rating_question = forms.CharField(
        label=gettext_lazy("Question for the order"),
        max_length=300,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
        help_text=gettext_lazy("Say what comes first and what comes last."),
    )

    FROZEN_NOTE = gettext_lazy(
        "This study has been opened. Its language, instructions, question and comprehension"
        " question are frozen, so that everybody answers the same question. To ask a different"
        " question, create a new study."
    )
    OF_STUDY = ("title", "language", "rating_question")
    field_order = [
        *OF_STUDY,
        "consent",
        *DescribeForm.OF_CHANGED_CONSENT,
        *("instructions", "thanks"),
    ]
