"""Sharing a study, and deleting a draft: for its owner."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import (
    Confirmation,
    confirm,
    done,
    log,
    owns,
    refusals,
    show,
    study_page,
    to,
)
from annotation.models import AuditEvent, Study
from annotation.studies.forms.sharing import ShareForm
from annotation.studies.services import researchers

# With the name of the owner.
ONLY_THE_OWNER = _("This study belongs to %(owner)s. Only they can share or delete it.")


@study_page
@require_http_methods(["GET", "POST"])
def share(request: HttpRequest, study: Study) -> HttpResponse:
    """Who else uses this study; the owner may add people."""
    form = ShareForm(request.POST if request.method == "POST" else None)
    if form.is_bound and not owns(request, study):
        return only_the_owner(request, study)
    if form.is_valid():
        try:
            user = researchers.share(study=study, **form.cleaned_data)
        except AnnotationError as error:
            form.add_error("username", error.message)
        else:
            done(request, study, said_of_role(user, form.cleaned_data["role"]))
            return to(study, "share")
    return show(
        request,
        study,
        "studies/share.html",
        title=_("Share the study"),
        section="share",
        status=400 if form.is_bound else 200,
        may_share=owns(request, study),
        shares=study.shares.select_related("user").order_by("user__username"),
        form=form,
    )


@study_page
@require_POST
def unshare(request: HttpRequest, study: Study) -> HttpResponse:
    if not owns(request, study):
        return only_the_owner(request, study)
    user = _colleague(request, study)
    if user is None:
        return to(study, "share")
    researchers.unshare(study=study, user=user)
    done(request, study, _("No longer shared with %(name)s.") % {"name": user.get_username()})
    return to(study, "share")


@study_page
@require_POST
def change_role(request: HttpRequest, study: Study) -> HttpResponse:
    """Make an editor of a reader, or the reverse."""
    if not owns(request, study):
        return only_the_owner(request, study)
    user = _colleague(request, study)
    if user is not None:
        role = request.POST.get("role", "")
        with refusals(request):
            researchers.set_role(study=study, user=user, role=role)
            done(request, study, said_of_role(user, role))
    return to(study, "share")


def said_of_role(user: User, role: str) -> Said:
    """What the history says of somebody whom the study is shared with."""
    sentence = (
        _("Shared with %(name)s as a reader.")
        if role == researchers.Role.READER
        else _("Shared with %(name)s as an editor.")
    )
    return sentence % {"name": user.get_username()}


def _colleague(request: HttpRequest, study: Study) -> User | None:
    """The colleague of a button; None, and a message, if the study is not shared with them."""
    wanted = request.POST.get("user", "")
    number = int(wanted) if wanted.isdecimal() and len(wanted) < 19 else 0
    user = study.shared_with.filter(pk=number).first()
    if not isinstance(user, User):
        messages.warning(request, str(_("The study is no longer shared with that person.")))
        return None
    return user


def only_the_owner(
    request: HttpRequest, study: Study, reason: Said = ONLY_THE_OWNER
) -> HttpResponse:
    """Refuse; the reason leaves %(owner)s open."""
    return show(
        request,
        study,
        "core/refused.html",
        title=_("Only the owner can do this"),
        status=403,
        reason=reason % {"owner": study.owner.get_username()},
    )


@study_page
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest, study: Study) -> HttpResponse:
    """Delete a draft; what was collected cannot be deleted here."""
    if not owns(request, study):
        return only_the_owner(request, study)
    title = study.title
    if request.method == "POST":
        with refusals(request):
            researchers.delete_draft(study=study)
            log(
                request,
                study,
                _("Deleted: %(title)s.") % {"title": title},
                kind=AuditEvent.Kind.DELETED,
            )
            messages.success(request, str(_("Deleted: %(title)s.") % {"title": title}))
            return redirect("admin:index")
        return to(study, "change")
    n_items = study.items.count()
    obstacles = []
    if not study.is_draft:
        obstacles.append(
            _(
                "This study has been opened, so its data are protected. Only a draft "
                "can be deleted."
            )
        )
    if n_releases := study.releases.count():
        obstacles.append(
            ngettext(
                "This study cannot be deleted: it has %(n)s release, which others may cite.",
                "This study cannot be deleted: it has %(n)s releases, which others may cite.",
                n_releases,
            )
            % {"n": n_releases}
        )
    return confirm(
        request,
        study,
        Confirmation(
            title=_("Delete this draft?"),
            consequences=[
                _("Its texts and its design are deleted."),
                ngettext("%(n)s item is deleted.", "%(n)s items are deleted.", n_items)
                % {"n": n_items},
                _("The personal links of its roster stop working."),
                _("This cannot be undone."),
            ],
            button=_("Delete the draft"),
            is_dangerous=True,
            obstacles=obstacles,
        ),
        section="change",
    )
