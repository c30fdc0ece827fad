"""The questionnaires of a study, as its row has them, and how many people answered each."""

from collections import defaultdict
from collections.abc import Mapping

from django.db.models import Count, Q

from annotation.basics.questionnaires import Questionnaires
from annotation.models import QuestionnaireReply, Study


def of(study: Study) -> Questionnaires:
    return Questionnaires.of(study.questionnaires)


def counts(study: Study) -> Mapping[str, tuple[int, int]]:
    """By moment: how many people completed it, and how many of them were screened out by it."""
    rows = (
        QuestionnaireReply.objects.filter(annotator__study=study, completed_at__isnull=False)
        .values("moment")
        .annotate(n=Count("pk"), n_screened_out=Count("pk", filter=Q(screened_out=True)))
    )
    counted = {row["moment"]: (row["n"], row["n_screened_out"]) for row in rows}
    return defaultdict(lambda: (0, 0), counted)
