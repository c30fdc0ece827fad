"""Archiving a study: lists leave it out, and everything else stays as it is."""

from django.db import transaction

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services.locks import lock_study
from annotation.core.signals import study_archiving
from annotation.models import Study


def obstacles(study: Study) -> list[Said]:
    """Why a study must stay in sight: it takes people or answers, or money may be owed."""
    if study.takes_answers:
        return [_("This study can still receive answers. Finish it before you archive it.")]
    answers = study_archiving.send(Study, study=study)
    return [sentence for _receiver, sentences in answers for sentence in sentences]


@transaction.atomic
def archive(*, study: Study) -> Study:
    """Leave a study out of the lists. Raises StateError if it must stay in sight."""
    study = lock_study(study.pk)
    if study.archived_at is not None:
        return study  # a double click
    if reasons := obstacles(study):
        raise StateError(" ".join(map(str, reasons)))
    study.archived_at = clock.now()
    study.save(update_fields=["archived_at"])
    return study


@transaction.atomic
def restore(*, study: Study) -> Study:
    study = lock_study(study.pk)
    study.archived_at = None
    study.save(update_fields=["archived_at"])
    return study
