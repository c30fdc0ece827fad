"""Sharing a study, and deleting a draft."""

from django.contrib.auth.models import User
from django.db import transaction

from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.services import redaction, trained_models, wiping
from annotation.core.services.locks import lock_study
from annotation.core.signals import study_deleted
from annotation.kinds.services.design_rows import drop_rows
from annotation.models import Annotator, Exclusion, Person, Study, StudyShare
from annotation.studies.services import filling

Role = StudyShare.Role


@transaction.atomic
def share(*, study: Study, username: str, role: str = Role.EDITOR) -> User:
    """Let another researcher use the study and its pilots: as a reader, or all but share it.

    Somebody whom it is shared with has the role that is named last.
    """
    if not username:
        raise AnnotationError(_("Enter a user name or an e-mail address."))
    user = User.objects.filter(username=username).first()
    if user is None and "@" in username:
        # An address names one person, however it is capitalised.
        user = User.objects.filter(email__iexact=username).first()
    if user and user.is_active and not user.is_staff:
        raise AnnotationError(
            _(
                "“%(name)s” has an account but cannot log in here. An administrator "
                "can allow it: Researchers, All settings, “Staff status”."
            )
            % {"name": username}
        )
    if user is None or not user.is_active:
        raise AnnotationError(
            _(
                "There is no researcher “%(name)s” here. Check the spelling, or ask "
                "an administrator to invite your colleague on the Researchers page."
            )
            % {"name": username}
        )
    if user.pk == study.owner_id:
        raise AnnotationError(_("%(name)s already owns this study.") % {"name": username})
    set_role(study=study, user=user, role=role)
    return user


@transaction.atomic
def set_role(*, study: Study, user: User, role: str) -> None:
    """Say what somebody may do in a study, and in its pilots, which hold its items."""
    if role not in Role.values:
        raise AnnotationError(_("Choose whether your colleague is an editor or a reader."))
    for shared_study in _with_pilots(study):
        if shared_study.owner_id != user.pk:
            StudyShare.objects.update_or_create(
                study=shared_study, user=user, defaults={"role": role}
            )


def share_pilot(*, study: Study, pilot: Study) -> None:
    """A new pilot is shared as its study is."""
    StudyShare.objects.bulk_create(
        StudyShare(study=pilot, user_id=share.user_id, role=share.role)
        for share in study.shares.order_by("pk")
    )


@transaction.atomic
def unshare(*, study: Study, user: User) -> None:
    """Take a study away from somebody, and its pilots, which hold its items."""
    for shared_study in _with_pilots(study):
        shared_study.shared_with.remove(user)


def _with_pilots(study: Study) -> list[Study]:
    """The study, locked, and its pilots: a pilot made meanwhile is shared like its study."""
    study = lock_study(study.pk)
    return [study, *study.pilots.order_by("pk")]


def delete_draft(*, study: Study) -> None:
    """Delete a study that nobody has answered; collected data stay.

    Its items go first, in short transactions. Raises StateError once the study was opened or has
    answers.
    """
    with transaction.atomic():
        study = lock_study(study.pk)
        _refuse_deleting(study)
        study.results.all().delete()
    filling.delete_draft_rows(study)
    _delete(study)


def _refuse_deleting(study: Study) -> None:
    if (
        not study.is_draft
        or Annotator.objects.filter(study=study, assignments__isnull=False).exists()
    ):
        raise StateError(_("Only a draft without answers can be deleted."))
    if study.releases.exists():
        raise StateError(
            _("This study cannot be deleted: it has releases, which others may cite.")
        )
    filling.refuse_reviewed(study)


@transaction.atomic
def _delete(study: Study) -> None:
    study = lock_study(study.pk)
    _refuse_deleting(study)
    study.results.all().delete()
    for design in study.designs.all():
        drop_rows(design)
    people = list(Person.objects.filter(annotators__study=study).distinct())
    # Lines of the log stay: that somebody was put on a roster, or left out, and why.
    redaction.erase(study, redaction.words_of(people))
    Exclusion.objects.filter(annotator__study=study).delete()
    study.annotators.all().delete()
    known = [person.pk for person in people]
    Person.objects.filter(pk__in=known, annotators=None, visits=None).delete()
    # Afterwards the study does not know its key any more.
    study_id = study.pk
    study.delete()
    study_deleted.send(Study, study_id=study_id)
    transaction.on_commit(lambda: trained_models.forget(study_id), robust=True)
    transaction.on_commit(wiping.wipe)
