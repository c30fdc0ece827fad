"""The questionnaires of a study, as its row has them."""

from annotation.basics.questionnaires import Questionnaires
from annotation.models import Study


def of(study: Study) -> Questionnaires:
    return Questionnaires.of(study.questionnaires)
