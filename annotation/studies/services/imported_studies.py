"""A study whose values were collected elsewhere: a draft becomes one, and a draft again."""

from django.db import transaction

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services.imported_rules import refuse_changing
from annotation.core.services.locks import lock_study
from annotation.kinds.registry import kind_of
from annotation.kinds.services.design_rows import drop_rows
from annotation.models import Job, Study
from annotation.studies import presets
from annotation.studies.services.studies import new_seed

# Of every imported study, which has nothing to draw but resamples: the same table imported twice
# has the same intervals.
SEED = 1


@transaction.atomic
def mark(*, study: Study) -> Study:
    """Say of a draft that its values are imported: nobody is asked, and its design is dropped.

    Raises StateError if people were asked, or are about to be.
    """
    study = lock_study(study.pk)
    if study.is_imported:
        return study  # a double click
    refuse_marking(study)
    for design in study.designs.all():
        drop_rows(design)
    note(study)
    return study


def refuse_marking(study: Study) -> None:
    """Raise StateError, with the reason, if a study cannot be marked as imported."""
    if reason := refusal(study):
        raise StateError(reason)


def refusal(study: Study) -> Said:
    """Why a study cannot be marked as imported; empty if it can."""
    if not study.is_draft:
        return _("Only a draft can be marked as imported, and this study has been opened.")
    if reason := kind_of(study).studies.why_no_imported_values:
        return reason
    if presets.review_of(study.preset):
        return _(
            "This study reviews the items of a scored study, so it cannot be an imported one."
        )
    if study.filling_job_id is not None:
        return _(
            "The items of the earlier round are being copied. Wait until this is "
            "done, or cancel it."
        )
    if study.annotators.exists():
        return _("This draft has people on its roster. Remove them first.")
    if study.listings.exists():
        return _("This draft has listings on platforms. Remove them first.")
    if study.jobs.filter(kind=Job.Kind.MAKE_DESIGN, state__in=Job.UNFINISHED).exists():
        return _("The design is being made. Wait until this is done, or cancel it.")
    return ""


def note(study: Study) -> None:
    """Store that a draft is imported. The caller holds the study's lock."""
    study.state = Study.State.IMPORTED
    study.closed_at = clock.now()
    study.save(update_fields=["state", "closed_at"])
    study.designs.update(seed=SEED)


@transaction.atomic
def unmark(*, study: Study) -> Study:
    """Make an imported study a draft again, which can be designed and opened.

    Raises FrozenError if answers, a release or another study rest on its values.
    """
    study = lock_study(study.pk)
    if study.is_draft:
        return study  # a double click
    if not study.is_imported:
        raise StateError(_("Only an imported study can be made a draft again."))
    refuse_changing(study)
    study.state = Study.State.DRAFT
    study.closed_at = None
    study.save(update_fields=["state", "closed_at"])
    study.designs.update(seed=new_seed())
    return study
