"""What researchers are called in files: a user name may be somebody's own or an address."""

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from annotation.models import Adjudication, Relabelling, Study, StudyShare


def names(study: Study) -> dict[int, str]:
    """By primary key: "researcher 1" and so on, of all who corrected something in a study."""
    who = {
        pk
        for model in (Adjudication, Relabelling)
        for pk in model._default_manager.filter(study=study).values_list("by", flat=True)
    }
    return {pk: f"researcher {number}" for number, pk in enumerate(sorted(who), start=1)}


def of_study(study: Study, user: User) -> QuerySet[User]:
    """Who may change a study and log in; the user, too, who may be a superuser."""
    shared = study.shares.filter(role=StudyShare.Role.EDITOR).values("user")
    return User.objects.filter(
        Q(pk__in=(study.owner_id, user.pk)) | Q(pk__in=shared), is_active=True, is_staff=True
    ).order_by("username")


def owner_sees(study: Study, other: Study) -> bool:
    """Whether who owns a study may see another one, also while their account is switched off."""
    if study.owner_id == other.owner_id:
        return True
    return Study.objects.seen_by(study.owner).filter(pk=other.pk).exists()


def owner_edits(study: Study, other: Study) -> bool:
    """Whether who owns a study may change another one, too."""
    if study.owner_id == other.owner_id:
        return True
    return Study.objects.edited_by(study.owner).filter(pk=other.pk).exists()
